import { Code, field, isLeaf, isPlainObject, LEAF_FIELDS, leafTest } from "./code.js";
import { type Evaluator, MAX_RECURSION } from "./evaluate.js";
import { inPlace, type Node, TYPE } from "./node.js";

export type Check = (value: unknown) => boolean;

/** A function that tells whether a value matches: the answer of the walk, in generated code. */
export function generateCheck(root: Node, evaluator: Evaluator): Check {
  return new CheckWriter(evaluator).build(root);
}

type Fields = readonly (keyof Node)[];

const OBJECT: Fields = ["properties", "required", "additional", "patterns"];
const ARRAY: Fields = ["prefix", "items", "minItems", "maxItems"];
/** Seldom used. */
const WALKED: Fields = [
  ...(["unique", "contains", "names", "minProperties", "maxProperties", "dependentRequired", "dependent"] as const),
  ...(["not", "condition"] as const),
];
/** Not decided by the value alone, but by what others have seen of it. */
const CONTEXTUAL: Fields = ["unevaluatedItems", "unevaluatedProperties"];

export class CheckWriter {
  readonly code: Code = new Code();
  readonly #evaluator: Evaluator;
  readonly #names = new Map<Node, string>();

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator;
  }

  build(root: Node): Check {
    const { depth, isRecursive } = this.#evaluator;
    const test = this.test(root, "v");
    const fits = isRecursive ? `${test} && !${this.code.outside(depth)}.isExceeded` : test;
    this.code.add("check", "v", `${this.begin()}return ${fits};`);
    return this.code.build("check") as Check;
  }

  /** What a function must do before its first test: forget what is known of the last value. */
  begin(): string {
    return this.#evaluator.isRecursive ? `${this.code.outside(this.#evaluator)}.begin();\n` : "";
  }

  /** The test of a value as an expression. */
  test(node: Node, value: string): string {
    if (node.never === true) return "false";
    return isLeaf(node) ? leafTest(this.code, node, value) : `${this.#function(node)}(${value})`;
  }

  /** The rest of a schema, as a call of the walk. */
  walk(node: Node, fields: Fields, value: string): string {
    const part = pick(node, fields);
    const evaluator = this.#evaluator;
    return `${this.code.outside((inner: unknown) => evaluator.continues(part, inner))}(${value})`;
  }

  #function(node: Node): string {
    const known = this.#names.get(node);
    if (known !== undefined) return known;
    const name = `c${this.#names.size}`;
    this.#names.set(node, name);
    if (isContextual(node)) this.code.add(name, "v", `return ${this.#walked(node)}(v);`);
    else if (node.recursive !== true) this.code.add(name, "v", this.#body(node));
    else this.#recursiveFunction(name, node);
    return name;
  }

  /** What is too deep matches nothing, also not the opposite of something. */
  #recursiveFunction(name: string, node: Node): void {
    const depth = this.code.outside(this.#evaluator.depth);
    this.code.add(`${name}in`, "v", this.#body(node));
    const lines = [
      `if (${depth}.now >= ${MAX_RECURSION}) { ${depth}.isExceeded = true; return false; }`,
      `${depth}.now++;`,
      `const fits = ${name}in(v);`,
      `${depth}.now--;`,
      "return fits;",
    ];
    this.code.add(name, "v", lines.join("\n"));
  }

  #walked(node: Node): string {
    const evaluator = this.#evaluator;
    return this.code.outside((value: unknown) => evaluator.continues(node, value));
  }

  #body(node: Node): string {
    const lines: string[] = [];
    const need = (test: string): void => {
      if (test !== "true") lines.push(`if (!(${test})) return false;`);
    };
    const fields = LEAF_FIELDS.filter((key) => key !== "types" || !isTypedObject(node));
    const leaf = pick(node, fields);
    need(isLeaf(leaf) ? leafTest(this.code, leaf, "v") : this.walk(node, fields, "v"));
    if (has(node, ARRAY)) lines.push(`if (Array.isArray(v)) {\n${this.#array(node)}\n}`);
    if (has(node, OBJECT)) lines.push(this.#object(node));
    for (const inner of node.all ?? []) need(this.test(inner, "v"));
    if (node.any !== undefined) need(node.any.map((inner) => this.test(inner, "v")).join(" || "));
    if (node.one !== undefined)
      need(`${node.one.map((inner) => `(${this.test(inner, "v")} ? 1 : 0)`).join(" + ")} === 1`);
    if (has(node, WALKED)) need(this.walk(node, WALKED, "v"));
    return [...lines, "return true;"].join("\n");
  }

  #array({ prefix = [], items, minItems, maxItems }: Node): string {
    const lines: string[] = [];
    if (minItems !== undefined) lines.push(`if (v.length < ${minItems}) return false;`);
    if (maxItems !== undefined) lines.push(`if (v.length > ${maxItems}) return false;`);
    prefix.forEach((node, at) => {
      lines.push(`if (v.length > ${at}) { const p = v[${at}]; if (!(${this.test(node, "p")})) return false; }`);
    });
    const test = items === undefined ? "true" : this.test(items, "p");
    if (test !== "true")
      lines.push(`for (let i = ${prefix.length}; i < v.length; i++) { const p = v[i]; if (!(${test})) return false; }`);
    return lines.join("\n");
  }

  #object(node: Node): string {
    const isObject = 'typeof v === "object" && v !== null && !Array.isArray(v)';
    // The type of such a one is not asked for before, because a plain object has it.
    const walked = isTypedObject(node)
      ? `if (!${this.walk(node, [...OBJECT, "types"], "v")}) return false;`
      : `if (${isObject} && !${this.walk(node, OBJECT, "v")}) return false;`;
    if (node.patterns !== undefined) return walked;
    return `if (${isPlainObject("v")}) {\n${this.#fields(node)}\n} else ${walked}`;
  }

  #fields({ properties = new Map(), required = [], additional }: Node): string {
    const lines: string[] = ["let p, missing = 0;"];
    // What tells one alternative from another is at the surface; what is below may cost much.
    const surfaceFirst = [...properties].sort(([, a], [, b]) => Number(isLeaf(b)) - Number(isLeaf(a)));
    for (const [name, node] of surfaceFirst) {
      const absent = required.includes(name) ? "return false;" : "missing++;";
      const test = this.test(node, "p");
      const present = test === "true" ? "" : `else if (!(${test})) return false;`;
      lines.push(`p = ${field("v", name)};`, `if (p === undefined) ${absent} ${present}`);
    }
    for (const name of required) {
      if (!properties.has(name)) lines.push(`if (${field("v", name)} === undefined) return false;`);
    }
    if (additional !== undefined) lines.push(this.#additional(additional, new Set(properties.keys())));
    return lines.join("\n");
  }

  /** Counting the fields is enough where all are known; only others are looked at by name. */
  #additional(node: Node, known: ReadonlySet<string>): string {
    const test = this.test(node, "p");
    if (test === "true") return "";
    const names = this.code.outside(known);
    const others = `for (const key in v) { p = v[key]; if (p !== undefined && !${names}.has(key) && Object.hasOwn(v, key) && !(${test})) return false; }`;
    return `let count = 0; for (const key in v) count++;\nif (count !== ${known.size} - missing) ${others}`;
  }
}

/** Not decided by the value alone, or asked so often about one value that the walk, which remembers, is faster. */
function isContextual(node: Node): boolean {
  const isComposed = node.recursive === true && inPlace(node).length > 0;
  return isComposed || CONTEXTUAL.some((key) => node[key] !== undefined);
}

/** An object and nothing else, whose fields are known by name. */
function isTypedObject(node: Node): boolean {
  return node.types === TYPE.object && node.patterns === undefined && has(node, OBJECT);
}

function has(node: Node, fields: Fields): boolean {
  return fields.some((key) => node[key] !== undefined);
}

function pick(node: Node, fields: Fields): Node {
  const chosen = fields.filter((key) => node[key] !== undefined).map((key) => [key, node[key]]);
  return { id: node.id, at: node.at, resource: node.resource, ...Object.fromEntries(chosen) };
}
