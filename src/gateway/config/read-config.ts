import { basename, dirname, resolve } from "node:path";
import type { CallError } from "../../envelope/call-error.js";
import type { Issue } from "../../json/issue.js";
import { type JsonPointer, pointerTo } from "../../json/pointer.js";
import { told } from "../../json/told.js";
import { isRecord, type JsonRecord, omit, setField } from "../../json/value.js";
import { createRedactor } from "../redact.js";
import { checkedConfig } from "./checked-config.js";
import type { GatewayConfig, SourceConfig } from "./config.js";
import { configInvalid } from "./config-errors.js";
import { configNotes } from "./config-rules.js";
import { JsoncFault, parseJsonc } from "./jsonc.js";
import type { LoadedConfig } from "./loaded-config.js";
import { isServerMap, type ServerEntry, serverEntries } from "./other-programs.js";
import { readServerEntry } from "./server-entry.js";
import { sourceNameFrom } from "./source-name.js";
import { secretsIn } from "./source-secrets.js";
import { createVariables, UNSET, type Variables } from "./variables.js";

export interface ConfigText {
  readonly text: string;
  /** Absolute. */
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The configuration that a text says. Throws a `CallError` with all of its faults. */
export async function readConfig({ text, file, cwd, env }: ConfigText): Promise<LoadedConfig> {
  const document = parsed(text, file, cwd);
  const isOwn = isOwnFile(document, file);
  const folder = isOwn ? dirname(file) : folderOf(file);
  const variables = createVariables({ env, folder, hasEscapes: isOwn });
  const reading = new Reading(variables);
  const config = isOwn ? await reading.own(document) : reading.foreign(serverEntries(document, cwd));
  // A variable that could not be filled in is no secret.
  const secrets = [...new Set([...variables.secrets, ...secretsIn(config)])].filter((secret) => !secret.includes("${"));
  const unfilled = new Set(variables.issues.map(({ path }) => path));
  const issues = [...variables.issues, ...reading.issues.filter(({ path }) => !unfilled.has(path))];
  const { text: redacted } = createRedactor(secrets);
  const invalid = (faults: readonly Issue[]): CallError =>
    configInvalid({ file, cwd, text, issues: faults.map((one) => ({ ...one, message: redacted(one.message) })) });
  const { unset, others } = reading.sorted(issues);
  if (others.length > 0) throw invalid(issues);
  const unusable = Object.fromEntries([...unset].map(([name, faults]) => [name, invalid(faults).toJSON()]));
  const notes = [...reading.notes, ...(isOwn ? configNotes(config) : [])];
  return { config, file, folder, secrets, ...(unset.size > 0 && { unusable }), notes: notes.map(redacted) };
}

function parsed(text: string, file: string, cwd: string): JsonRecord {
  try {
    const value = parseJsonc(text);
    if (isRecord(value)) return value;
    throw configInvalid({ file, cwd, text, issues: [{ path: "", message: `must be an object, not ${told(value)}` }] });
  } catch (thrown) {
    if (!(thrown instanceof JsoncFault)) throw thrown;
    throw configInvalid({ file, cwd, text, fault: thrown });
  }
}

/** A `plico.json`, whatever its name; others are files of other programs. */
function isOwnFile(document: JsonRecord, file: string): boolean {
  if (document["sources"] !== undefined || /^plico(\.\w+)?\.jsonc?$/i.test(basename(file))) return true;
  const { servers } = document;
  if (isRecord(servers) && !isServerMap(servers)) return true;
  return serverEntries(document, "/").length === 0 && document["projects"] === undefined;
}

/** Editors keep their file in a folder of the project, and start servers in the project. */
export function folderOf(file: string): string {
  const folder = dirname(file);
  return /^\.(cursor|vscode|gemini|zed|roo|windsurf)$/.test(basename(folder)) ? resolve(folder, "..") : folder;
}

class Reading {
  readonly issues: Issue[] = [];
  readonly notes: string[] = [];
  readonly #variables: Variables;
  /** Where each source stands. */
  readonly #places = new Map<string, JsonPointer>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  async own(document: JsonRecord): Promise<GatewayConfig> {
    const { issues, config } = await checkedConfig(this.#filled(document), this.#variables.whole);
    this.issues.push(...issues);
    const given = isRecord(config["sources"]) ? config["sources"] : {};
    const entries = serverEntries({ mcpServers: document["mcpServers"] }, "");
    return { ...omit(config, ["mcpServers"]), sources: this.#added(given, entries) } as unknown as GatewayConfig;
  }

  foreign(entries: readonly ServerEntry[]): GatewayConfig {
    if (entries.length === 0) this.notes.push("there is no MCP server in it");
    return { sources: this.#added({}, entries) };
  }

  /** A source whose variables are not set is unusable by itself; all else is wrong with the whole. */
  sorted(issues: readonly Issue[]): { unset: ReadonlyMap<string, readonly Issue[]>; others: readonly Issue[] } {
    const unset = new Map<string, readonly Issue[]>();
    const others = issues.filter((issue) => {
      const [name] = [...this.#places].find(([, place]) => issue.path.startsWith(`${place}/`)) ?? [];
      if (issue.rule !== UNSET || name === undefined) return true;
      unset.set(name, [...(unset.get(name) ?? []), issue]);
      return false;
    });
    return { unset, others };
  }

  /** Variables of what is left out need not be there. */
  #filled(document: JsonRecord): JsonRecord {
    const filled: JsonRecord = {};
    for (const [name, value] of Object.entries(document)) {
      if (name === "mcpServers" || name === "$schema") setField(filled, name, value);
      else if (name === "sources" && isRecord(value)) setField(filled, name, this.#filledSources(value));
      else setField(filled, name, this.#variables.fill(value, pointerTo(name)));
    }
    return filled;
  }

  #filledSources(sources: JsonRecord): JsonRecord {
    const filled: JsonRecord = {};
    for (const [name, source] of Object.entries(sources)) {
      const isLeftOut = isRecord(source) && source["disabled"] === true;
      this.#places.set(name, pointerTo("sources", name));
      setField(filled, name, isLeftOut ? source : this.#variables.fill(source, pointerTo("sources", name)));
    }
    return filled;
  }

  #added(given: JsonRecord, entries: readonly ServerEntry[]): GatewayConfig["sources"] {
    const sources: JsonRecord = { ...given };
    const seen = new Set<string>();
    for (const entry of entries) {
      // Of the same server in two places, the nearer one comes first.
      if (seen.has(entry.name)) continue;
      seen.add(entry.name);
      const config = this.#source(entry);
      if (config === undefined) continue;
      const name = sourceNameFrom(entry.name, { has: (one) => Object.hasOwn(sources, one) });
      if (Object.hasOwn(given, entry.name))
        this.issues.push({ path: entry.pointer, message: "has the name of another source; give it one of its own" });
      else if (name !== entry.name) this.notes.push(`${told(entry.name)} is called ${name} here`);
      this.#places.set(name, entry.pointer);
      setField(sources, name, config);
    }
    return sources as GatewayConfig["sources"];
  }

  #source(entry: ServerEntry): SourceConfig | undefined {
    const { value, pointer, name } = entry;
    const isLeftOut = isRecord(value) && (value["disabled"] === true || value["enabled"] === false);
    const reading = readServerEntry(isLeftOut ? entry : { ...entry, value: this.#variables.fill(value, pointer) });
    if ("fault" in reading) {
      const at = reading.at === undefined ? "" : pointerTo(reading.at);
      this.issues.push({ path: pointer + at, message: reading.fault });
      return undefined;
    }
    this.notes.push(...reading.notes.map((note) => `${told(name)} ${note}`));
    return reading.config;
  }
}
