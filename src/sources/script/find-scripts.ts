import { resolve } from "node:path";
import type { Warning } from "../../envelope/warning.js";
import { messageOf } from "../../json/attempt.js";
import { told } from "../../json/told.js";
import { describeScript } from "./describe-script.js";
import { environmentOf } from "./environment.js";
import type { FoundScript } from "./operation-from-script.js";
import { type ScriptOptions, type Settings, scriptOptionsIn } from "./options.js";
import { type ScriptFile, scriptsIn } from "./script-directory.js";
import { commandOfFile, scriptName } from "./script-file.js";

export interface FoundScripts {
  readonly scripts: readonly FoundScript[];
  readonly warnings: readonly Warning[];
}

/** The scripts that the options of a source lead to, with what they say of themselves. */
export async function findScripts(settings: Settings, signal: AbortSignal): Promise<FoundScripts> {
  const { directory, file, cwd } = settings;
  if (directory !== undefined) return scriptsOfDirectory(resolve(cwd, directory), settings, signal);
  const command = file === undefined ? (settings.command ?? []) : await commandOfFile(file, { cwd });
  const options = scriptOptionsIn(settings);
  const candidate = { ...(await scriptName(command, { cwd })), command, options };
  return unlessTaken([await described(candidate, settings, signal)]);
}

interface Candidate {
  readonly name: string;
  readonly command: readonly string[];
  readonly file?: string;
  readonly options: ScriptOptions;
}

interface Described {
  readonly script?: FoundScript;
  readonly warnings: readonly Warning[];
}

async function described({ file, ...script }: Candidate, settings: Settings, signal: AbortSignal): Promise<Described> {
  const { cwd, startTimeout: timeout, graceMs } = settings;
  const { command, options } = script;
  const env = environmentOf(settings);
  const when = options.describe;
  const { description, warning } = await describeScript({ command, file, cwd, env, timeout, graceMs, signal, when });
  return { script: { ...script, description }, warnings: warning === undefined ? [] : [warning] };
}

async function scriptsOfDirectory(directory: string, settings: Settings, signal: AbortSignal): Promise<FoundScripts> {
  const files = await scriptsIn(directory);
  const all: Described[] = [];
  const rest = files.entries();
  const work = async (): Promise<void> => {
    // All of them take from the same list, so that no more than these programs run at the same time.
    for (const [at, file] of rest) all[at] = await scriptOfFile(file, settings, signal);
  };
  await Promise.all(Array.from({ length: Math.min(settings.concurrency, files.length) }, work));
  const found = unlessTaken(all);
  return { scripts: found.scripts, warnings: [...found.warnings, ...unused(directory, files, settings)] };
}

/** One that cannot be used keeps no other one out. */
async function scriptOfFile(
  { name, fileName, path, warning }: ScriptFile,
  settings: Settings,
  signal: AbortSignal,
): Promise<Described> {
  const options = scriptOptionsIn(settings, fileName);
  const warnings = warning === undefined || options.operation !== undefined ? [] : [warning];
  try {
    const command = await commandOfFile(path, settings);
    const found = await described({ name, command, file: path, options }, settings, signal);
    return { ...found, warnings: [...warnings, ...found.warnings] };
  } catch (thrown) {
    return { warnings: [...warnings, { code: "OPERATION_SKIPPED", message: messageOf(thrown) }] };
  }
}

function unlessTaken(all: readonly Described[]): FoundScripts {
  const scripts = new Map<string, FoundScript>();
  const warnings = all.flatMap((one) => one.warnings);
  for (const { script } of all) {
    if (script === undefined) continue;
    const name = script.options.operation ?? script.name;
    const other = scripts.get(name);
    if (other === undefined) scripts.set(name, script);
    else warnings.push(taken(name, script.command, other.command));
  }
  return { scripts: [...scripts.values()], warnings };
}

function taken(name: string, command: readonly string[], other: readonly string[]): Warning {
  const message = `The script ${told(command.at(-1))} is left out: ${told(other.at(-1))} is called ${name} already.`;
  return { code: "OPERATION_SKIPPED", message };
}

/** A name that was misspelt would else go unnoticed. */
function unused(directory: string, files: readonly ScriptFile[], { scripts = {} }: Settings): readonly Warning[] {
  const names = new Set(files.map(({ fileName }) => fileName));
  return Object.keys(scripts)
    .filter((fileName) => !names.has(fileName))
    .map((fileName) => ({
      code: "OPERATION_SKIPPED",
      message: `The option scripts names ${told(fileName)}, which is no executable file in ${told(directory)}.`,
    }));
}
