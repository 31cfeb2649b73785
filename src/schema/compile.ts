import { orElse } from "../json/attempt.js";
import type { Issue } from "../json/issue.js";
import type { JsonSchema } from "../json/json-schema.js";
import { castValue } from "./cast.js";
import { Changes } from "./changes.js";
import { type Check, generateCheck } from "./check-code.js";
import { canGenerate } from "./code.js";
import { CodeWorth } from "./code-worth.js";
import { Evaluator } from "./evaluate.js";
import { type Fault, loadSchema } from "./load.js";
import { isAnything, type Node } from "./node.js";
import { generateNormalise, type Normalise } from "./normalise-code.js";
import { NormaliseWalk } from "./normalise-walk.js";
import type { Documents } from "./resources.js";
import type { SchemaWarning } from "./site.js";
import { type Excess, excessFromLeft, type SizeLimits, sizeLeft } from "./size.js";
import { generateMeasure, isKnown, type Measure, measureNothing } from "./size-code.js";
import { type AnySchema, readSchema, type SchemaSide } from "./standard-schema.js";

/** A schema that is ready for use. */
export interface CompiledSchema {
  readonly schema: JsonSchema;
  /** `SCHEMA_UNSUPPORTED`, for each part of the schema that could not be used and accepts anything. */
  readonly warnings: readonly SchemaWarning[];
  /** Whether every value matches, so that there is nothing to check. */
  readonly acceptsAll: boolean;
  /** Whether the schema says of all that it names what it is, so that only the whole of a value can exceed a limit. */
  readonly isKnown: boolean;
  accepts(value: unknown): boolean;
  /** What is wrong with a value, each fault with its place. Empty when the value matches. */
  issues(value: unknown): readonly Issue[];
  normalise(value: unknown, options?: NormaliseOptions): Normalised;
  /** Which limit a value that matches exceeds, if any. Only what the schema says nothing about counts, unless `whole`. */
  excess(value: unknown, limits: SizeLimits, whole: boolean): Excess | undefined;
}

export interface NormaliseOptions {
  /**
   * Replace what still does not match by a default or an empty value.
   * @default false
   */
  readonly cast?: boolean;
}

export interface Normalised {
  /** The same object where nothing was to be changed. */
  readonly value: unknown;
  readonly isValid: boolean;
  /** What was changed, and what still does not match. Equal changes at places of one shape are one, with a count. */
  readonly warnings: readonly SchemaWarning[];
}

export interface CompileOptions {
  /**
   * What a Standard Schema takes in or puts out; the others have one side only.
   * @default "output"
   */
  readonly side?: SchemaSide;
  /** Other documents by their address, to which references may lead. None is ever fetched. */
  readonly documents?: Documents;
  /**
   * Generated code is many times faster, but takes time to make: by default it is made once a schema is used often
   * enough, with `true` at its first use. Where the runtime forbids it, and with `false`, the schema is walked instead.
   */
  readonly generate?: boolean;
}

/**
 * Makes a schema ready for use, once for each schema object. A part that is broken or not supported accepts anything
 * and is named in `warnings`; only a value that is no schema at all throws a `TypeError`.
 */
export function compile(schema: AnySchema, options: CompileOptions = {}): CompiledSchema {
  const { side = "output", documents, generate } = options;
  const isObject = typeof schema === "object" || typeof schema === "function";
  const key = isObject && documents === undefined && generate === undefined ? (schema as object) : undefined;
  const known = key === undefined ? undefined : COMPILED[side].get(key);
  if (known !== undefined) return known;
  const { json, lacking } = readSchema(schema, side);
  const compiled = new Compiled(json, documents, generate, lacking === undefined ? [] : [inWords(lacking)]);
  if (key !== undefined) COMPILED[side].set(key, compiled);
  return compiled;
}

const COMPILED: Readonly<Record<SchemaSide, WeakMap<object, CompiledSchema>>> = {
  input: new WeakMap(),
  output: new WeakMap(),
};

/** What is wrong with a value. */
export function check(schema: AnySchema, value: unknown): readonly Issue[] {
  return compile(schema).issues(value);
}

/** The value without what the schema does not name, with its defaults, and with what can be converted without loss. */
export function normalise(schema: AnySchema, value: unknown, options?: NormaliseOptions): Normalised {
  return compile(schema).normalise(value, options);
}

const NONE: readonly SchemaWarning[] = Object.freeze([]);

class Compiled implements CompiledSchema {
  readonly schema: JsonSchema;
  readonly warnings: readonly SchemaWarning[];
  readonly acceptsAll: boolean;
  readonly #root: Node;
  readonly #evaluator: Evaluator;
  readonly #changes = new Changes();
  readonly #walk: NormaliseWalk;
  readonly #documents: Documents | undefined;
  /** Absent where the schema is always walked. */
  readonly #worth: CodeWorth | undefined;
  #check: Check | undefined;
  #measure: Measure | undefined;
  #measureAll: Measure | undefined;
  #normalise: Normalise | undefined;
  #isKnown: boolean | undefined;
  #isBusy = false;

  constructor(
    schema: JsonSchema,
    documents: Documents | undefined,
    generate: boolean | undefined,
    known: readonly SchemaWarning[] = NONE,
  ) {
    const { graph, faults } = loadSchema(schema, documents);
    this.schema = schema;
    this.warnings = faults.length === 0 && known.length === 0 ? NONE : [...known, ...warningsOf(faults)];
    this.acceptsAll = isAnything(graph.root);
    this.#root = graph.root;
    this.#evaluator = new Evaluator(graph);
    this.#walk = new NormaliseWalk(this.#evaluator, this.#changes);
    this.#documents = documents;
    // What a dynamic reference means depends on the way by which it was reached: only the walk knows it.
    if (generate !== false && graph.dynamicAnchors.size === 0)
      this.#worth = new CodeWorth(generate === true ? 0 : graph.nodes.length, graph.alternatives);
  }

  get isKnown(): boolean {
    // Schemas may chain deeper than the stack.
    this.#isKnown ??= orElse(() => isKnown(this.#root), false);
    return this.#isKnown;
  }

  accepts(value: unknown): boolean {
    try {
      return (this.#check ?? this.#checkFor(value))(value);
    } catch (thrown) {
      // Too deep for the stack.
      if (thrown instanceof RangeError) return false;
      throw thrown;
    }
  }

  #checkFor(value: unknown): Check {
    const walk: Check = (given) => this.#evaluator.accepts(this.#root, given);
    if (!this.#isWorthCode(value)) return walk;
    // A schema for which no code can be made still works.
    this.#check = orElse(() => generateCheck(this.#root, this.#evaluator), walk);
    return this.#check;
  }

  #isWorthCode(value: unknown): boolean {
    return this.#worth?.isReachedBy(value) === true && canGenerate();
  }

  excess(value: unknown, { depth, size }: SizeLimits, whole: boolean): Excess | undefined {
    if (whole) this.#measureAll ??= this.#makeMeasure(true);
    else this.#measure ??= this.#makeMeasure(false);
    const measure = (whole ? this.#measureAll : this.#measure) as Measure;
    if (measure === measureNothing) return undefined;
    const left = measure(value, depth, size);
    return left >= 0 ? undefined : excessFromLeft(left);
  }

  /** Always at once: what is measured is not the same where it is walked. */
  #makeMeasure(whole: boolean): Measure {
    const walked = whole || !this.isKnown ? sizeLeft : measureNothing;
    const generates = this.#worth !== undefined && canGenerate();
    return generates ? orElse(() => generateMeasure(this.#root, whole), walked) : walked;
  }

  issues(value: unknown): readonly Issue[] {
    return this.accepts(value) ? [] : this.#evaluator.issues(this.#root, value);
  }

  normalise(value: unknown, options?: NormaliseOptions): Normalised {
    // A getter in the value may normalise with the same schema; it must not disturb the report that is being made.
    if (this.#isBusy) return new Compiled(this.schema, this.#documents, false).normalise(value, options);
    const changes = this.#changes;
    this.#isBusy = true;
    try {
      const result = (this.#normalise ?? this.#normaliseFor(value))(value);
      const isClean = changes.isEmpty && !changes.isBad;
      const normalised = isClean ? { value: result, isValid: true, warnings: NONE } : this.#told(result, options);
      this.#isBusy = false;
      return normalised;
    } catch (thrown) {
      // The value cannot be looked at; the next one must not hear of it.
      this.#isBusy = false;
      changes.end();
      this.#walk.end();
      throw thrown;
    }
  }

  #normaliseFor(value: unknown): Normalise {
    const walk: Normalise = (given) => this.#walk.run(this.#root, given);
    if (!this.#isWorthCode(value)) return walk;
    this.#normalise = orElse(() => generateNormalise(this.#root, this.#evaluator, this.#walk, this.#changes), walk);
    return this.#normalise;
  }

  /** The result with what is to be said of it. */
  #told(normalised: unknown, options: NormaliseOptions | undefined): Normalised {
    const changes = this.#changes;
    let result = normalised;
    if (changes.mayRepeat) changes.fold();
    if (changes.isBad && options?.cast === true) result = this.#cast(result);
    // What one alternative refuses, another may accept.
    const issues = changes.isBad ? this.#evaluator.foldedIssues(this.#root, result) : undefined;
    if (changes.mayRepeat) this.#walk.end();
    const changed = changes.end();
    if (changes.strips.haveLearnt()) this.#normalise = undefined;
    if (issues === undefined || issues.length === 0) return { value: result, isValid: true, warnings: changed };
    return { value: result, isValid: false, warnings: [...changed, ...mismatches(issues)] };
  }

  #cast(value: unknown): unknown {
    const result = castValue(this.#root, value, this.#evaluator, this.#changes);
    this.#changes.isBad = !this.#evaluator.accepts(this.#root, result);
    return result;
  }
}

/** A schema of another library that JSON Schema cannot say completely. */
function inWords({ message }: TypeError): SchemaWarning {
  return {
    code: "SCHEMA_UNSUPPORTED",
    message: `${message.replace(/\.$/, "")}. This part accepts anything.`,
    path: "",
  };
}

/** The place of a fault is in the schema, not in the data. */
export function warningsOf(faults: readonly Fault[]): SchemaWarning[] {
  const named = faults.slice(0, 20).map(({ at, reason }) => ({
    code: "SCHEMA_UNSUPPORTED" as const,
    message: `In the schema at ${at === "" ? "its root" : at}: ${reason}. This part accepts anything.`,
    path: at,
  }));
  const more = faults.length - named.length;
  if (more === 0) return named;
  return [
    ...named,
    { code: "SCHEMA_UNSUPPORTED", message: `Further parts of the schema accept anything (${more}).`, count: more },
  ];
}

function mismatches(issues: readonly (Issue & { readonly count: number })[]): SchemaWarning[] {
  return issues.map(({ path, message, count }) => ({
    code: "OUTPUT_MISMATCH",
    message: count === 1 ? message : `${message} (${count} times; this is the first place)`,
    path,
    ...(count > 1 && { count }),
  }));
}
