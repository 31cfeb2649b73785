import { isAbsolute, relative } from "node:path";
import { type JsonPointer, pointerTo } from "../../json/pointer.js";
import { isRecord, type JsonRecord } from "../../json/value.js";

/** A server as another program writes it, and where it stands in the file. */
export interface ServerEntry {
  readonly name: string;
  readonly value: unknown;
  readonly pointer: JsonPointer;
  /** Where it runs, if not in the folder of the file. */
  readonly cwd?: string;
}

/**
 * The MCP servers in a file of Claude, Cursor, Windsurf, Gemini, VS Code or Zed. Of Claude Code's own file those that
 * count in the folder `cwd`, which come before those for all folders.
 */
export function serverEntries(document: JsonRecord, cwd: string): readonly ServerEntry[] {
  const { mcp } = document;
  return [
    ...projectEntries(document["projects"], cwd),
    ...entriesIn(document["mcpServers"], pointerTo("mcpServers")),
    ...(isServerMap(document["servers"]) ? entriesIn(document["servers"], pointerTo("servers")) : []),
    ...(isRecord(mcp) ? entriesIn(mcp["servers"], pointerTo("mcp", "servers")) : []),
    ...entriesIn(document["mcp.servers"], pointerTo("mcp.servers")),
    ...entriesIn(document["context_servers"], pointerTo("context_servers")),
  ];
}

/** Whether this is the `servers` of VS Code, and not that of a `plico.json`. */
export function isServerMap(servers: unknown): boolean {
  return isRecord(servers) && Object.values(servers).some((server) => isRecord(server) && namesServer(server));
}

function namesServer(server: JsonRecord): boolean {
  return ["command", "url"].some((key) => Object.hasOwn(server, key));
}

function entriesIn(servers: unknown, pointer: JsonPointer, cwd?: string): readonly ServerEntry[] {
  if (!isRecord(servers)) return [];
  return Object.entries(servers).map(([name, value]) => ({
    name,
    value,
    pointer: pointer + pointerTo(name),
    ...(cwd !== undefined && { cwd }),
  }));
}

/** Those of the nearest folder that has any. */
function projectEntries(projects: unknown, cwd: string): readonly ServerEntry[] {
  if (!isRecord(projects)) return [];
  const around = Object.keys(projects).filter((folder) => isInside(cwd, folder));
  for (const folder of around.sort((a, b) => b.length - a.length)) {
    const project = projects[folder];
    const entries = isRecord(project)
      ? entriesIn(project["mcpServers"], pointerTo("projects", folder, "mcpServers"), folder)
      : [];
    if (entries.length > 0) return entries;
  }
  return [];
}

function isInside(path: string, folder: string): boolean {
  if (!isAbsolute(folder)) return false;
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[\\/]/)[0] !== "..";
}
