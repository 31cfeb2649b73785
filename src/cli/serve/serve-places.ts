import type { Io } from "../io.js";
import { styleFor } from "../terminal/style.js";
import { tell } from "../terminal/tell.js";

const WORDS: Readonly<Record<string, string>> = {
  mcp: "MCP",
  operations: "HTTP API",
  openapi: "OpenAPI",
  health: "Health",
};

/** Where everything is, for people. */
export function tellPlaces(places: Readonly<Record<string, string>>, io: Io): void {
  const { bold, dim } = styleFor(io.stdout, io);
  const rows = Object.entries(places).map(([name, url]) => `  ${(WORDS[name] ?? name).padEnd(8)}  ${bold(url)}`);
  tell(io.stdout, `${[bold("Plico serves"), ...rows, dim("Ctrl-C ends it."), ""].join("\n")}\n`);
}
