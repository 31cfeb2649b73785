import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { basename, resolve, sep } from "node:path";
import { CallError } from "../../envelope/call-error.js";
import { told } from "../../json/told.js";
import { portableName, RESERVED } from "../../registry/portable-name.js";
import { programFor, SCRIPT_EXTENSIONS, scriptCandidates } from "./interpreters.js";

export interface ScriptPlace {
  /** Where relative paths begin. */
  readonly cwd: string;
}

export interface ScriptName {
  /** Of the operation: the file's without its extension, or the program's. */
  readonly name: string;
  /** The full path of the script, where there is a file that can be looked into. */
  readonly file?: string;
}

/** The command that runs a file: the file itself where it can, else the program for its extension. */
export async function commandOfFile(path: string, { cwd }: ScriptPlace): Promise<readonly string[]> {
  const file = resolve(cwd, path);
  const complaint = await complaintOf(file);
  if (complaint !== undefined) throw unusable(file, ...complaint);
  if (await runsItself(file)) return [file];
  const program = programFor(file);
  if (program === undefined) throw unusable(file, ...OF_NO_KIND);
  if (TYPESCRIPT.test(file) && !canStripTypes()) throw unusable(file, ...NO_TYPESCRIPT);
  return [program, file];
}

/** What the operation of a command is called, and which file it is that runs. */
export async function scriptName(command: readonly string[], { cwd }: ScriptPlace): Promise<ScriptName> {
  const [program = ""] = command;
  const candidates = scriptCandidates(command) ?? (program.includes("/") || program.includes(sep) ? [program] : []);
  for (const candidate of candidates) {
    const file = resolve(cwd, candidate);
    if (await isFile(file)) return { name: nameOfFile(file), file };
    if (programFor(candidate) !== undefined) return { name: nameOfFile(candidate) };
  }
  return { name: nameOfFile(program) };
}

/** A file's name as an operation's, without folders and extension. */
export function nameOfFile(path: string): string {
  // A version, such as in python3.11, is no extension.
  const name = basename(path).replace(/(?<=.)\.[A-Za-z][A-Za-z0-9]*$/, "");
  return portableName(name, { isExact: RESERVED.includes(name) });
}

/** Whether this user can start a file by its own name. */
async function runsItself(file: string): Promise<boolean> {
  if (process.platform === "win32") return /\.(exe|com)$/i.test(file);
  if (!(await isGranted(file, constants.X_OK))) return false;
  // On some disks every file is executable; the system would give a Python file without a first line to the shell.
  return programFor(file) === undefined || (await beginsWith(file, "#!"));
}

type Complaint = readonly [what: string, action: string];

async function complaintOf(file: string): Promise<Complaint | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return ["does not exist", "Correct the path; a relative one begins at the option cwd."];
  if (found.isDirectory()) return ["is a directory", "Name it by the option directory instead of file."];
  return found.isFile() ? undefined : ["is not a regular file", "Name a script."];
}

const OF_NO_KIND: Complaint = [
  `is not executable, and its name does not tell which program runs it (known are ${SCRIPT_EXTENSIONS.join(" ")})`,
  "Make it executable (chmod +x), or use the option command with the program that runs it first.",
];

const TYPESCRIPT = /\.[mc]?ts$/i;

const NO_TYPESCRIPT: Complaint = [
  `is TypeScript, which Node ${process.versions.node} does not run by itself`,
  'Use Node 22.18 or later, or the option command with a program that does, such as ["npx", "tsx", "FILE"].',
];

/** Node says how it runs TypeScript; older versions say that they do not, or nothing. */
function canStripTypes(): boolean {
  return "typescript" in process.features && typeof process.features.typescript === "string";
}

function unusable(file: string, what: string, suggestedAction: string): CallError {
  return new CallError({
    category: "unavailable",
    code: "TOOL_MISSING",
    message: `The script ${told(file)} cannot be run: it ${what}.`,
    recoverable: false,
    suggestedAction,
    details: { file },
  });
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true;
}

function isGranted(file: string, mode: number): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}

/** One that may be run and not read is taken to be sound. */
async function beginsWith(file: string, start: string): Promise<boolean> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return true;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(start.length), 0, start.length, 0);
    return buffer.toString("latin1", 0, bytesRead) === start;
  } finally {
    await handle.close();
  }
}
