import type { LoadedConfig } from "./loaded-config.js";

export interface LoadConfigOptions {
  /** Where to look, and where a relative `file` starts. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @default `plico.json` or `plico.jsonc` in `cwd` or the nearest folder above it */
  readonly file?: string | undefined;
}

/**
 * Reads and checks a `plico.json`, or a file of another program with `mcpServers`. Throws a `CallError` of the category
 * `validation` with the code `CONFIG_INVALID`, or `not_found` with `CONFIG_NOT_FOUND`, whose message names every fault
 * with its line.
 */
export function loadConfig(_options: LoadConfigOptions): Promise<LoadedConfig> {
  throw new Error("not built yet");
}
