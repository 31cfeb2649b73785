import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { CallError } from "../../envelope/call-error.js";
import type { Warning } from "../../envelope/warning.js";
import { told } from "../../json/told.js";
import { isRecord } from "../../json/value.js";
import { portableName } from "../../registry/portable-name.js";
import { SCRIPT_EXTENSIONS } from "./interpreters.js";
import { nameOfFile } from "./script-file.js";

/** A script of a directory. */
export interface ScriptFile {
  /** Of the operation, unlike those of all others in the directory. */
  readonly name: string;
  /** Without the directory: what the option `scripts` names it by. */
  readonly fileName: string;
  /** The full path. */
  readonly path: string;
  /** Why its name is not just that of its file. */
  readonly warning?: Warning;
}

/** The scripts of a directory, sorted by their file names: executable files that are not hidden. */
export async function scriptsIn(directory: string): Promise<readonly ScriptFile[]> {
  const folder = resolve(directory);
  const entries = await readdir(folder).catch((thrown: unknown) => {
    throw unreadable(folder, thrown);
  });
  // Not in the order of a language: the list is the same on every machine.
  const visible = entries.filter((entry) => !LEFT_OUT.test(entry)).sort();
  const areScripts = await Promise.all(visible.map((entry) => isScript(join(folder, entry))));
  return named(
    folder,
    visible.filter((_, at) => areScripts[at] === true),
  );
}

/** Hidden files, and the copies that editors leave beside a file. */
const LEFT_OUT = /^\.|~$/;

async function isScript(path: string): Promise<boolean> {
  // Follows links; one that leads nowhere is no script.
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return false;
  if (process.platform === "win32") return ON_WINDOWS.includes(extname(path).toLowerCase());
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

const ON_WINDOWS: readonly string[] = [...SCRIPT_EXTENSIONS, ".exe", ".com"];

/**
 * All that want the same name get their extension. If the first kept it, a new file could take it over, and callers
 * would run another program.
 */
function named(folder: string, fileNames: readonly string[]): readonly ScriptFile[] {
  const short = uniquely(fileNames, nameOfFile);
  const long = uniquely(fileNames, (fileName) => portableName(fileName));
  const taken = new Set(short.values());
  return fileNames.map((fileName) => {
    const script = { fileName, path: join(folder, fileName) };
    const wanted = nameOfFile(fileName);
    const longer = long.get(fileName);
    if (short.has(fileName) || longer === wanted) return { ...script, name: wanted };
    const isFree = longer !== undefined && !taken.has(longer);
    const name = isFree ? longer : portableName(fileName, { isExact: true });
    return { ...script, name, warning: clash(fileName, wanted, name) };
  });
}

/** The names that only one file has, by the file. */
function uniquely(fileNames: readonly string[], nameOf: (fileName: string) => string): ReadonlyMap<string, string> {
  const names = fileNames.map(nameOf);
  const isUnique = (name: string): boolean => names.indexOf(name) === names.lastIndexOf(name);
  return new Map(
    fileNames.flatMap((fileName, at) => {
      const name = names[at] as string;
      return isUnique(name) ? [[fileName, name] as const] : [];
    }),
  );
}

function clash(fileName: string, wanted: string, name: string): Warning {
  return {
    code: "NONCONFORMING",
    message: `More than one script of the directory would be called ${wanted}; ${told(fileName)} is called ${name}.`,
  };
}

function unreadable(folder: string, thrown: unknown): CallError {
  const code = isRecord(thrown) ? thrown["code"] : undefined;
  return new CallError({
    category: "unavailable",
    message: `The directory ${told(folder)} cannot be read: ${WORDS[String(code)] ?? `the system says ${told(code)}`}.`,
    recoverable: false,
    suggestedAction: "Correct the option directory, or create the directory.",
    details: { directory: folder },
    cause: thrown,
  });
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "it is not a directory",
  EACCES: "this user may not read it",
};
