import { stat } from "node:fs/promises";
import { extname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CallError } from "../../envelope/call-error.js";
import { messageOf } from "../../json/attempt.js";
import { resolveQuestion } from "./hooks.js";
import { importTarget } from "./import-target.js";
import { installHooks } from "./install-hooks.js";

/** The address of a module's file: what a path means, or what Node takes for a package. */
export async function locateModule(module: string | URL, cwd: string): Promise<string> {
  const url = isPath(module) ? urlOfPath(module, cwd) : await urlOfPackage(String(module), cwd);
  const file = fileURLToPath(url);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined)
    throw refusal(`There is no file ${file}`, "Correct the option module; its path begins at cwd.", "not_found");
  if (found.isDirectory()) throw refusal(`${file} is a folder`, "Name a file in it.");
  if (!EXTENSIONS.includes(extname(file)))
    throw refusal(`${file} is no module`, `Name a file that ends in ${EXTENSIONS.join(", ")}.`);
  return url;
}

const EXTENSIONS = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

function isPath(module: string | URL): boolean {
  return module instanceof URL || /^\.{1,2}(?:[\\/]|$)|^file:/.test(module) || isAbsolute(module);
}

function urlOfPath(module: string | URL, cwd: string): string {
  const isUrl = module instanceof URL || module.startsWith("file:");
  const url = isUrl ? new URL(module) : pathToFileURL(resolve(cwd, module));
  return (importTarget(url.href, undefined) ?? url).href;
}

async function urlOfPackage(name: string, cwd: string): Promise<string> {
  installHooks();
  const parent = pathToFileURL(join(resolve(cwd), "plico.js")).href;
  const url: unknown = await import(resolveQuestion(name, parent)).then(
    (found) => found.url,
    (thrown) => {
      const advice = `Install it, or write ./${name} for a file.`;
      throw refusal(`The package ${name} is not found from ${resolve(cwd)}`, advice, "not_found", thrown);
    },
  );
  if (typeof url === "string" && url.startsWith("file:")) return url;
  throw refusal(`${name} is no file and no package`, "Name a path such as ./math.ts, a file: URL, or a package.");
}

function refusal(what: string, advice: string, category = "validation", cause?: unknown): CallError {
  // The file in whose name Node is asked does not exist.
  const why = cause === undefined ? "" : `: ${messageOf(cause).replace(/ imported from .*$/, "")}`;
  return new CallError({
    category,
    code: "MODULE_FAILED",
    recoverable: false,
    message: `${what}${why}${why.endsWith(".") ? "" : "."}`,
    suggestedAction: advice,
    cause,
  });
}
