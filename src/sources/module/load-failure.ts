import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CallError } from "../../envelope/call-error.js";
import { messageOf, orElse } from "../../json/attempt.js";
import { compact, isRecord, isString } from "../../json/value.js";
import { withoutGenerations } from "./generation.js";
import { stripTypes } from "./swc.js";
import { syntaxErrorAt } from "./typescript-file.js";

/** Why a module could not be loaded, for the one who writes it: the place in its files, and no stack of Node's own. */
export function loadFailure(thrown: unknown, module: string, files: readonly string[]): CallError {
  const { name, code } = isRecord(thrown) ? thrown : {};
  if (isString(code) && MISSING.includes(code)) return missing(thrown, module);
  return name === "SyntaxError" ? broken(thrown, module, files) : failed(thrown, module);
}

const MISSING = [
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_PACKAGE_PATH_NOT_EXPORTED",
  "ERR_UNSUPPORTED_DIR_IMPORT",
];

function missing(thrown: unknown, module: string): CallError {
  const [what = ""] = words(thrown).split("\nRequire stack:");
  if (what.includes(`'${module}' imported from`)) return gone(thrown, module);
  return new CallError({
    ...COMMON,
    category: "not_found",
    message: `${module} cannot be loaded: ${what}.`,
    suggestedAction: "Correct the import, or install the package; paths of imports end in the name of a file.",
    cause: thrown,
  });
}

/** It was there when the source was opened; who imports it is Plico. */
function gone(thrown: unknown, module: string): CallError {
  return new CallError({
    ...COMMON,
    category: "not_found",
    message: `There is no file ${module} any more.`,
    suggestedAction: "Put it back, or close the source.",
    cause: thrown,
  });
}

function broken(thrown: unknown, module: string, files: readonly string[]): CallError {
  const place = placeIn(thrown) ?? placeIn(findFault(files));
  const at = place === undefined ? "" : ` in ${place.file}, line ${place.line}`;
  const shown = place === undefined ? "" : `\n${place.snippet}`;
  const isType = /does not provide an export named/.test(words(thrown));
  return new CallError({
    ...COMMON,
    category: "validation",
    message: `${module} cannot be loaded: ${place?.message ?? words(thrown)}${at}.${shown}`,
    ...(isType && { suggestedAction: "Export it there, or write `import type` where it is only a type." }),
    ...(place !== undefined && { details: { file: place.file, line: place.line, snippet: place.snippet } }),
    cause: thrown,
  });
}

function failed(thrown: unknown, module: string): CallError {
  const place = frameIn(thrown);
  const name = isRecord(thrown) && isString(thrown["name"]) ? `${thrown["name"]}: ` : "";
  const at = place === undefined ? "" : ` (${place.file}, line ${place.line})`;
  return new CallError({
    ...COMMON,
    category: "execution",
    message: `${module} threw while it was loaded: ${name}${words(thrown)}${at}.`,
    ...compact({ details: place }),
    cause: thrown,
  });
}

const COMMON = { code: "MODULE_FAILED", recoverable: false } as const;

function words(thrown: unknown): string {
  return withoutGenerations(messageOf(thrown)).replace(/\.$/, "");
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/** Node shows the place of most syntax errors before their stack. */
function placeIn(thrown: unknown): (Place & { readonly snippet: string; readonly message: string }) | undefined {
  const shown = /^(?<file>.+?):(?<line>\d+)(?::\d+)?\n(?<snippet>[\s\S]*?)\n+SyntaxError/.exec(stackOf(thrown));
  const { file, line, snippet } = shown?.groups ?? {};
  if (file === undefined || snippet === undefined) return undefined;
  return { file: pathOf(file), line: Number(line), snippet, message: words(thrown) };
}

/** Of those in modules it shows none: then the files are read once more for it. */
function findFault(files: readonly string[]): SyntaxError | undefined {
  for (const file of [...files].reverse()) {
    const text = orElse(() => readFileSync(file, "utf8"), "");
    const fault = /\.[cm]?[jt]s$/.test(file) ? stripTypes(text, { file, isModule: true }) : "";
    if (typeof fault !== "string" && !fault.isUnsupported) return syntaxErrorAt(file, fault);
  }
  return undefined;
}

const FRAME = /(?:\(|at (?:async )?)(?<file>(?:file:\/\/|\/|[A-Z]:\\)[^()\n]*?):(?<line>\d+):\d+\)?$/gm;

/** The innermost call in a file of the user. */
function frameIn(thrown: unknown): Place | undefined {
  const frames = stackOf(thrown).matchAll(FRAME);
  for (const { groups: { file = "", line } = {} } of frames)
    if (!file.includes("/node_modules/")) return { file: pathOf(file), line: Number(line) };
  return undefined;
}

function stackOf(thrown: unknown): string {
  const stack = orElse(() => (isRecord(thrown) ? thrown["stack"] : ""), "");
  return isString(stack) ? withoutGenerations(stack) : "";
}

function pathOf(file: string): string {
  return file.startsWith("file:") ? orElse(() => fileURLToPath(file), file) : file;
}
