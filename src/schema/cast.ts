import { isRecord, type JsonRecord, setField } from "../json/value.js";
import type { Changes } from "./changes.js";
import { type Evaluator, schemasFor } from "./evaluate.js";
import { defaultOf, fillingOf } from "./fill.js";
import { type Node, TYPE, typeOf } from "./node.js";
import { Site, type Step } from "./site.js";

/** Deeper than this nothing is cast or made up: a schema that requires itself would never end. */
const MAX_DEPTH = 50;

/** Nor is more than this, because a schema that requires itself twice would grow without end. */
const MAX_STEPS = 10_000;

/**
 * The specification's full cast: what does not match is replaced by its default or an empty value, and what is
 * required is added. Each replacement is a change, because data that was there is gone.
 */
export function castValue(root: Node, value: unknown, evaluator: Evaluator, changes: Changes): unknown {
  if (evaluator.isTooDeep(root, value)) return value;
  return new Cast(evaluator, changes).node(root, value, []);
}

type Path = readonly (string | number)[];

class Cast {
  readonly #evaluator: Evaluator;
  readonly #changes: Changes;
  readonly #sites = new Map<string, Site>();
  #steps = 0;

  constructor(evaluator: Evaluator, changes: Changes) {
    this.#evaluator = evaluator;
    this.#changes = changes;
  }

  node(node: Node, value: unknown, path: Path): unknown {
    if (this.#evaluator.accepts(node, value) || path.length > MAX_DEPTH || this.#steps++ > MAX_STEPS) return value;
    const nearest = this.#inside(node, value, path);
    if (this.#evaluator.accepts(node, nearest)) return nearest;
    const made = this.#empty(node, 0);
    if (made === undefined) return nearest;
    this.#report(path, value === undefined ? "was absent and is filled with an empty value" : REPLACED);
    return made;
  }

  #inside(node: Node, value: unknown, path: Path): unknown {
    const parts = [node, ...(node.all ?? [])];
    if (Array.isArray(value)) return value.map((item, at) => this.#item(parts, item, at, [...path, at]));
    if (!isRecord(value) || typeOf(value) === 0) return value;
    const copy: JsonRecord = {};
    const names = new Set([...Object.keys(value), ...parts.flatMap(({ required = [] }) => required)]);
    for (const name of names) {
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      const schemas = parts.flatMap((part) => schemasFor(part, name));
      const item = schemas.reduce((made, inner) => this.node(inner, made, [...path, name]), own);
      if (item !== undefined) setField(copy, name, item);
    }
    return copy;
  }

  #item(parts: readonly Node[], value: unknown, at: number, path: Path): unknown {
    const nodes = parts.flatMap(({ prefix, items }) => prefix?.[at] ?? items ?? []);
    return nodes.reduce((made, inner) => this.node(inner, made, path), value);
  }

  /** The least that matches a node, if it can be told. */
  #empty(node: Node, depth: number): unknown {
    if (depth > MAX_DEPTH || this.#steps++ > MAX_STEPS) return undefined;
    for (const make of this.#candidates(node, depth)) {
      const made = make();
      if (made !== undefined && this.#evaluator.accepts(node, made)) return made;
    }
    return undefined;
  }

  #candidates(node: Node, depth: number): (() => unknown)[] {
    const { values = [], types = 0, any = [], one = [], all = [] } = node;
    const plain = EMPTY.filter(([type]) => (types & type) !== 0).map(
      ([, make]) =>
        () =>
          make(node),
    );
    return [
      () => fillingOf(defaultOf(node)?.value)?.copy(),
      ...values.slice(0, 1).map((value) => () => fillingOf(value)?.copy()),
      ...plain,
      ...((types & TYPE.object) === 0 ? [] : [() => this.#emptyObject(node, depth)]),
      ...((types & TYPE.array) === 0 ? [] : [() => this.#emptyArray(node, depth)]),
      ...[...any, ...one, ...all].map((inner) => () => this.#empty(inner, depth + 1)),
    ];
  }

  #emptyObject(node: Node, depth: number): JsonRecord {
    const made: JsonRecord = {};
    for (const name of node.required ?? []) {
      const inner = node.properties?.get(name);
      const value = inner === undefined ? null : this.#empty(inner, depth + 1);
      if (value !== undefined) setField(made, name, value);
    }
    return made;
  }

  #emptyArray({ prefix = [], items, minItems = 0 }: Node, depth: number): unknown[] {
    return Array.from({ length: Math.min(minItems, 100) }, (_, at) => {
      const inner = prefix[at] ?? items;
      return inner === undefined ? null : this.#empty(inner, depth + 1);
    });
  }

  #report(path: Path, message: string): void {
    const steps: Step[] = path.map((step) => (typeof step === "number" ? undefined : step));
    const shape = JSON.stringify([steps, message]);
    const site = this.#sites.get(shape) ?? new Site("OUTPUT_FILLED", steps, message);
    this.#sites.set(shape, site);
    this.#changes.add(
      site,
      path.filter((step) => typeof step === "number"),
    );
  }
}

const REPLACED = "did not match and is replaced by an empty value";

const EMPTY: readonly (readonly [number, (node: Node) => unknown])[] = [
  [TYPE.null, () => null],
  [TYPE.string, () => ""],
  [TYPE.number, ({ minimum = 0 }) => Math.max(0, Math.ceil(minimum))],
  [TYPE.boolean, () => false],
];
