import { constants } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CallError } from "../envelope/call-error.js";
import { messageOf } from "../json/attempt.js";
import { told } from "../json/told.js";
import { isRecord } from "../json/value.js";

/** Why a command could not be started, in words for people. The system says the same of a missing directory and program. */
export async function startFailure(thrown: unknown, command: string, cwd: string | undefined): Promise<CallError> {
  const code = isRecord(thrown) && typeof thrown["code"] === "string" ? thrown["code"] : "";
  if (code.startsWith("ERR_INVALID_ARG"))
    return new CallError({
      category: "validation",
      message: `The command ${told(command)} cannot be started: ${messageOf(thrown)}.`,
      cause: thrown,
    });
  const failure = { category: "unavailable", cause: thrown, recoverable: false } as const;
  const complaint = cwd === undefined ? undefined : await directoryComplaint(cwd);
  if (cwd !== undefined && complaint !== undefined)
    return new CallError({
      ...failure,
      message: `The command ${told(command)} cannot be started: its working directory ${told(cwd)} ${complaint}.`,
      suggestedAction: "Correct the option cwd, or create the directory.",
      details: { cwd },
    });
  if (code === "ENOENT" || code === "ENOTDIR") return missing(thrown, command, cwd);
  if (code === "EACCES")
    return new CallError({
      ...failure,
      message: `The command ${told(command)} cannot be started: it is not a file that this user may execute.`,
      suggestedAction: "Make the file executable, or name the program that runs it first.",
      details: { command },
    });
  if (code === "E2BIG")
    return new CallError({
      category: "validation",
      code: "PAYLOAD_TOO_LARGE",
      message: `The command ${told(command)} cannot be started: its arguments and variables are longer than the system takes.`,
      suggestedAction: "Give it less, or give the input on standard input or in a file.",
      details: { command },
      cause: thrown,
    });
  return new CallError({
    category: "unavailable",
    message: `The command ${told(command)} cannot be started: the system says ${code === "" ? "no" : code}.`,
    details: { command },
    cause: thrown,
  });
}

async function directoryComplaint(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return "does not exist";
  if (!found.isDirectory()) return "is not a directory";
  const mayEnter = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  return mayEnter ? undefined : "may not be entered by this user";
}

async function missing(thrown: unknown, command: string, cwd = "."): Promise<CallError> {
  const isThere = command.includes("/") && (await stat(resolve(cwd, command)).catch(() => undefined)) !== undefined;
  if (isThere && (await hasWindowsLines(resolve(cwd, command)))) return windowsLines(thrown, command);
  const why = isThere ? "is there, but the program that its first line names is not" : "was not found";
  return new CallError({
    category: "unavailable",
    code: "TOOL_MISSING",
    message: `The command ${told(command)} ${why}.`,
    recoverable: false,
    suggestedAction: isThere
      ? "Install the program of its first line, or name another one before the file."
      : "Install it, or give its full path; a name without a path is looked for in PATH.",
    details: { command },
    cause: thrown,
  });
}

async function hasWindowsLines(file: string): Promise<boolean> {
  const text = await readFile(file, "latin1").catch(() => "");
  return /^#!.*\r\n/.test(text);
}

/** The system looks for a program whose name ends in CR. */
function windowsLines(thrown: unknown, command: string): CallError {
  return new CallError({
    category: "unavailable",
    code: "TOOL_MISSING",
    message: `The command ${told(command)} cannot be started: its lines end in CR LF, as on Windows.`,
    recoverable: false,
    suggestedAction: "Save the file with the line ends of Unix (LF).",
    details: { command },
    cause: thrown,
  });
}
