import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { orElse } from "../../json/attempt.js";

/** The file that an import by a path means, which may not exist; none for packages and for what is in `node_modules`. */
export function importTarget(specifier: string, parentUrl: string | undefined): URL | undefined {
  const isPath = /^\.{0,2}\//.test(specifier) || specifier.startsWith("file:");
  if (!isPath || !URL.canParse(specifier, parentUrl)) return undefined;
  const target = new URL(specifier, parentUrl);
  return isOwnFile(target.href) ? withTypeScript(target) : undefined;
}

/** A file of the user, and none that was installed. */
export function isOwnFile(url: string): boolean {
  return url.startsWith("file:") && !url.includes("/node_modules/");
}

export function fileOf(url: string | URL): string | undefined {
  return orElse(() => fileURLToPath(url), undefined);
}

/** TypeScript writes `./x.js` for what will be one: where there is only `x.ts`, that is meant. */
function withTypeScript(target: URL): URL {
  if (!/\.[cm]?js$/.test(target.pathname) || isThere(target)) return target;
  const typed = new URL(target);
  typed.pathname = target.pathname.replace(/js$/, "ts");
  return isThere(typed) ? typed : target;
}

function isThere(url: URL): boolean {
  const file = fileOf(url);
  return file !== undefined && existsSync(file);
}
