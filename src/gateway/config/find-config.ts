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
  const message = file === undefined ? nothingFound(cwd) : `There is no file ${shownPath(file, cwd)}.`;
  const suggestedAction = "Run `plico init` to write a plico.json.";
  return new CallError({ category: "not_found", code: "CONFIG_NOT_FOUND", message, suggestedAction });
}

function nothingFound(cwd: string): string {
  const nearby = PROJECT_FILES.filter((name) => existsSync(join(cwd, name)));
  const other = nearby[0] === undefined ? "FILE" : nearby[0];
  return [
    `There is no plico.json in ${cwd} or above it. You can`,
    `  plico init             write one${nearby.length > 0 ? ` from ${nearby.join(", ")}` : ""}`,
    `  --config ${other.padEnd(14)}use ${nearby.length > 0 ? "that file as it is" : "another one, also one with mcpServers"}`,
    '  --mcp "COMMAND"        use a source at once; also --mcp URL, --openapi, --script, --module',
  ].join("\n");
}
