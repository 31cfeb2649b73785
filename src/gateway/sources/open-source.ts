import { stat } from "node:fs/promises";
import type { OperationSource } from "../../registry/source.js";
import type { ResultStore } from "../../results/result-store.js";
import type { ModuleSourceOptions } from "../../sources/module/options.js";
import type { ScriptSourceOptions } from "../../sources/script/options.js";
import type { SourceConfig } from "../config/config.js";
import type { Log } from "../log.js";
import { type SourceOptions, sourceOptionsOf } from "./source-options.js";

export interface OpenSourceOptions {
  readonly name: string;
  readonly config: SourceConfig;
  /** Where its paths start. */
  readonly folder: string;
  /** Gets what programs write to their standard error. */
  readonly log: Log;
  /** Keeps large binary answers. */
  readonly results: ResultStore;
  /** Whether a module is loaded again when it changes. */
  readonly stays: boolean;
  /** Gives up the opening. */
  readonly signal?: AbortSignal;
}

/** A source that is open, as those of all kinds are. */
export interface OpenedSource extends OperationSource {
  /** Looks again for what there is, and makes a lost connection anew. */
  refresh?(): Promise<void>;
  onHealth?(listener: () => void): () => void;
}

/** Opens a source of whatever kind; only what that kind needs is loaded. Rejects with a `CallError` where it cannot. */
export function openSource({ log, results, signal, ...origin }: OpenSourceOptions): Promise<OpenedSource> {
  const { name } = origin;
  const onStderr = (line: string): void => log.debug(line, { source: name });
  return openByOptions(sourceOptionsOf(origin), { onStderr, results, ...(signal !== undefined && { signal }) });
}

interface Surroundings {
  readonly onStderr: (line: string) => void;
  readonly results: ResultStore;
  readonly signal?: AbortSignal;
}

async function openByOptions(source: SourceOptions, around: Surroundings): Promise<OpenedSource> {
  const { onStderr, results, signal } = around;
  switch (source.kind) {
    case "mcp": {
      const { mcpSource } = await import("../../sources/mcp/mcp-source.js");
      return mcpSource({ ...source.options, onStderr, signal });
    }
    case "openapi": {
      const { openapiSource } = await import("../../sources/openapi/openapi-source.js");
      return openapiSource({ ...source.options, results, signal });
    }
    case "script": {
      const { scriptSource } = await import("../../sources/script/script-source.js");
      const { path, ...options } = source.options;
      return scriptSource({ ...options, ...(path !== undefined && (await placeOf(path))), onStderr, signal });
    }
    case "module":
      return openModule(source.options, signal);
    case "nats": {
      const { fleetSource } = await import("../nats/fleet-source.js");
      return fleetSource({ ...source.options, ...(signal !== undefined && { signal }) });
    }
  }
}

/** What is not there is a file for the source, which says so. */
async function placeOf(path: string): Promise<Pick<ScriptSourceOptions, "file" | "directory">> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? { directory: path } : { file: path };
}

/** A module cannot be kept from going on; one that nobody waits for any longer is closed when it comes. */
async function openModule(options: ModuleSourceOptions, signal: AbortSignal | undefined): Promise<OpenedSource> {
  const { moduleSource } = await import("../../sources/module/module-source.js");
  const opening = moduleSource(options);
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(signal?.reason);
      opening.then((source) => source.close()).catch(() => {});
    };
    opening.then(resolve, reject).finally(() => signal?.removeEventListener("abort", giveUp));
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener("abort", giveUp, { once: true });
  });
}
