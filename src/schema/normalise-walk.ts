import { isEqual, isRecord, type JsonRecord, setField } from "../json/value.js";
import { Changes } from "./changes.js";
import { convertValue } from "./convert-value.js";
import { type Evaluator, MAX_RECURSION, schemasFor } from "./evaluate.js";
import { convertMessage, defaultOf, type Filling, fillingOf, fillMessage } from "./fill.js";
import { EMPTY_NODE, isComposed, type Node, typeOf } from "./node.js";
import { hasField } from "./own-rules.js";
import { fromToJson, withGetters } from "./plain-object.js";
import { type ChangeCode, type Place, Site, STRIPPED, type Step } from "./site.js";

/** How many alternatives are tried out for one value: alternatives within alternatives would multiply. */
const MAX_TRIALS = 200;

/** Normalises values by walking the graph: all of JSON Schema, and where no code may be generated. */
export class NormaliseWalk {
  readonly #evaluator: Evaluator;
  #changes: Changes;
  #sites = new Map<string, Site>();
  #steps: Step[] = [];
  #place: Place = [];
  #open = 0;
  #depth = 0;
  #trials = 0;
  readonly #fillings = new Map<Node, { readonly filling: Filling | undefined }>();

  constructor(evaluator: Evaluator, changes: Changes) {
    this.#evaluator = evaluator;
    this.#changes = changes;
  }

  /** The value as the node wants it, or the same where nothing is to be changed. The path leads to the value. */
  run(node: Node, value: unknown, steps: readonly Step[] = [], place: Place = []): unknown {
    this.#steps = [...steps];
    this.#place = place;
    this.#open = steps.filter((step) => step === undefined).length;
    this.#depth = 0;
    this.#trials = 0;
    // What is too deep to be checked is passed on as it came.
    const isTooDeep = this.#evaluator.isTooDeep(node, value);
    const result = isTooDeep ? value : this.#node(node, value);
    if (isTooDeep || !this.#evaluator.accepts(node, result)) this.#changes.isBad = true;
    return result;
  }

  /** Forgets what was told, for the next value. */
  end(): void {
    this.#sites.clear();
  }

  #node(node: Node, value: unknown): unknown {
    if (node.recursive !== true) return this.#parts(node, value);
    if (this.#depth >= MAX_RECURSION) return value;
    this.#depth++;
    const result = this.#parts(node, value);
    this.#depth--;
    return result;
  }

  #parts(node: Node, value: unknown): unknown {
    if (node.isPlain === true && (typeof value !== "object" || value === null) && allows(node, value)) return value;
    const parts = this.#applying(node, isConditional(node) ? this.#surface(node, value) : value);
    const converted = this.#fromToJson(parts, this.#convert(parts, value));
    if (Array.isArray(converted)) return this.#items(parts, converted);
    return isRecord(converted) ? this.#object(parts, converted) : converted;
  }

  /** An object whose class says what JSON would write of it is taken at its word, where its parts are asked for. */
  #fromToJson(parts: readonly Node[], value: unknown): unknown {
    const written =
      typeof value === "object" && value !== null && parts.some(looksInside) ? fromToJson(value) : undefined;
    if (written === undefined || typeof written.value !== "object") return value;
    this.#report("OUTPUT_CONVERTED", [], "was converted to what its toJSON gives");
    return written.value;
  }

  /** The value with its own fields filled and converted: what applies to it is decided by what it will be. */
  #surface(node: Node, value: unknown): unknown {
    const parts = unconditional(node);
    const names = namesOf(parts);
    if (!isRecord(value) || names.size === 0) return value;
    const surface = { ...value };
    for (const key of names.keys()) {
      const nodes = schemasNaming(parts, key);
      const present = hasField(value, key);
      const filled = present
        ? value[key]
        : nodes.map((inner) => this.filling(inner)?.copy()).find((found) => found !== undefined);
      const wrong = nodes.find((inner) => !allows(inner, filled));
      const converted = wrong === undefined || filled === undefined ? undefined : convertValue(wrong, filled);
      if (filled !== undefined) setField(surface, key, converted ?? filled);
    }
    return surface;
  }

  /** What fills an absent field: its default, normalised, unless it does not match its own schema. */
  filling(node: Node): Filling | undefined {
    const known = this.#fillings.get(node);
    if (known !== undefined) return known.filling;
    // A default may hold a part whose default is being looked for.
    this.#fillings.set(node, { filling: undefined });
    const declared = defaultOf(node);
    const value = declared === undefined ? undefined : this.#silently(() => this.#node(node, declared.value));
    const filling = value === undefined || !this.#evaluator.accepts(node, value) ? undefined : fillingOf(value);
    this.#fillings.set(node, { filling });
    return filling;
  }

  /** The node and all that apply to the same value with it. */
  #applying(node: Node, value: unknown): Node[] {
    if (!isComposed(node)) return [node];
    const { all = [], any, one, condition, dependent = [], dynamic } = node;
    const found = [...all];
    if (dynamic !== undefined) found.push(dynamic.node);
    if (any !== undefined) found.push(...this.#choose(any, value));
    if (one !== undefined) found.push(...this.#choose(one, value));
    if (condition !== undefined) {
      const { test, fits, otherwise } = condition;
      const branches = this.#evaluator.accepts(test, value) ? [test, fits] : [otherwise];
      found.push(...branches.filter((branch) => branch !== undefined));
    }
    for (const [name, inner] of dependent) if (hasField(value, name)) found.push(inner);
    return [...new Set([node, ...found.flatMap((inner) => this.#applying(inner, value))])];
  }

  /** The alternatives that accept the value, or else the one that does once it is normalised, or whose type it has. */
  #choose(nodes: readonly Node[], value: unknown): readonly Node[] {
    const accepting = nodes.filter((node) => this.#evaluator.accepts(node, value));
    if (accepting.length > 0) return accepting;
    const reachable = nodes.find((node) => this.#accepts(node, value));
    if (reachable !== undefined) return [reachable];
    const alike = nodes.filter(({ types }) => types === undefined || (types & typeOf(value)) !== 0);
    return alike.length === 1 ? alike : [UNDECIDED];
  }

  /** Whether the node accepts what it makes of the value. Nothing is reported. */
  #accepts(node: Node, value: unknown): boolean {
    if (this.#trials++ >= MAX_TRIALS) return false;
    const result = this.#silently(() => this.#node(node, value));
    return result !== value && this.#evaluator.accepts(node, result);
  }

  #silently(run: () => unknown): unknown {
    const changes = this.#changes;
    const sites = this.#sites;
    this.#changes = new Changes();
    this.#sites = new Map();
    try {
      return run();
    } finally {
      this.#changes = changes;
      this.#sites = sites;
    }
  }

  #convert(parts: readonly Node[], value: unknown): unknown {
    const wrong = parts.find((part) => !allows(part, value));
    if (wrong === undefined) return value;
    const converted = convertValue(wrong, value);
    if (converted === undefined || !parts.every((part) => allows(part, converted))) return value;
    this.#report("OUTPUT_CONVERTED", [], convertMessage(wrong));
    return converted;
  }

  #items(parts: readonly Node[], value: readonly unknown[]): unknown {
    const relevant = parts.filter(({ prefix, items }) => prefix !== undefined || items !== undefined);
    if (relevant.length === 0) return value;
    let copy: unknown[] | undefined;
    for (let at = 0; at < value.length; at++) {
      const nodes = relevant.flatMap(({ prefix, items }) => prefix?.[at] ?? items ?? []);
      const item = this.#inside(undefined, at, nodes, value[at]);
      if (Object.is(item, value[at])) continue;
      copy ??= [...value];
      copy[at] = item;
    }
    return copy ?? value;
  }

  #object(parts: readonly Node[], given: JsonRecord): unknown {
    if (typeOf(given) === 0) return given;
    const names = namesOf(parts);
    const value = withGetters(given, names.keys());
    if (value !== given) this.#report("OUTPUT_CONVERTED", [], "was made a plain object, with the fields of its class");
    const changed = new Map<string, unknown>();
    for (const key of names.keys()) {
      const present = hasField(value, key);
      const nodes = schemasNaming(parts, key);
      const item = present ? this.#inside(key, key, nodes, value[key]) : this.#fill(key, nodes);
      if (!Object.is(item, present ? value[key] : undefined)) changed.set(key, item);
    }
    const closed = isClosed(parts);
    for (const key of Object.keys(value)) {
      if (names.has(key) || value[key] === undefined) continue;
      const nodes = schemasForOther(parts, key);
      if (closed && nodes.every(({ never }) => never === true)) {
        this.#report("OUTPUT_STRIPPED", [key], STRIPPED);
        changed.set(key, undefined);
      } else {
        const item = this.#inside(undefined, key, nodes, value[key]);
        if (!Object.is(item, value[key])) changed.set(key, item);
      }
    }
    return changed.size === 0 ? value : withChanges(value, names, changed);
  }

  #fill(key: string, nodes: readonly Node[]): unknown {
    const filling = nodes.map((node) => this.filling(node)).find((found) => found !== undefined);
    if (filling === undefined) return undefined;
    this.#report("OUTPUT_FILLED", [key], fillMessage(filling.value));
    return filling.copy();
  }

  /** A part of the value, as each of the nodes wants it. `step` is absent where any key may stand. */
  #inside(step: Step, key: string | number, nodes: readonly Node[], value: unknown): unknown {
    if (nodes.length === 0) return value;
    this.#steps.push(step);
    if (step === undefined) this.#place[this.#open++] = key;
    const only = nodes.length === 1 ? nodes[0] : undefined;
    const result = this.#node(only ?? { ...EMPTY_NODE, all: nodes }, value);
    if (step === undefined) this.#open--;
    this.#steps.pop();
    return result;
  }

  #report(code: ChangeCode, below: readonly string[], message: string): void {
    const steps = [...this.#steps, ...below];
    const shape = `${code} ${JSON.stringify(steps)}`;
    let site = this.#sites.get(shape);
    if (site === undefined) {
      site = new Site(code, steps, message);
      this.#sites.set(shape, site);
    }
    this.#changes.add(site, this.#place);
  }
}

/** Where no alternative fits, none of the fields is stripped: another one might have named it. */
const UNDECIDED: Node = { ...EMPTY_NODE, additional: EMPTY_NODE };

/** Whether the value has a type and is one of the values that the node itself allows. */
export function allows({ types, values }: Node, value: unknown): boolean {
  if (types !== undefined && (types & typeOf(value)) === 0) return false;
  return values === undefined || values.some((allowed) => isEqual(allowed, value));
}

function looksInside({ properties, patterns, additional, items, prefix }: Node): boolean {
  return (properties ?? patterns ?? additional ?? items ?? prefix) !== undefined;
}

function isConditional({ any, one, condition, dependent }: Node): boolean {
  return any !== undefined || one !== undefined || condition !== undefined || dependent !== undefined;
}

/** The node and what always applies with it. */
function unconditional(node: Node): Node[] {
  return [...new Set([node, ...(node.all ?? []).flatMap(unconditional)])];
}

/** The names of fields, in their order. */
type Names = Pick<ReadonlySet<string>, "has" | "keys" | "size">;

function namesOf(parts: readonly Node[]): Names {
  const only = parts.length === 1 ? parts[0] : undefined;
  // Most name all that they require: their names need not be copied.
  if (only?.properties !== undefined && namesRequired(only.properties, only.required)) return only.properties;
  const names = new Set<string>();
  for (const { properties, required = [] } of parts) {
    for (const key of properties?.keys() ?? []) names.add(key);
    for (const key of required) names.add(key);
  }
  return names;
}

function namesRequired(properties: ReadonlyMap<string, Node>, required: readonly string[] = []): boolean {
  return required.every((key) => properties.has(key));
}

/** The schemas for a field that is named. */
function schemasNaming(parts: readonly Node[], key: string): Node[] {
  const only = parts.length === 1 ? parts[0] : undefined;
  const nodes = only === undefined ? parts.flatMap((part) => schemasFor(part, key)) : schemasFor(only, key);
  return nodes.every(isOpen) ? nodes : nodes.filter(isOpen);
}

/** The schemas for a field that no property names; those for what nothing else speaks of come last. */
function schemasForOther(parts: readonly Node[], key: string): Node[] {
  const nodes = parts.flatMap((part) => schemasFor(part, key));
  return nodes.length > 0 ? nodes : parts.flatMap(({ unevaluatedProperties: rest }) => rest ?? []);
}

function isOpen({ never }: Node): boolean {
  return never !== true;
}

/** Fields are stripped where some are named, or none are allowed, and nothing says that others may be there. */
function isClosed(parts: readonly Node[]): boolean {
  const others = parts.flatMap(({ additional, unevaluatedProperties }) => [additional, unevaluatedProperties]);
  const rules = others.filter((node) => node !== undefined);
  if (rules.some(isOpen)) return false;
  return (
    rules.length > 0 ||
    parts.some(({ properties, patterns }) => (properties?.size ?? 0) > 0 || (patterns?.length ?? 0) > 0)
  );
}

/** A copy in which the named fields come first, in the order of the schema, as in the code that is generated. */
function withChanges(value: JsonRecord, names: Names, changed: ReadonlyMap<string, unknown>): JsonRecord {
  const copy: JsonRecord = {};
  const own = Object.keys(value).filter((key) => !names.has(key));
  for (const key of [...names.keys(), ...own]) {
    const item = changed.has(key) ? changed.get(key) : Object.hasOwn(value, key) ? value[key] : undefined;
    if (item !== undefined) setField(copy, key, item);
  }
  return copy;
}
