import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { CallError } from "../../envelope/call-error.js";
import { shownPath } from "./config-errors.js";

const NAMES = ["plico.json", "plico.jsonc"] as const;

/** The nearest `plico.json`, in a folder or above it. */
export function findConfig(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = NAMES.map((name) => join(at, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (dirname(at) === at) return undefined;
  }
}

/** Where other programs keep the servers of a project. */
export const PROJECT_FILES: readonly string[] = [
  ".mcp.json",
  ".cursor/mcp.json",
  ".vscode/mcp.json",
  ".gemini/settings.json",
];

/** Tells the ways on. */
export function configNotFound(cwd: string, file?: string): CallError {
  const about = { category: "not_found", code: "CONFIG_NOT_FOUND" } as const;
  if (file === undefined) return new CallError({ ...about, message: nothingFound(cwd) });
  const suggestedAction = "Check the name, or run `plico init` to write a plico.json.";
  return new CallError({ ...about, message: `There is no file ${shownPath(file, cwd)}.`, suggestedAction });
}

function nothingFound(cwd: string): string {
  const nearby = PROJECT_FILES.filter((name) => existsSync(join(cwd, name)));
  const [near = "FILE"] = nearby;
  const isNear = nearby.length > 0;
  const ways = [
    ["plico init", `write one${isNear ? ` from ${nearby.join(", ")}` : ""}`],
    [`--config ${near}`, isNear ? "use that file as it is" : "use another file, also one with mcpServers"],
    ['--mcp "COMMAND"', "use a source at once; also --mcp URL, --openapi, --script, --module"],
  ] as const;
  const width = Math.max(...ways.map(([way]) => way.length));
  const lines = ways.map(([way, what]) => `  ${way.padEnd(width)}  ${what}`);
  return `There is no plico.json in ${cwd} or above it. You can\n${lines.join("\n")}`;
}
