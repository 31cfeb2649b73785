import { readFileSync } from "node:fs";
import { isThenable, orElse } from "../../json/attempt.js";
import { generationOf, withGeneration } from "./generation.js";
import { fileOf, importTarget, isOwnFile } from "./import-target.js";
import { isTypeScript, readRefusedTypeScript, readTypeScript } from "./typescript-file.js";

/** A file of the user that a module wants, and what was in it when it was read. */
export interface Sighting {
  /** Empty for what is not loaded anew. */
  readonly generation: string;
  readonly file: string;
  readonly fingerprint?: string;
}

interface HookOptions {
  readonly report: (sighting: Sighting) => void;
  /** Whether Node strips types itself. */
  readonly isNative: boolean;
}

interface ResolveContext {
  readonly parentURL?: string | undefined;
  readonly conditions?: readonly string[];
}

interface Resolved {
  readonly url: string;
  readonly format?: string | null | undefined;
  readonly shortCircuit?: boolean | undefined;
}

interface Loaded {
  readonly format: string | null | undefined;
  readonly source?: unknown;
  readonly shortCircuit?: boolean | undefined;
}

/** Node calls them at once in the thread of the module, or from another thread and waits. */
type Soon<T> = T | Promise<T>;
type NextResolve = (specifier: string, context: ResolveContext) => Soon<Resolved>;
type NextLoad = (url: string, context: object) => Soon<Loaded>;

export interface Hooks {
  resolve(specifier: string, context: ResolveContext, next: NextResolve): Soon<Resolved>;
  load(url: string, context: object, next: NextLoad): Soon<Loaded>;
}

/** What Node asks for each import: TypeScript where it knows none, and files anew where their generation is another. */
export function importHooks({ report, isNative }: HookOptions): Hooks {
  return {
    resolve(specifier, context, next) {
      if (specifier.startsWith(QUESTION)) return answer(specifier, context, next);
      const target = importTarget(specifier, context.parentURL);
      if (target === undefined && !specifier.startsWith("#")) return next(specifier, context);
      const generation = generationOf(context.parentURL);
      const file = target === undefined ? undefined : fileOf(target);
      // Also one that does not exist: when it comes, the module can be loaded.
      if (generation !== undefined && file !== undefined) report({ generation, file });
      return after(next(askedFor(specifier, file), context), (found) =>
        generation === undefined || isRequired(context) || !isOwnFile(found.url)
          ? found
          : { ...found, url: withGeneration(found.url, generation) },
      );
    },
    load(url, context, next) {
      const file = isOwnFile(url) ? fileOf(url) : undefined;
      if (file === undefined) return next(url, context);
      report({ generation: generationOf(url) ?? "", file, fingerprint: fingerprintOf(file) });
      const made = isTypeScript(file) ? (isNative ? readRefusedTypeScript : readTypeScript)(file) : undefined;
      return made === undefined ? next(url, context) : { ...made, shortCircuit: true };
    },
  };
}

/** What tells one content of a file from another; empty where there is no file. */
export function fingerprintOf(file: string): string {
  // Loaded here, because most modules are neither watched nor in TypeScript, and it takes a while.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return orElse(() => createHash("sha256").update(readFileSync(file)).digest("base64"), "");
}

const QUESTION = "plico-resolve:";

/** An import of this gives the address of what is imported by a name at a place, by Node's own rules for imports. */
export function resolveQuestion(specifier: string, parentUrl: string): string {
  return `${QUESTION}${encodeURIComponent(JSON.stringify([specifier, parentUrl]))}`;
}

function answer(question: string, context: ResolveContext, next: NextResolve): Soon<Resolved> {
  const [specifier, parentURL] = JSON.parse(decodeURIComponent(question.slice(QUESTION.length)));
  return after(next(specifier, { ...context, parentURL }), ({ url }) => ({
    url: `data:text/javascript,${encodeURIComponent(`export const url = ${JSON.stringify(url)};`)}`,
    format: "module",
    shortCircuit: true,
  }));
}

function askedFor(specifier: string, file: string | undefined): string {
  return file !== undefined && isTypeScript(file) ? specifier.replace(/js(?=$|[?#])/, "ts") : specifier;
}

/** CommonJS knows files by their paths only; what is required is taken out of its cache instead. */
function isRequired({ conditions = [] }: ResolveContext): boolean {
  return conditions.includes("require");
}

function after<T, U>(value: Soon<T>, then: (value: T) => U): Soon<U> {
  return isThenable(value) ? (value as Promise<T>).then(then) : then(value as T);
}
