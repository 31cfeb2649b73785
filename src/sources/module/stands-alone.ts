import { existsSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isOwnFile } from "./import-target.js";

/**
 * Whether a module is JavaScript that names no other file, only packages that were installed. Node's own import loads it then,
 * and the hooks, which are a thread of their own in older versions of Node, need not be installed for it.
 */
export async function standsAlone(url: string): Promise<boolean> {
  if (!/\.[cm]?js$/.test(url)) return false;
  const file = fileURLToPath(url);
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined || NAMES_FILES.test(text)) return false;
  const names = [...text.matchAll(IMPORTED)].map(([, name = ""]) => name);
  return names.every((name) => isBuiltin(name) || name === "plico" || isInstalled(name, dirname(file)));
}

/** Texts that may be paths or aliases of them, and imports of what is known only later. */
const NAMES_FILES = /["'`](?:\.{0,2}\/|#|file:)|\bimport\s*\(|\bcreateRequire\b/;

/** The package, and for what is inside of Node also the part. */
const IMPORTED = /\b(?:from|import|require\s*\()\s*["'`]((?:node:|@[^"'`/]+\/)?[^"'`/]+)/g;

/** A package may also be a folder of the user, in TypeScript: that of a workspace, or the one that the module is in. */
function isInstalled(name: string, folder: string): boolean {
  const place = join(folder, "node_modules", name);
  if (existsSync(place)) return !isOwnFile(pathToFileURL(realpathSync(place)).href);
  return dirname(folder) !== folder && isInstalled(name, dirname(folder));
}
