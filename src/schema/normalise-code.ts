import { type JsonRecord, setField } from "../json/value.js";
import { type Changes, type Place, Site, type Step, type Strips } from "./changes.js";
import { CheckWriter } from "./check-code.js";
import { type Code, field, isLeaf, isPlainObject, leafTest, literal } from "./code.js";
import { convertValue, decimalFromText, integerFromText } from "./convert-value.js";
import type { Evaluator } from "./evaluate.js";
import { convertMessage, defaultOf, fillMessage } from "./fill.js";
import { type Node, TYPE } from "./node.js";
import { allows, type NormaliseWalk } from "./normalise-walk.js";

export type Normalise = (value: unknown) => unknown;

/** A function that normalises values as the walk does, and adds to the same changes. */
export function generateNormalise(root: Node, evaluator: Evaluator, walk: NormaliseWalk, changes: Changes): Normalise {
  return new NormaliseWriter(evaluator, walk, changes).build(root);
}

/** Each place gets a function of its own, so that paths are known beforehand; past this many the walk takes over. */
const MAX_FUNCTIONS = 2_000;

/** Checked on the result, because they are about the whole. */
const OF_OBJECT = ["names", "minProperties", "maxProperties", "dependentRequired"] as const;
const OF_ARRAY = ["minItems", "maxItems", "unique", "contains"] as const;

const OBJECT_FIELDS: readonly string[] = [...OF_OBJECT, "properties", "required", "additional"];
const ARRAY_FIELDS: readonly string[] = [...OF_ARRAY, "items"];
const ALWAYS: readonly string[] = ["id", "at", "resource", "types", "default"];

class NormaliseWriter {
  readonly #checks: CheckWriter;
  readonly #code: Code;
  readonly #walk: NormaliseWalk;
  readonly #changes: string;
  readonly #strips: Strips;
  readonly #place: Place = [];
  #count = 0;

  constructor(evaluator: Evaluator, walk: NormaliseWalk, changes: Changes) {
    this.#checks = new CheckWriter(evaluator);
    this.#code = this.#checks.code;
    this.#walk = walk;
    this.#changes = this.#code.outside(changes);
    this.#strips = changes.strips;
  }

  build(root: Node): Normalise {
    const body = `let changed = false;\n${this.#statements(root, "v", [])}\nreturn v;`;
    this.#code.add("normalise", "v", body);
    return this.#code.build("normalise") as Normalise;
  }

  /** Statements that replace a variable by what the node makes of it, and then set `changed`. */
  #statements(node: Node, variable: string, steps: readonly Step[]): string {
    if (node.never === true) return `${this.#changes}.bad = true;`;
    if (isLeaf(node)) return this.#leaf(node, variable, steps);
    return `{ const made = ${this.#function(node, steps)}(${variable}); if (made !== ${variable}) { ${variable} = made; changed = true; } }`;
  }

  #leaf(node: Node, variable: string, steps: readonly Step[]): string {
    const test = leafTest(this.#code, node, variable);
    if (test === "true") return "";
    const site = new Site("OUTPUT_CONVERTED", steps, convertMessage(node));
    return [
      `if (!(${test})) {`,
      `const made = ${this.#convert(node, variable)};`,
      `if (made !== undefined) { ${variable} = made; changed = true; ${this.#add(site)} }`,
      `if (made === undefined || !(${test})) ${this.#changes}.bad = true;`,
      "}",
    ].join("\n");
  }

  /** Numbers in texts are the usual case. */
  #convert(node: Node, variable: string): string {
    const convert = this.#code.outside((value: unknown) =>
      allows(node, value) ? undefined : convertValue(node, value),
    );
    const isNumber = node.values === undefined && node.types === TYPE.number;
    const isInteger = node.values === undefined && node.types === TYPE.integer;
    if (!isNumber && !isInteger) return `${convert}(${variable})`;
    const fromText = this.#code.outside(isNumber ? decimalFromText : integerFromText);
    return `typeof ${variable} === "string" ? ${fromText}(${variable}) : ${convert}(${variable})`;
  }

  #function(node: Node, steps: readonly Step[]): string {
    const name = `n${this.#count++}`;
    this.#code.add(name, "v", this.#body(node, steps));
    return name;
  }

  #body(node: Node, steps: readonly Step[]): string {
    if (node.recursive === true || this.#count > MAX_FUNCTIONS) return `return ${this.#walked(node, steps)};`;
    if (isPlainObjectNode(node)) return this.#object(node, steps);
    if (isPlainArrayNode(node)) return this.#array(node, steps);
    const [only] = node.all ?? [];
    if (only !== undefined && node.all?.length === 1 && hasOnly(node, ["all"]) && node.types === undefined) {
      return `let changed = false;\n${this.#statements(only, "v", steps)}\nreturn v;`;
    }
    const choice = (hasOnly(node, ["any"]) && node.any) || (hasOnly(node, ["one"]) && node.one);
    if (choice && node.types === undefined) return this.#choice(node, choice, steps);
    return `return ${this.#walked(node, steps)};`;
  }

  #walked(node: Node, steps: readonly Step[]): string {
    const walk = this.#walk;
    const place = this.#place;
    return `${this.#code.outside((value: unknown) => walk.run(node, value, steps, place))}(v)`;
  }

  /** Written out, because these functions are too long for V8 to inline much into them. */
  #add(site: Site): string {
    const name = this.#code.outside(site);
    return `if (${name}.count++ === 0) ${this.#changes}.begin(${name}, ${this.#code.outside(this.#place)});`;
  }

  #object(node: Node, steps: readonly Step[]): string {
    const { properties = new Map<string, Node>(), required = [], additional } = node;
    const isClosed = additional === undefined || additional.never === true;
    const fields = [...properties].map(([name, inner], at) => ({ name, inner, variable: `p${at}` }));
    const lines = [this.#otherTypes(node, isPlainObject("v"), steps), "let changed = false, missing = 0, absent = 0;"];
    for (const { name, inner, variable } of fields) {
      lines.push(
        `let ${variable} = ${field("v", name)};`,
        `if (${variable} === undefined) {\nif (!(${isThere("v", name)})) missing++;\n${this.#absent(inner, variable, required.includes(name), [...steps, name])}`,
        `} else {\n${this.#statements(inner, variable, [...steps, name])}\n}`,
      );
    }
    if (isClosed)
      lines.push(
        this.#strip(
          fields.map(({ name }) => name),
          steps,
        ),
      );
    const made = isClosed ? closedCopy(fields, required) : openCopy(fields, this.#code);
    const rest = OF_OBJECT.some((key) => node[key] !== undefined);
    if (!rest) return [...lines, "if (!changed) return v;", made].join("\n");
    const check = this.#checks.walk(node, OF_OBJECT, "made");
    const copy = `(() => {\n${made}\n})()`;
    return [
      ...lines,
      `const made = changed ? ${copy} : v;`,
      `if (!${check}) ${this.#changes}.bad = true;`,
      "return made;",
    ].join("\n");
  }

  /** What is not of the type that the function is for. */
  #otherTypes(node: Node, isExpected: string, steps: readonly Step[]): string {
    const isNull = ((node.types ?? 0) & TYPE.null) !== 0 ? "if (v === null) return v;\n" : "";
    return `${isNull}if (!${isExpected}) return ${this.#walked(node, steps)};`;
  }

  #absent(node: Node, variable: string, isRequired: boolean, steps: readonly Step[]): string {
    const filling = defaultOf(node);
    if (filling === undefined) return isRequired ? `absent++; ${this.#changes}.bad = true;` : "absent++;";
    const { value, copy } = filling;
    const isText = typeof value !== "object" || value === null;
    const made = isText ? literal(value) : `${this.#code.outside(copy)}()`;
    const site = new Site("OUTPUT_FILLED", steps, fillMessage(value));
    const check = this.#checks.test(node, variable);
    const bad = check === "true" ? "" : `if (!(${check})) ${this.#changes}.bad = true;`;
    return `${variable} = ${made}; changed = true; ${this.#add(site)} ${bad}`;
  }

  /**
   * Counting the fields tells whether there are others than the named ones and those that were often stripped before.
   * The order of the latter matters where several are reported for the first time.
   */
  #strip(names: readonly string[], steps: readonly Step[]): string {
    const strip = this.#strips.at(steps, names);
    const extras = strip.usual().map(({ name, site }, at) => ({ name, site, variable: `e${at}` }));
    const search = `if (${this.#code.outside(strip)}.search(v, ${this.#code.outside(this.#place)})) changed = true;`;
    const lines = ["let count = 0, extras = 0, fresh = 0;"];
    for (const { name, site, variable } of extras) {
      lines.push(
        `const ${variable} = ${field("v", name)};`,
        `if (${variable} !== undefined) { extras++; if (${this.#code.outside(site)}.count === 0) fresh++; }`,
      );
    }
    const known = `count === ${names.length} - missing + extras`;
    if (extras.length < 2) lines.push("for (const key in v) count++;", `if (!(${known})) { ${search} }`);
    else {
      const order = this.#code.outside(extras.map(({ name }) => name));
      lines.push(
        "if (fresh < 2) for (const key in v) count++;",
        `else { let next = 0; for (const key in v) { count++; if (key === ${order}[next]) next++; } if (next !== ${extras.length}) count = -1; }`,
        `if (!(${known})) { ${search} }`,
      );
    }
    if (extras.length === 0) return lines.join("\n");
    const adds = extras.map(({ site, variable }) => `if (${variable} !== undefined) { ${this.#add(site)} }`);
    return [...lines, `else if (extras !== 0) {\nchanged = true;\n${adds.join("\n")}\n}`].join("\n");
  }

  #array(node: Node, steps: readonly Step[]): string {
    const open = steps.filter((step) => step === undefined).length;
    const rest = OF_ARRAY.some((key) => node[key] !== undefined);
    const check = rest ? `if (!${this.#checks.walk(node, OF_ARRAY, "made")}) ${this.#changes}.bad = true;` : "";
    return [
      this.#otherTypes(node, "Array.isArray(v)", steps),
      "let made = v;",
      "for (let i = 0; i < v.length; i++) {",
      `${this.#code.outside(this.#place)}[${open}] = i;`,
      "let item = v[i], changed = false;",
      this.#statements(node.items as Node, "item", [...steps, undefined]),
      "if (changed) { if (made === v) made = v.slice(); made[i] = item; }",
      "}",
      check,
      "return made;",
    ].join("\n");
  }

  /** One alternative that accepts the value is followed; where none or several do, the walk decides. */
  #choice(node: Node, alternatives: readonly Node[], steps: readonly Step[]): string {
    const nullable = nullableOf(alternatives);
    if (nullable !== undefined) {
      return `if (v === null) return v;\nlet changed = false;\n${this.#statements(nullable, "v", steps)}\nreturn v;`;
    }
    const lines = ["let matching = 0, which = -1, changed = false;"];
    alternatives.forEach((inner, at) => {
      lines.push(`if (${this.#checks.test(inner, "v")}) { matching++; which = ${at}; }`);
    });
    lines.push(
      `if (matching !== 1) return ${this.#walked(node, steps)};`,
      `${this.#changes}.mayRepeat = true;`,
      "switch (which) {",
    );
    alternatives.forEach((inner, at) => {
      lines.push(`case ${at}: { ${isLeaf(inner) ? "" : this.#statements(inner, "v", steps)} break; }`);
    });
    return [...lines, "}", "return v;"].join("\n");
  }
}

/** Whether there is such a field, if only with `undefined`. `in` is known with the shape of the object, the other is a call. */
function isThere(of: string, name: string): string {
  return name in Object.prototype ? `Object.hasOwn(${of}, ${literal(name)})` : `${literal(name)} in ${of}`;
}

interface Field {
  readonly name: string;
  readonly variable: string;
}

/** Literals are fast, so there is one for the full object, and one where a single optional field is absent. */
function closedCopy(fields: readonly Field[], required: readonly string[]): string {
  const optional = fields.filter(({ name }) => !required.includes(name));
  const lines = [`if (absent === 0) return ${objectLiteral(fields)};`];
  const [only] = optional;
  if (only !== undefined && optional.length === 1) {
    lines.push(
      `if (absent === 1 && ${only.variable} === undefined) return ${objectLiteral(fields.filter((one) => one !== only))};`,
    );
  }
  lines.push(
    "const copy = {};",
    ...fields.map(({ name, variable }) => `if (${variable} !== undefined) copy[${literal(name)}] = ${variable};`),
  );
  return [...lines, "return copy;"].join("\n");
}

/** The named fields come first, in the order of the schema, as in the walk. */
function openCopy(fields: readonly Field[], code: Code): string {
  const lines = fields.map(
    ({ name, variable }) => `if (${variable} !== undefined) copy[${literal(name)}] = ${variable};`,
  );
  const names = new Set(fields.map(({ name }) => name));
  const addOthers = code.outside((copy: JsonRecord, value: JsonRecord) => {
    for (const key of Object.keys(value))
      if (!names.has(key) && value[key] !== undefined) setField(copy, key, value[key]);
  });
  return ["const copy = {};", ...lines, `${addOthers}(copy, v);`, "return copy;"].join("\n");
}

function objectLiteral(fields: readonly Field[]): string {
  return `{ ${fields.map(({ name, variable }) => `${literal(name)}: ${variable}`).join(", ")} }`;
}

function hasOnly(node: Node, fields: readonly string[]): boolean {
  const given = Object.keys(node).filter((key) => node[key as keyof Node] !== undefined);
  return given.every((key) => ALWAYS.includes(key) || fields.includes(key));
}

/** An object whose fields are all known by name, or may be anything. `__proto__` is left to the walk. */
function isPlainObjectNode(node: Node): boolean {
  const { properties, required = [], additional, types } = node;
  if (properties === undefined || !hasOnly(node, OBJECT_FIELDS) || !allowsType(types, TYPE.object)) return false;
  if (properties.size === 0 && additional === undefined) return false;
  const known = additional === undefined || additional.never === true || isAnything(additional);
  return known && required.every((name) => properties.has(name)) && !properties.has("__proto__");
}

function isPlainArrayNode(node: Node): boolean {
  return node.items !== undefined && hasOnly(node, ARRAY_FIELDS) && allowsType(node.types, TYPE.array);
}

function allowsType(types: number | undefined, type: number): boolean {
  return types === undefined || (types & type) !== 0;
}

function isAnything(node: Node): boolean {
  return isLeaf(node) && hasOnly(node, []) && node.types === undefined;
}

/** The one alternative beside `null`, where it does not take `null` itself. */
function nullableOf(alternatives: readonly Node[]): Node | undefined {
  const isNull = (node: Node): boolean => node.types === TYPE.null && hasOnly(node, []);
  const others = alternatives.filter((node) => !isNull(node));
  const [other] = others;
  if (alternatives.length !== 2 || others.length !== 1 || other?.types === undefined) return undefined;
  return (other.types & TYPE.null) === 0 ? other : undefined;
}
