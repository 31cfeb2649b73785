import { relative } from "node:path";
import type { McpConfig } from "../../gateway/config/config.js";
import { shownPath } from "../../gateway/config/config-errors.js";
import { JsoncFault, parseJsonc, placeOf } from "../../gateway/config/jsonc.js";
import { readText } from "../../gateway/config/load-config.js";
import { type ServerEntry, serverEntries } from "../../gateway/config/other-programs.js";
import { folderOf } from "../../gateway/config/read-config.js";
import { readServerEntry } from "../../gateway/config/server-entry.js";
import { sourceNameFrom } from "../../gateway/config/source-name.js";
import { isEqual, isRecord } from "../../json/value.js";
import { Complaint } from "../io.js";
import type { KnownFile } from "./init-files.js";
import { createSecretKeeper } from "./init-secrets.js";

/** What a file gives. */
export interface FoundFile extends KnownFile {
  readonly servers: readonly FoundServer[];
  /** What is odd, each a sentence without its end. */
  readonly notes: readonly string[];
}

interface FoundServer {
  readonly name: string;
  readonly config: McpConfig;
}

/** The servers in a file of another program. Throws a `Complaint` where it cannot be read. */
export async function readKnownFile(known: KnownFile, cwd: string): Promise<FoundFile> {
  const document = await parsed(known.file, cwd);
  const servers: FoundServer[] = [];
  const notes: string[] = [];
  for (const entry of isRecord(document) ? serverEntries(document, cwd) : []) {
    if (servers.some(({ name }) => name === entry.name)) continue;
    const reading = readServerEntry(placed(entry, known, cwd));
    if ("fault" in reading)
      notes.push(
        `"${entry.name}" is left out: it ${reading.at === undefined ? "" : `has a wrong ${reading.at}, which `}${reading.fault}`,
      );
    else notes.push(...reading.notes.map((note) => `"${entry.name}" ${note}`));
    if ("config" in reading && reading.config !== undefined) servers.push({ name: entry.name, config: reading.config });
  }
  return { ...known, servers, notes };
}

/** Relative paths go on to mean what they did. */
function placed(entry: ServerEntry, { file, isUsers }: KnownFile, cwd: string): ServerEntry {
  const folder = entry.cwd ?? (isUsers ? cwd : folderOf(file));
  const { cwd: _, ...rest } = entry;
  return folder === cwd ? rest : { ...rest, cwd: shortest(folder, cwd) };
}

function shortest(folder: string, cwd: string): string {
  const way = relative(cwd, folder);
  return way.startsWith("..") ? folder : `./${way.replaceAll("\\", "/")}`;
}

async function parsed(file: string, cwd: string): Promise<unknown> {
  const text = await readText(file, cwd);
  try {
    return parseJsonc(text);
  } catch (thrown) {
    if (!(thrown instanceof JsoncFault)) throw thrown;
    const { line, column } = placeOf(text, thrown.at);
    throw new Complaint(`${shownPath(file, cwd)}:${line}:${column}: ${thrown.message}`, 1);
  }
}

export interface GatheredSources {
  readonly sources: Readonly<Record<string, McpConfig>>;
  /** The variables that must be set, with the sources that need them. */
  readonly variables: ReadonlyMap<string, readonly string[]>;
  readonly notes: readonly string[];
}

/** All servers as sources, each once, without their secrets. */
export function gatherSources(files: readonly FoundFile[]): GatheredSources {
  const found = new Map<string, FoundServer>();
  const notes: string[] = [];
  for (const server of files.flatMap(({ servers }) => servers)) {
    if ([...found.values()].some((other) => other.name === server.name && isEqual(other.config, server.config)))
      continue;
    const name = sourceNameFrom(server.name, found);
    if (name !== server.name)
      notes.push(`"${server.name}" is called ${name}${found.has(server.name) ? ", because it is another one" : ""}`);
    found.set(name, server);
  }
  const keeper = createSecretKeeper();
  const sources = [...found].map(([name, { config }]) => [name, keeper.keep(name, config)] as const);
  return { sources: Object.fromEntries(sources), variables: keeper.variables, notes };
}
