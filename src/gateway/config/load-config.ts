import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { CallError } from "../../envelope/call-error.js";
import { messageOf } from "../../json/attempt.js";
import { shownPath } from "./config-errors.js";
import { configNotFound, findConfig } from "./find-config.js";
import type { LoadedConfig } from "./loaded-config.js";
import { readConfig } from "./read-config.js";

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
export async function loadConfig({ cwd, env, file: given }: LoadConfigOptions): Promise<LoadedConfig> {
  const file = given === undefined ? findConfig(cwd) : resolve(cwd, given);
  if (file === undefined) throw configNotFound(cwd);
  return readConfig({ text: await readText(file, cwd), file, cwd, env });
}

/** A configuration is not that large; the file that Claude Code keeps with all its history may be. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The text of a file that is UTF-8 and not too large. */
export async function readText(file: string, cwd: string): Promise<string> {
  const bytes = await readFile(file).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === "ENOENT") throw configNotFound(cwd, file);
    throw unreadable(file, cwd, thrown.code === "EISDIR" ? "it is a folder" : messageOf(thrown));
  });
  if (bytes.length > MOST_BYTES) throw unreadable(file, cwd, `it has more than ${MOST_BYTES} bytes`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const isWide = bytes[0] === 0xff || bytes[0] === 0xfe;
    throw unreadable(file, cwd, `it is not UTF-8 text${isWide ? ", but looks like UTF-16; save it as UTF-8" : ""}`);
  }
}

function unreadable(file: string, cwd: string, why: string): CallError {
  const message = `${shownPath(file, cwd)} cannot be read: ${why}.`;
  return new CallError({ category: "validation", code: "CONFIG_INVALID", message });
}
