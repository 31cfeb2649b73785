import { access, constants, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { hasProgram } from "../../servers/script/require-program.js";
import type { SourceConfig } from "../config/config.js";
import type { Finding } from "./finding.js";

/** Programs whose first argument is the file that they run. */
const RUNNERS = /^(node|bun|deno|tsx|python[\d.]*|ruby|perl|bash|sh|zsh)$/;

/** The files that a source's command names, and that cannot be run: a script is started only when it is called. */
export async function commandFindings(
  about: string,
  config: SourceConfig,
  folder: string,
): Promise<readonly Finding[]> {
  const { cwd } = config as { readonly cwd?: string };
  const from = cwd === undefined ? folder : resolve(folder, cwd);
  const found = await Promise.all(filesOf(config).map((file) => fileFinding(about, file, from)));
  return [...missingProgram(about, config), ...found.filter((finding) => finding !== undefined)];
}

/** A program without a path is looked for in PATH. */
function missingProgram(about: string, config: SourceConfig): readonly Finding[] {
  const [program = ""] = "script" in config && typeof config.script !== "string" ? config.script : [];
  if (program === "" || program.includes("/") || hasProgram(program)) return [];
  const message = `the program ${program} is not in PATH`;
  return [{ level: "fail", about, message, fix: "Install it, or give its full path." }];
}

interface NamedFile {
  readonly name: string;
  /** Whether it is started itself, and not by another program. */
  readonly isProgram: boolean;
}

function filesOf(config: SourceConfig): readonly NamedFile[] {
  if (!("script" in config)) return [];
  const { script } = config;
  if (typeof script === "string") return [{ name: script, isProgram: false }];
  const [program = "", argument = ""] = script;
  if (RUNNERS.test(program) && /^[^-].*\.\w+$/.test(argument)) return [{ name: argument, isProgram: false }];
  return program.includes("/") ? [{ name: program, isProgram: true }] : [];
}

async function fileFinding(about: string, { name, isProgram }: NamedFile, from: string): Promise<Finding | undefined> {
  const file = resolve(from, name);
  const shown = isAbsolute(name) ? name : `${name} (in ${from})`;
  const found = await stat(file).catch(() => undefined);
  if (found === undefined)
    return { level: "fail", about, message: `there is no file ${shown}`, fix: "Correct its path." };
  if (!isProgram || found.isDirectory() || (await mayRun(file))) return undefined;
  return { level: "fail", about, message: `${shown} is not executable`, fix: `chmod +x ${name}` };
}

function mayRun(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
