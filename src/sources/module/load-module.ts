import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { CallError } from "../../envelope/call-error.js";
import { whileImporting } from "../../helper/importing.js";
import type { JsonRecord } from "../../json/value.js";
import { withGeneration } from "./generation.js";
import type { Sighting } from "./hooks.js";
import { isOwnFile } from "./import-target.js";
import { collectSightings, onSighting } from "./install-hooks.js";
import { loadFailure } from "./load-failure.js";

interface LoadOptions {
  /** Loads all anew; without it Node gives what it may have loaded already. */
  readonly generation?: string | undefined;
  readonly timeout: number;
}

/** What a module exports. Rejects with a `CallError`. */
export async function loadModule(url: string, { generation, timeout }: LoadOptions): Promise<JsonRecord> {
  const entry = fileURLToPath(url);
  const files = new Set([entry]);
  const stop = onSighting(generation ?? "", ({ file }: Sighting) => files.add(file));
  const address = generation === undefined ? url : withGeneration(url, generation);
  try {
    const loading = whileImporting((): Promise<JsonRecord> => import(address));
    return await inTime(loading, timeout, entry);
  } catch (thrown) {
    collectSightings();
    throw thrown instanceof Overdue ? thrown.error : loadFailure(thrown, entry, [...files]);
  } finally {
    collectSightings();
    stop();
  }
}

/** CommonJS knows a file by its path: it is loaded anew only when it is forgotten. */
export function forgetRequired(files: Iterable<string>): void {
  const cache = requireCache();
  for (const file of files) delete cache[file];
}

/** The files and all that they `require`, which the hooks of older Nodes do not see. */
export function withRequired(files: Iterable<string>): ReadonlySet<string> {
  const cache = requireCache();
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const children = cache[file]?.children ?? [];
    for (const { filename } of children) if (isOwnFile(`file:${filename.replaceAll("\\", "/")}`)) visit(filename);
  };
  for (const file of files) visit(file);
  return found;
}

function requireCache(): NodeJS.Dict<NodeJS.Module> {
  return createRequire(import.meta.url).cache;
}

/** Not to be taken for what the module threw. */
class Overdue {
  readonly error: CallError;

  constructor(entry: string, timeout: number) {
    this.error = new CallError({
      category: "timeout",
      message: `${entry} was not loaded within ${timeout} ms: it awaits something that does not come.`,
    });
  }
}

async function inTime<T>(loading: Promise<T>, timeout: number, entry: string): Promise<T> {
  const over = new AbortController();
  const overdue = delay(timeout, undefined, { signal: over.signal }).then(
    () => Promise.reject(new Overdue(entry, timeout)),
    () => loading,
  );
  try {
    return await Promise.race([loading, overdue]);
  } finally {
    over.abort();
    overdue.catch(() => {});
  }
}
