import { pointerSegments } from "../json/pointer.js";
import { isRecord, type JsonRecord } from "../json/value.js";
import type { CompiledSchema } from "../schema/compile.js";
import { Evaluator, schemasFor } from "../schema/evaluate.js";
import { loadSchema } from "../schema/load.js";
import type { Node } from "../schema/node.js";
import { checkOwn, hasField } from "../schema/own-rules.js";

/** What a schema says of one value, as far as shortening is concerned. It is a guess: the schema itself is asked at last. */
export interface Rules {
  /** Nothing of it may be left out. */
  readonly isWhole: boolean;
  /** It is a text that others may check, although the schema here does not. */
  readonly hasFormat: boolean;
  /** So many items, characters or fields must stay. */
  readonly least: number;
  requires(name: string): boolean;
  declares(name: string): boolean;
  /** The rules of an item or a field. */
  below(key: string | number, inner: unknown): Rules;
}

/** The rules of data that has this schema. */
export function rulesFor(schema: CompiledSchema | undefined, data: unknown): Rules {
  if (schema === undefined || schema.acceptsAll) return FREE;
  const guide = GUIDES.get(schema) ?? new Guide(schema);
  GUIDES.set(schema, guide);
  return new SchemaRules(guide, [guide.root], data);
}

const FREE: Rules = {
  isWhole: false,
  hasFormat: false,
  least: 0,
  requires: () => false,
  declares: () => false,
  below: () => FREE,
};

/** Only results over budget need it. */
const GUIDES = new WeakMap<CompiledSchema, Guide>();

/** Formats that any text has. Others may be checked by whoever receives the data. */
const FREE_FORMATS: ReadonlySet<unknown> = new Set([
  ...["binary", "html", "markdown", "multiline", "password", "text", "textarea"],
]);

/** A schema as a graph, and what the graph does not hold. */
class Guide {
  readonly root: Node;
  readonly evaluator: Evaluator;
  readonly #schema: unknown;
  readonly #formats = new Map<Node, boolean>();

  constructor({ schema }: CompiledSchema) {
    const { graph } = loadSchema(schema);
    this.root = graph.root;
    this.evaluator = new Evaluator(graph);
    this.#schema = schema;
  }

  hasFormat(node: Node): boolean {
    const known = this.#formats.get(node) ?? this.#readFormat(node);
    this.#formats.set(node, known);
    return known;
  }

  #readFormat({ at }: Node): boolean {
    let words = this.#schema;
    for (const segment of pointerSegments(at)) words = (words as JsonRecord | undefined)?.[segment];
    const format = isRecord(words) ? words["format"] : undefined;
    return typeof format === "string" && !FREE_FORMATS.has(format);
  }
}

class SchemaRules implements Rules {
  readonly #guide: Guide;
  readonly #value: unknown;
  readonly #nodes: readonly Node[];
  readonly #isFixed: boolean;

  constructor(guide: Guide, starts: readonly Node[], value: unknown, isFixed = false) {
    this.#guide = guide;
    this.#value = value;
    this.#nodes = applyingTo(value, starts);
    this.#isFixed = isFixed;
  }

  get isWhole(): boolean {
    const isText = typeof this.#value === "string";
    return (
      this.#isFixed ||
      this.hasFormat ||
      this.#nodes.some(({ values, pattern }) => values !== undefined || (isText && pattern !== undefined))
    );
  }

  get hasFormat(): boolean {
    return typeof this.#value === "string" && this.#nodes.some((node) => this.#guide.hasFormat(node));
  }

  get least(): number {
    return Math.max(0, ...this.#nodes.map((node) => this.#leastOf(node)));
  }

  requires(name: string): boolean {
    return this.#nodes.some(
      ({ required, dependentRequired = [] }) =>
        required?.includes(name) ||
        dependentRequired.some(([present, names]) => names.includes(name) && hasField(this.#value, present)),
    );
  }

  declares(name: string): boolean {
    return this.#nodes.some(({ properties }) => properties?.has(name));
  }

  below(key: string | number, inner: unknown): Rules {
    const isItem = typeof key === "number";
    const starts = this.#nodes.flatMap((node) => (isItem ? itemNodes(node, key) : fieldNodes(node, key)));
    // What was different may be equal once it is cut.
    const isFixed = this.#isFixed || (isItem && this.#nodes.some(({ unique }) => unique));
    return starts.length === 0 && !isFixed ? FREE : new SchemaRules(this.#guide, starts, inner, isFixed);
  }

  #leastOf(node: Node): number {
    if (typeof this.#value === "string") return node.minLength ?? 0;
    if (!Array.isArray(this.#value)) return node.minProperties ?? 0;
    return Math.max(node.minItems ?? 0, node.prefix?.length ?? 0, this.#containing(node, this.#value));
  }

  /** How many items there are up to the last one that must be there. */
  #containing({ contains }: Node, list: readonly unknown[]): number {
    let missing = contains?.min ?? 0;
    for (let at = 0; contains !== undefined && missing > 0 && at < list.length; at++) {
      if (this.#guide.evaluator.accepts(contains.node, list[at])) missing--;
      if (missing === 0) return at + 1;
    }
    return 0;
  }
}

/** All that an item may be asked for: which ones `contains` means is not known. */
function itemNodes({ prefix, items, contains, unevaluatedItems }: Node, at: number): Node[] {
  return [prefix?.[at] ?? items ?? unevaluatedItems, contains?.node].filter((node) => node !== undefined);
}

function fieldNodes(node: Node, name: string): Node[] {
  const named = schemasFor(node, name);
  return named.length === 0 && node.unevaluatedProperties !== undefined ? [node.unevaluatedProperties] : named;
}

/** The schemas that speak of a value: of alternatives those that the value looks like. */
function applyingTo(value: unknown, starts: readonly Node[]): Node[] {
  const found = new Set<Node>();
  const add = (node: Node): void => {
    if (found.has(node)) return;
    found.add(node);
    for (const inner of [...(node.all ?? []), ...(node.dynamic === undefined ? [] : [node.dynamic.node])]) add(inner);
    for (const inner of alternativesOf(node, value)) if (looksLike(inner, value)) add(inner);
  };
  for (const node of starts) if (looksLike(node, value)) add(node);
  return [...found];
}

function alternativesOf({ any = [], one = [], condition, dependent = [] }: Node, value: unknown): Node[] {
  const { test, fits, otherwise } = condition ?? {};
  const depending = dependent.filter(([name]) => hasField(value, name)).map(([, node]) => node);
  return [...any, ...one, ...depending, ...[test, fits, otherwise].filter((node) => node !== undefined)];
}

/** Whether the value itself fits, and those of its fields that can only be one of a few values. */
function looksLike(node: Node, value: unknown): boolean {
  if (!checkOwn(node, value, undefined) || !(node.all ?? []).every((inner) => looksLike(inner, value))) return false;
  if (node.properties === undefined || !isRecord(value)) return true;
  for (const [name, inner] of node.properties) {
    if (inner.values !== undefined && hasField(value, name) && !checkOwn(inner, value[name], undefined)) return false;
  }
  return true;
}
