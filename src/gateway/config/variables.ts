import { basename, sep } from "node:path";
import type { Issue } from "../../json/issue.js";
import { type JsonPointer, pointerTo } from "../../json/pointer.js";
import { isRecord, type JsonRecord, setField } from "../../json/value.js";
import { isTrivial } from "./secret-words.js";
import { isSecret } from "./source-secrets.js";

export interface VariablesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What `${workspaceFolder}` stands for. */
  readonly folder: string;
  /** Of other programs `$$` is no sign, but two dollars. */
  readonly hasEscapes: boolean;
}

/** Fills in the variables of a document, and remembers what came from them. */
export interface Variables {
  /** The same object where there are none. */
  fill(value: unknown, pointer: JsonPointer): unknown;
  readonly issues: readonly Issue[];
  /** Values that must not be printed. */
  readonly secrets: ReadonlySet<string>;
  /** The places that are one variable and nothing else, so that they may stand for a number too. */
  readonly whole: ReadonlySet<JsonPointer>;
}

export function createVariables(options: VariablesOptions): Variables {
  return new Filler(options);
}

/** The rule that a variable breaks which is not set, or which only an editor can ask for. */
export const UNSET = "unset";

const REFERENCE = /\$\$|\$\{([^}]*)(\}?)/g;
const NAME = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

class Filler implements Variables {
  readonly issues: Issue[] = [];
  readonly secrets: Set<string> = new Set<string>();
  readonly whole: Set<JsonPointer> = new Set<JsonPointer>();
  readonly #options: VariablesOptions;

  constructor(options: VariablesOptions) {
    this.#options = options;
  }

  fill(value: unknown, pointer: JsonPointer): unknown {
    if (typeof value === "string") return value.includes("$") ? this.#text(value, pointer) : value;
    if (Array.isArray(value)) {
      const items = value.map((item, at) => this.fill(item, pointer + pointerTo(at)));
      return items.every((item, at) => item === value[at]) ? value : items;
    }
    return isRecord(value) ? this.#record(value, pointer) : value;
  }

  #record(record: JsonRecord, pointer: JsonPointer): JsonRecord {
    const copy: JsonRecord = {};
    let isSame = true;
    for (const [name, value] of Object.entries(record)) {
      const filled = this.fill(value, pointer + pointerTo(name));
      isSame &&= filled === value;
      setField(copy, name, filled);
    }
    return isSame ? record : copy;
  }

  #text(text: string, pointer: JsonPointer): string {
    if (/^\$\{[^}]*\}$/.test(text)) this.whole.add(pointer);
    return text.replaceAll(REFERENCE, (written, inside: string | undefined, close: string | undefined) => {
      if (inside === undefined) return this.#options.hasEscapes ? "$" : written;
      if (close === "") return this.#refuse(pointer, `has \${ without a }${this.#escapeHint()}`, written);
      return this.#valueOf(inside, pointer, written);
    });
  }

  #valueOf(inside: string, pointer: JsonPointer, written: string): string {
    const known = this.#known(inside);
    if (known !== undefined) return known;
    const [, name, instead] = NAME.exec(inside) ?? [];
    if (name === undefined)
      return this.#refuse(pointer, this.#fault(inside), written, inside.startsWith("input:") ? UNSET : "variable");
    const value = this.#options.env[name];
    if (value !== undefined && (value !== "" || instead === undefined)) {
      if (!isTrivial(value) && isSecret(name, value)) this.secrets.add(value);
      return value;
    }
    if (instead !== undefined) return instead;
    const advice = `set it, or give a default: \${${name}:-…}`;
    const message = `needs the environment variable ${name}, which is not set; ${advice}`;
    return this.#refuse(pointer, message, written, UNSET);
  }

  /** What VS Code and Cursor fill in themselves. */
  #known(inside: string): string | undefined {
    const { env, folder } = this.#options;
    if (inside === "workspaceFolder" || inside === "workspaceRoot") return folder;
    if (inside === "workspaceFolderBasename") return basename(folder);
    if (inside === "userHome") return env["HOME"] ?? env["USERPROFILE"];
    return inside === "/" || inside === "pathSeparator" ? sep : undefined;
  }

  #fault(inside: string): string {
    const [, input] = /^input:(.*)$/s.exec(inside) ?? [];
    if (input === undefined)
      return `has \${${inside}}, which is no variable; a variable is written \${NAME} or \${NAME:-default}${this.#escapeHint()}`;
    const name = variableName(input);
    return `has \${${inside}}, which only an editor can ask for; set an environment variable and write \${${name}}`;
  }

  #escapeHint(): string {
    return this.#options.hasEscapes ? "; a plain ${ is written $${" : "";
  }

  #refuse(pointer: JsonPointer, message: string, written: string, rule: string = "variable"): string {
    this.issues.push({ path: pointer, message, rule });
    return written;
  }
}

/** A name that a variable can have: `github-token` and `githubToken` are `GITHUB_TOKEN`, and `GitHub` is `GITHUB`. */
export function variableName(...words: readonly string[]): string {
  const name = words
    .map((word) => (/^[A-Z]/.test(word) ? word : word.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")))
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  return /^[A-Z]/.test(name) ? name : `VALUE_${name}`;
}
