import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/**
 * Whether a module is JavaScript that names no other file, only packages. Node's own import loads it then, and the hooks,
 * which are a thread of their own in older versions of Node, need not be installed for it.
 */
export async function standsAlone(url: string): Promise<boolean> {
  if (!/\.[cm]?js$/.test(url)) return false;
  const text = await readFile(fileURLToPath(url), "utf8").catch(() => undefined);
  return text !== undefined && !NAMES_FILES.test(text);
}

/** Texts that may be paths or aliases of them, and imports of what is known only later. */
const NAMES_FILES = /["'`](?:\.{0,2}\/|#|file:)|\bimport\s*\(|\bcreateRequire\b/;
