import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { orElse } from "../../json/attempt.js";

/** `import.meta`, or `module` where a script is loaded by `require`. */
export type MainModule = { readonly url: string } | { readonly filename: string; readonly exports: unknown };

/** Test runners and bundlers make modules of their own, which have no file. */
export function isModule(value: unknown): value is MainModule {
  return typeof value === "object" && value !== null && ("url" in value || "exports" in value);
}

/** Whether a module is the file that Node was started with: by whatever link, and with or without its extension. */
export function isMain(module: MainModule, started: string | undefined = process.argv[1]): boolean {
  const file = "url" in module ? orElse(() => fileURLToPath(module.url), undefined) : module.filename;
  if (started === undefined || file === undefined) return false;
  return realPath(file) === realPath(orElse(() => createRequire(started).resolve(started), started));
}

function realPath(file: string): string {
  return orElse(() => realpathSync(file), file);
}
