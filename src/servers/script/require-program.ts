import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CallError } from "../../envelope/call-error.js";
import { orElse } from "../../json/attempt.js";

/** Throws where a program is not installed: in no folder of PATH, or not where its path says. */
export function requireProgram(program: string, hint: string = `Install ${program}.`): void {
  if (hasProgram(program)) return;
  throw toolMissing(program, hint);
}

export function toolMissing(program: string, hint: string, cause?: unknown): CallError {
  return new CallError({
    category: "unavailable",
    code: "TOOL_MISSING",
    message: `The program ${program} is needed and was not found.`,
    // What is not installed will not be there at the next try either.
    recoverable: false,
    suggestedAction: hint,
    cause,
  });
}

export function hasProgram(program: string, env: NodeJS.ProcessEnv = process.env): boolean {
  if (program === "") return false;
  const endings = process.platform === "win32" ? ["", ...(env["PATHEXT"] ?? ".EXE;.CMD;.BAT;.COM").split(";")] : [""];
  const isPath = program.includes("/") || (process.platform === "win32" && program.includes("\\"));
  const folders = isPath ? [undefined] : (env["PATH"] ?? env["Path"] ?? "").split(delimiter);
  return folders.some((folder) => endings.some((ending) => isProgram(within(folder, program + ending))));
}

/** An empty entry of PATH is the current folder. */
function within(folder: string | undefined, name: string): string {
  return folder === undefined ? name : join(folder === "" ? "." : folder, name);
}

function isProgram(file: string): boolean {
  return orElse(() => {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  }, false);
}
