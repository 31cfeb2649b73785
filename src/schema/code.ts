import { isMultipleOf, lengthOf } from "./measures.js";
import { type Node, TYPE } from "./node.js";
import { isFieldHolder } from "./plain-object.js";

/** JavaScript that is being written: functions, and the values from outside that they use. */
export class Code {
  readonly #values: unknown[] = [];
  readonly #names = new Map<unknown, string>();
  readonly #functions: string[] = [];

  /** The name under which the code reaches a value that it cannot write down. */
  outside(value: unknown): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const name = `x${this.#values.push(value) - 1}`;
    this.#names.set(value, name);
    return name;
  }

  /** Adds a function, whose body may mention functions that are added later. */
  add(name: string, parameters: string, body: string): void {
    this.#functions.push(`function ${name}(${parameters}) {\n${body}\n}`);
  }

  /** The function that an expression of this code stands for. */
  build(expression: string): unknown {
    const values = this.#values.map((_, at) => `x${at}`);
    const source = `"use strict";\n${this.#functions.join("\n")}\nreturn ${expression};`;
    // Nothing of a schema or of data gets into the source but by JSON.stringify.
    return new Function(...values, source)(...this.#values);
  }
}

let allowed: boolean | undefined;

/** Some runtimes and content security policies forbid code that is made at run time. */
export function canGenerate(): boolean {
  allowed ??= (() => {
    try {
      return new Function("return true")() === true;
    } catch {
      return false;
    }
  })();
  return allowed;
}

/** A name or value as source. Line separators are legal in JSON but were not in older JavaScript. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

/** How a field is read. What every object inherits must be told from a field of its own. */
export function field(of: string, name: string): string {
  const read = `${of}[${literal(name)}]`;
  return INHERITED.has(name) ? `(Object.hasOwn(${of}, ${literal(name)}) ? ${read} : undefined)` : read;
}

/**
 * Objects of a class are left to the walk, because what they inherit is not data. The constructor is known with the
 * shape of the object, where asking for the prototype is a call; only an object whose prototype is itself a plain object
 * is taken for one.
 */
export function isPlainObject(value: string): string {
  return `(typeof ${value} === "object" && ${value} !== null && ${value}.constructor === Object)`;
}

/** What a schema says of a value without looking into it. */
export const LEAF_FIELDS: readonly (keyof Node)[] = [
  ...(["types", "values", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] as const),
  ...(["minLength", "maxLength", "pattern"] as const),
];

const OF_LEAF = new Set<string>([...LEAF_FIELDS, "id", "at", "resource", "isPlain", "default"]);

/** A schema that looks at the value only, not into it, and whose test is short enough to stand in a line. */
export function isLeaf(node: Node): boolean {
  if (Object.keys(node).some((key) => node[key as keyof Node] !== undefined && !OF_LEAF.has(key))) return false;
  return node.values === undefined || (node.values.length <= 32 && node.values.every(isScalar));
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** The test of a leaf as an expression; `true` where everything passes. */
export function leafTest(code: Code, node: Node, value: string): string {
  const { types, values } = node;
  const tests: string[] = [];
  if (values !== undefined)
    tests.push(`(${values.map((one) => `${value} === ${literal(one)}`).join(" || ") || "false"})`);
  if (types !== undefined) tests.push(typeTest(code, types, value));
  const number = numberTests(code, node, value);
  const text = textTests(code, node, value);
  if (number.length > 0)
    tests.push(guarded(`typeof ${value} !== "number"`, number, types === TYPE.number || types === TYPE.integer));
  if (text.length > 0) tests.push(guarded(`typeof ${value} !== "string"`, text, types === TYPE.string));
  return tests.length === 0 ? "true" : tests.join(" && ");
}

function guarded(other: string, tests: readonly string[], certain: boolean): string {
  return certain ? tests.join(" && ") : `(${other} || (${tests.join(" && ")}))`;
}

function typeTest(code: Code, types: number, value: string): string {
  const tests: string[] = [];
  if ((types & TYPE.string) !== 0) tests.push(`typeof ${value} === "string"`);
  if ((types & TYPE.number) === TYPE.number) tests.push(`(typeof ${value} === "number" && Number.isFinite(${value}))`);
  else if ((types & TYPE.integer) !== 0) tests.push(`Number.isInteger(${value})`);
  if ((types & TYPE.boolean) !== 0) tests.push(`typeof ${value} === "boolean"`);
  if ((types & TYPE.null) !== 0) tests.push(`${value} === null`);
  if ((types & TYPE.undefined) !== 0) tests.push(`${value} === undefined`);
  if ((types & TYPE.array) !== 0) tests.push(`Array.isArray(${value})`);
  if ((types & TYPE.object) !== 0)
    tests.push(
      `(typeof ${value} === "object" && ${value} !== null && (${value}.constructor === Object || ${code.outside(isFieldHolder)}(${value})))`,
    );
  return tests.length === 1 ? String(tests[0]) : `(${tests.join(" || ")})`;
}

function numberTests(code: Code, node: Node, value: string): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  const tests: string[] = [];
  if (minimum !== undefined) tests.push(`${value} >= ${literal(minimum)}`);
  if (maximum !== undefined) tests.push(`${value} <= ${literal(maximum)}`);
  if (exclusiveMinimum !== undefined) tests.push(`${value} > ${literal(exclusiveMinimum)}`);
  if (exclusiveMaximum !== undefined) tests.push(`${value} < ${literal(exclusiveMaximum)}`);
  if (multipleOf !== undefined) tests.push(`${code.outside(isMultipleOf)}(${value}, ${literal(multipleOf)})`);
  return tests;
}

function textTests(code: Code, { minLength, maxLength, pattern }: Node, value: string): string[] {
  const tests: string[] = [];
  // A text has at most as many characters as units, and at least half as many.
  if (minLength !== undefined)
    tests.push(
      `${value}.length >= ${minLength} && (${value}.length >= ${2 * minLength} || ${code.outside(lengthOf)}(${value}) >= ${minLength})`,
    );
  if (maxLength !== undefined)
    tests.push(
      `(${value}.length <= ${maxLength} || (${value}.length <= ${2 * maxLength} && ${code.outside(lengthOf)}(${value}) <= ${maxLength}))`,
    );
  if (pattern !== undefined) tests.push(`${code.outside(pattern)}.test(${value})`);
  return tests;
}
