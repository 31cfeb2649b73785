import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { orElse } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";
import { type SyntaxFault, stripTypes } from "./swc.js";

interface JavaScript {
  readonly format: "module" | "commonjs";
  readonly source: string;
}

export function isTypeScript(file: string): boolean {
  return /\.[cm]?ts$/.test(file);
}

/** A file in TypeScript as JavaScript. Throws a `SyntaxError` that shows the place. */
export function readTypeScript(file: string): JavaScript {
  const text = readFileSync(file, "utf8");
  const type = typeOf(file);
  if (type !== undefined) return javaScript(text, file, type);
  // Then its syntax tells. That also counts more than a package of commonjs, as `npm init` writes it for those who never asked.
  const asScript = stripped(text, file, "commonjs");
  return "source" in asScript ? asScript : javaScript(text, file, "module");
}

/** The same, but only where Node itself would refuse the file: there is more in it than types, or its package is another. */
export function readRefusedTypeScript(file: string): JavaScript | undefined {
  const text = readFileSync(file, "utf8");
  if (isModuleInScripts(file, text)) return readTypeScript(file);
  if (!MAY_BE_REFUSED.test(text)) return undefined;
  const plain = stripTypes(text, { file, isModule: true });
  return typeof plain !== "string" && plain.isUnsupported ? readTypeScript(file) : undefined;
}

const MAY_BE_REFUSED = /\b(?:enum|namespace|module|constructor)\b|\bimport\s+\w+\s*=|\bexport\s*=/;

function javaScript(text: string, file: string, format: JavaScript["format"]): JavaScript {
  const made = stripped(text, file, format);
  if ("source" in made) return made;
  throw syntaxErrorAt(file, made);
}

function stripped(text: string, file: string, format: JavaScript["format"]): JavaScript | SyntaxFault {
  const isModule = format === "module" || ASSIGNS_MODULES.test(text);
  const plain = stripTypes(text, { file, isModule });
  const made =
    typeof plain !== "string" && plain.isUnsupported ? stripTypes(text, { file, isModule, isRewritten: true }) : plain;
  return typeof made === "string" ? { format, source: made } : made;
}

/** `import fs = require("fs")` and `export = …` are CommonJS, and read as such only among modules. */
const ASSIGNS_MODULES = /^\s*(?:import\s+\w+\s*=\s*require\b|export\s*=)/m;

/** As Node writes it, so that both are read in the same way. */
export function syntaxErrorAt(file: string, { message, line, column, snippet }: SyntaxFault): SyntaxError {
  const error = new SyntaxError(message);
  error.stack = `${file}:${line}:${column}\n${snippet}\n\nSyntaxError: ${message}`;
  return error;
}

function typeOf(file: string): JavaScript["format"] | undefined {
  const extension = extname(file);
  if (extension === ".mts") return "module";
  if (extension === ".cts") return "commonjs";
  return packageType(dirname(file)) === "module" ? "module" : undefined;
}

function isModuleInScripts(file: string, text: string): boolean {
  return extname(file) === ".ts" && /^\s*(?:import|export)\b/m.test(text) && packageType(dirname(file)) === "commonjs";
}

function packageType(folder: string): unknown {
  const manifest = join(folder, "package.json");
  if (existsSync(manifest)) {
    const read: unknown = orElse(() => JSON.parse(readFileSync(manifest, "utf8")), undefined);
    return isRecord(read) ? read["type"] : undefined;
  }
  return dirname(folder) === folder ? undefined : packageType(dirname(folder));
}
