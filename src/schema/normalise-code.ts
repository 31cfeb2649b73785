import { type JsonRecord, setField } from "../json/value.js";
import type { Changes } from "./changes.js";
import { CheckWriter } from "./check-code.js";
import { type Code, field, isLeaf, isPlainObject, leafTest, literal } from "./code.js";
import { convertValue, decimalFromText, integerFromText } from "./convert-value.js";
import type { Evaluator } from "./evaluate.js";
import { convertMessage, fillMessage } from "./fill.js";
import { isAnything, type Node, TYPE } from "./node.js";
import { allows, type NormaliseWalk } from "./normalise-walk.js";
import { type Place, Site, type Step } from "./site.js";

export type Normalise = (value: unknown) => unknown;

/** A function that normalises values as the walk does, and adds to the same changes. */
export function generateNormalise(root: Node, evaluator: Evaluator, walk: NormaliseWalk, changes: Changes): Normalise {
  return new NormaliseWriter(evaluator, walk, changes).build(root);
}

/** Each place gets a function of its own, so that paths are known beforehand; past this many the walk takes over. */
const MAX_FUNCTIONS = 2_000;

/** A number of absent fields that no object has: it is then searched and copied field by field. */
const NEVER = -1_000_000;

/** Checked on the result, because they are about the whole. */
const OF_OBJECT = ["names", "minProperties", "maxProperties", "dependentRequired"] as const;
const OF_ARRAY = ["minItems", "maxItems", "unique", "contains"] as const;

const OBJECT_FIELDS: readonly string[] = [...OF_OBJECT, "properties", "required", "additional"];
const ARRAY_FIELDS: readonly string[] = [...OF_ARRAY, "items"];
const ALWAYS: readonly string[] = ["id", "at", "resource", "isPlain", "types", "default"];

class NormaliseWriter {
  readonly #checks: CheckWriter;
  readonly #code: Code;
  readonly #walk: NormaliseWalk;
  readonly #evaluator: Evaluator;
  readonly #changes: Changes;
  /** The name of the changes in the code. */
  readonly #report: string;
  readonly #place: Place = [];
  #count = 0;

  constructor(evaluator: Evaluator, walk: NormaliseWalk, changes: Changes) {
    this.#checks = new CheckWriter(evaluator);
    this.#code = this.#checks.code;
    this.#walk = walk;
    this.#evaluator = evaluator;
    this.#changes = changes;
    this.#report = this.#code.outside(changes);
  }

  build(root: Node): Normalise {
    const body = `let changed = false;\n${this.#statements(root, "v", [])}\nreturn v;`;
    this.#code.add("normalise", "v", `${this.#checks.begin()}${body}`);
    return this.#code.build("normalise") as Normalise;
  }

  /** Statements that replace a variable by what the node makes of it, and then set `changed`. */
  #statements(node: Node, variable: string, steps: readonly Step[]): string {
    if (node.never === true) return `${this.#report}.isBad = true;`;
    if (isLeaf(node)) return this.#leaf(node, variable, steps);
    // What is not equal to itself, NaN, is never changed.
    return `{ const made = ${this.#function(node, steps)}(${variable}); if (made !== ${variable} && ${variable} === ${variable}) { ${variable} = made; changed = true; } }`;
  }

  #leaf(node: Node, variable: string, steps: readonly Step[]): string {
    const test = leafTest(this.#code, node, variable);
    return test === "true" ? "" : `if (!(${test})) {\n${this.#convert(node, variable, steps)}\n}`;
  }

  /** Numbers in texts are the usual case. All else is left to one call, to keep the code short. */
  #convert(node: Node, variable: string, steps: readonly Step[]): string {
    const site = new Site("OUTPUT_CONVERTED", steps, () => convertMessage(node));
    const convert = this.#code.outside(this.#converter(node, site));
    const other = `const other = ${convert}(${variable});\nif (other !== undefined) { ${variable} = other; changed = true; }`;
    if (!hasOnly(node, []) || (node.types !== TYPE.number && node.types !== TYPE.integer)) return other;
    const fromText = this.#code.outside(node.types === TYPE.number ? decimalFromText : integerFromText);
    return [
      `const made = typeof ${variable} === "string" ? ${fromText}(${variable}) : undefined;`,
      `if (made !== undefined) { ${variable} = made; changed = true; ${this.#add(site)} }`,
      `else { ${other} }`,
    ].join("\n");
  }

  #converter(node: Node, site: Site): (value: unknown) => unknown {
    return (value) => {
      const made = allows(node, value) ? undefined : convertValue(node, value);
      if (made !== undefined && site.count++ === 0) this.#changes.begin(site, this.#place);
      if (made === undefined || !this.#evaluator.accepts(node, made)) this.#changes.isBad = true;
      return made;
    };
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

  /** Written out, because these functions are too long for V8 to inline calls into them. */
  #add(site: Site): string {
    const name = this.#code.outside(site);
    const begin = `${this.#report}.begin(${name}, ${this.#code.outside(this.#place)});`;
    if (site.isOpen) return `if (${name}.count++ === 0) ${begin}`;
    const next = `${this.#code.outside(this.#changes.sites)}[${this.#report}.used]`;
    return `if (${name}.count++ === 0) { if (${next} === ${name}) ${this.#report}.used++; else ${begin} }`;
  }

  #object(node: Node, steps: readonly Step[]): string {
    const { properties = new Map<string, Node>(), required = [], additional } = node;
    const isClosed = additional === undefined || additional.never === true;
    const fields = [...properties].map(([name, inner], at) => ({
      name,
      inner,
      variable: `p${at}`,
      isRequired: required.includes(name),
    }));
    const lines = [this.#otherTypes(node, isPlainObject("v"), steps), "let changed = false, missing = 0, absent = 0;"];
    for (const one of fields) {
      lines.push(`let ${one.variable} = ${field("v", one.name)};`, this.#field(one.inner, one, [...steps, one.name]));
    }
    const names = fields.map(({ name }) => name);
    if (isClosed) lines.push(this.#strip(names, steps));
    const made = isClosed ? closedCopy(fields) : openCopy(fields, this.#code);
    const rest = OF_OBJECT.some((key) => node[key] !== undefined);
    if (!rest) return [...lines, "if (!changed) return v;", made].join("\n");
    const check = this.#checks.walk(node, OF_OBJECT, "made");
    const copy = `(() => {\n${made}\n})()`;
    return [
      ...lines,
      `const made = changed ? ${copy} : v;`,
      `if (!${check}) ${this.#report}.isBad = true;`,
      "return made;",
    ].join("\n");
  }

  /** What is not of the type that the function is for. */
  #otherTypes(node: Node, isExpected: string, steps: readonly Step[]): string {
    const isNull = ((node.types ?? 0) & TYPE.null) !== 0 ? "if (v === null) return v;\n" : "";
    return `${isNull}if (!${isExpected}) return ${this.#walked(node, steps)};`;
  }

  /** A test that fails for `undefined` too comes first, so that what is right is tested once. */
  #field(node: Node, place: Field, steps: readonly Step[]): string {
    const { variable } = place;
    const absent = `if (${variable} === undefined) {\n${this.#absent(node, place, steps)}\n}`;
    const isTyped = node.values !== undefined || (node.types !== undefined && (node.types & TYPE.undefined) === 0);
    if (!isLeaf(node) || !isTyped) return `${absent} else {\n${this.#statements(node, variable, steps)}\n}`;
    const test = leafTest(this.#code, node, variable);
    return `if (!(${test})) {\n${absent} else {\n${this.#convert(node, variable, steps)}\n}\n}`;
  }

  #absent(node: Node, { name, variable, isRequired }: Field, steps: readonly Step[]): string {
    const filling = this.#walk.filling(node);
    if (filling === undefined && isRequired) return `missing = absent = ${NEVER}; ${this.#report}.isBad = true;`;
    const missing = `if (!(${isThere("v", name)})) missing++;`;
    if (filling === undefined) return `${missing} absent++;`;
    const { value, copy } = filling;
    const isText = typeof value !== "object" || value === null;
    const made = isText ? literal(value) : `${this.#code.outside(copy)}()`;
    const site = new Site("OUTPUT_FILLED", steps, () => fillMessage(value));
    return `${missing} ${variable} = ${made}; changed = true; ${this.#add(site)}`;
  }

  /** Counting tells whether there are other fields than the named ones and those that were often stripped before. */
  #strip(names: readonly string[], steps: readonly Step[]): string {
    const strip = this.#changes.strips.at(steps, names);
    const extras = strip.usual().map(({ name, site }, at) => ({ name, site, variable: `e${at}` }));
    const reads = extras.map(({ name, site, variable }) => {
      const fresh = `if (${this.#code.outside(site)}.count === 0) fresh++;`;
      return `const ${variable} = ${field("v", name)};\nif (${variable} !== undefined) { extras++; ${fresh} }`;
    });
    const adds = extras.map(({ site, variable }) => `if (${variable} !== undefined) { ${this.#add(site)} }`);
    const search = `${this.#code.outside(strip)}.search(v, ${this.#code.outside(this.#place)})`;
    return [
      "let count = 0, extras = 0, fresh = 0;",
      ...reads,
      this.#countFields(extras.map(({ name }) => name)),
      `if (count !== ${names.length} - missing + extras) { if (${search}) changed = true; }`,
      `else if (extras !== 0) {\nchanged = true;\n${adds.join("\n")}\n}`,
    ].join("\n");
  }

  /** Changes are reported in the order of the object: where several are new, the extras must come as expected. */
  #countFields(extras: readonly string[]): string {
    const count = "for (const key in v) count++;";
    if (extras.length < 2) return count;
    const order = this.#code.outside(extras);
    return [
      `if (fresh < 2) ${count}`,
      "else {\nlet next = 0;",
      `for (const key in v) { count++; if (key === ${order}[next]) next++; }`,
      `if (next !== ${extras.length}) count = -1;\n}`,
    ].join("\n");
  }

  #array(node: Node, steps: readonly Step[]): string {
    const open = steps.filter((step) => step === undefined).length;
    const rest = OF_ARRAY.some((key) => node[key] !== undefined);
    const check = rest ? `if (!${this.#checks.walk(node, OF_ARRAY, "made")}) ${this.#report}.isBad = true;` : "";
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

  /** A value of another type is left to the walk, which converts it only where it is then accepted. */
  #nullable(node: Node, other: Node, steps: readonly Step[]): string {
    const { id, at, resource, types } = other;
    const isOfType = leafTest(this.#code, { id, at, resource, ...(types !== undefined && { types }) }, "v");
    return [
      "if (v === null) return v;",
      `if (!(${isOfType})) return ${this.#walked(node, steps)};`,
      `let changed = false;\n${this.#statements(other, "v", steps)}\nreturn v;`,
    ].join("\n");
  }

  /** One alternative that accepts the value is followed; where none or several do, the walk decides. */
  #choice(node: Node, alternatives: readonly Node[], steps: readonly Step[]): string {
    const nullable = nullableOf(alternatives);
    if (nullable !== undefined) return this.#nullable(node, nullable, steps);
    const lines = ["let matching = 0, which = -1, changed = false;"];
    alternatives.forEach((inner, at) => {
      lines.push(`if (${this.#checks.test(inner, "v")}) { matching++; which = ${at}; }`);
    });
    lines.push(
      `if (matching !== 1) return ${this.#walked(node, steps)};`,
      `${this.#report}.mayRepeat = true;`,
      "switch (which) {",
    );
    alternatives.forEach((inner, at) => {
      lines.push(`case ${at}: { ${isLeaf(inner) ? "" : this.#statements(inner, "v", steps)} break; }`);
    });
    // What was changed may match others as well.
    const check =
      node.one === undefined ? "" : `if (changed && !(${this.#checks.test(node, "v")})) ${this.#report}.isBad = true;`;
    return [...lines, "}", check, "return v;"].join("\n");
  }
}

/** Whether there is such a field, if only with `undefined`. `in` is known with the shape of the object, the other is a call. */
function isThere(of: string, name: string): string {
  return name in Object.prototype ? `Object.hasOwn(${of}, ${literal(name)})` : `${literal(name)} in ${of}`;
}

interface Field {
  readonly name: string;
  readonly variable: string;
  readonly isRequired: boolean;
}

/** Literals are fast, so there is one for the full object, and one where a single optional field is absent. */
function closedCopy(fields: readonly Field[]): string {
  const optional = fields.filter(({ isRequired }) => !isRequired);
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

/** The one alternative beside `null`, where it does not take `null` itself. */
function nullableOf(alternatives: readonly Node[]): Node | undefined {
  const isNull = (node: Node): boolean => node.types === TYPE.null && hasOnly(node, []);
  const others = alternatives.filter((node) => !isNull(node));
  const [other] = others;
  if (alternatives.length !== 2 || others.length !== 1 || other?.types === undefined) return undefined;
  return (other.types & TYPE.null) === 0 ? other : undefined;
}
