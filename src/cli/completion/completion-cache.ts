import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LoadedConfig } from "../../gateway/config/loaded-config.js";
import type { Gateway } from "../../gateway/gateway.js";
import { orElse } from "../../json/attempt.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import { fieldsOf, fieldType, fieldValues } from "../input-summary.js";
import type { Io } from "../io.js";
import { firstSentence } from "../terminal/first-sentence.js";

/** What completion knows of a configuration from when its operations were last listed. */
export interface KnownSources {
  /** Of the file: another one has other operations. */
  readonly modifiedAt: number;
  readonly sources: Readonly<Record<string, readonly KnownOperation[]>>;
}

export interface KnownOperation {
  readonly id: string;
  readonly about: string;
  /** Absent where nobody has looked. */
  readonly fields?: readonly KnownField[];
}

interface KnownField {
  readonly name: string;
  readonly type: string;
  readonly values: readonly string[];
}

/** Where sources come from: a file, or the flags of a command. */
export type Origin = Pick<LoadedConfig, "file" | "folder"> & {
  readonly config: Pick<LoadedConfig["config"], "sources">;
};

/** Keeps the operations of all sources that are up, so that shells can complete them without starting anything. */
export function keepOperations(gateway: Gateway, io: Io, isLookedAt: (spec: OperationSpec) => boolean): void {
  // Completion is a convenience: nothing about it is worth a failure.
  orElse(() => {
    const file = cacheFile(gateway.loaded, io.env);
    if (file === undefined) return;
    const known = knownIn(file, gateway.loaded);
    const now = { ...known, sources: { ...known.sources, ...operationsOf(gateway, known, isLookedAt) } };
    if (JSON.stringify(now) !== JSON.stringify(known)) write(file, now);
  }, undefined);
}

export function knownSources(origin: Origin, io: Io): KnownSources["sources"] {
  const file = cacheFile(origin, io.env);
  return file === undefined ? {} : knownIn(file, origin).sources;
}

function operationsOf(
  { sources, served }: Gateway,
  known: KnownSources,
  isLookedAt: (spec: OperationSpec) => boolean,
): Record<string, readonly KnownOperation[]> {
  const specs = new Map(served.list().map((spec) => [operationIdOf(spec), spec]));
  const ready = sources.filter((source) => source.health().status === "ready");
  const operationsIn = (name: string, ids: readonly string[]): KnownOperation[] => {
    const before = new Map((known.sources[name] ?? []).map((operation) => [operation.id, operation]));
    return ids
      .flatMap((id) => specs.get(id) ?? [])
      .map((spec) => ({ ...before.get(operationIdOf(spec)), ...knownOperation(spec, isLookedAt(spec)) }));
  };
  return Object.fromEntries(ready.map(({ name, operationIds }) => [name, operationsIn(name, operationIds)]));
}

function knownOperation(spec: OperationSpec, isLookedAt: boolean): KnownOperation {
  const about = firstSentence(spec.description).slice(0, 100);
  const fields = (): KnownField[] =>
    fieldsOf(spec).map((field) => ({ name: field.name, type: fieldType(field), values: fieldValues(field) }));
  return { id: operationIdOf(spec), about, ...(isLookedAt && { fields: fields() }) };
}

function knownIn(file: string, { file: config }: Origin): KnownSources {
  const modifiedAt = config === undefined ? 0 : statSync(config).mtimeMs;
  const none = { modifiedAt, sources: {} };
  const kept = orElse(() => JSON.parse(readFileSync(file, "utf8")) as KnownSources, none);
  return kept.modifiedAt === modifiedAt ? kept : none;
}

function write(file: string, known: KnownSources): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(known));
  renameSync(unfinished, file);
  forgetOldest(folder);
}

const MOST_FILES = 50;

function forgetOldest(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  if (files.length <= MOST_FILES) return;
  const ages = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  const oldest = files.sort((a, b) => (ages.get(a) ?? 0) - (ages.get(b) ?? 0)).slice(0, files.length - MOST_FILES);
  for (const file of oldest) rmSync(file, { force: true });
}

function cacheFile({ file, folder, config }: Origin, env: Io["env"]): string | undefined {
  const { XDG_CACHE_HOME: caches = "", HOME: home = "" } = env;
  const root = caches !== "" ? caches : home === "" ? undefined : join(home, ".cache");
  const key = file ?? JSON.stringify([folder, config.sources]);
  return root === undefined ? undefined : join(root, "plico", `${hashOf(key)}.json`);
}

/** FNV-1a, twice with other numbers. To load the hashes of Node would take longer than all else that is done here. */
function hashOf(text: string): string {
  let [one, two] = [0x811c9dc5, 0x9e3779b9];
  for (const byte of Buffer.from(text)) {
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x85ebca6b);
  }
  return [one, two].map((number) => (number >>> 0).toString(16).padStart(8, "0")).join("");
}
