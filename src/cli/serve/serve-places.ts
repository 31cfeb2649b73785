import type { LogConfig } from "../../gateway/config/config.js";
import type { Log } from "../../gateway/log.js";
import type { Io } from "../io.js";
import { styleFor } from "../terminal/style.js";
import { tell } from "../terminal/tell.js";

const WORDS: Readonly<Record<string, string>> = {
  mcp: "MCP",
  operations: "HTTP API",
  openapi: "OpenAPI",
  health: "Health",
  nats: "NATS",
  service: "Service",
  subjects: "Subjects",
};

export interface Told {
  readonly format: LogConfig["format"] | undefined;
  readonly log: Log;
  readonly io: Io;
}

/** Where everything is: for people, or as a line of the log. */
export function tellPlaces(places: Readonly<Record<string, string>>, { format, log, io }: Told): void {
  if (format === "json") {
    log.info("Serving", places);
    return;
  }
  const { bold, dim } = styleFor(io.stdout, io);
  const rows = Object.entries(places).map(([name, place]) => `  ${(WORDS[name] ?? name).padEnd(8)}  ${bold(place)}`);
  tell(io.stdout, `${[bold("Plico serves"), ...rows, dim("Ctrl-C ends it."), ""].join("\n")}\n`);
}
