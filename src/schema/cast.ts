import { isRecord, type JsonRecord, setField } from "../json/value.js";
import { type Changes, Site } from "./changes.js";
import { type Evaluator, schemasFor } from "./evaluate.js";
import { defaultOf } from "./fill.js";
import { type Node, TYPE } from "./node.js";

/** Deeper than this nothing is made up: a schema that requires itself would never end. */
const MAX_DEPTH = 20;

/**
 * The specification's full cast: what does not match is replaced by its default or an empty value, and what is
 * required is added. Each replacement is a change, because data that was there is gone.
 */
export function castValue(root: Node, value: unknown, evaluator: Evaluator, changes: Changes): unknown {
  return new Cast(evaluator, changes).node(root, value, []);
}

class Cast {
  readonly #evaluator: Evaluator;
  readonly #changes: Changes;

  constructor(evaluator: Evaluator, changes: Changes) {
    this.#evaluator = evaluator;
    this.#changes = changes;
  }

  node(node: Node, value: unknown, path: readonly (string | number)[]): unknown {
    if (this.#evaluator.accepts(node, value)) return value;
    const nearest = this.#inside(node, value, path);
    if (this.#evaluator.accepts(node, nearest)) return nearest;
    const made = emptyOf(node, this.#evaluator, 0);
    if (made === undefined) return nearest;
    this.#report(
      path,
      value === undefined
        ? "was absent and is filled with an empty value"
        : "did not match and is replaced by an empty value",
    );
    return made;
  }

  #inside(node: Node, value: unknown, path: readonly (string | number)[]): unknown {
    const parts = [node, ...(node.all ?? [])];
    if (Array.isArray(value)) return value.map((item, at) => this.#item(parts, item, at, [...path, at]));
    if (!isRecord(value)) return value;
    const copy: JsonRecord = {};
    const names = new Set([...Object.keys(value), ...parts.flatMap(({ required = [] }) => required)]);
    for (const name of names) {
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      const item = parts
        .flatMap((part) => schemasFor(part, name))
        .reduce((made, inner) => this.node(inner, made, [...path, name]), own);
      if (item !== undefined) setField(copy, name, item);
    }
    return copy;
  }

  #item(parts: readonly Node[], value: unknown, at: number, path: readonly (string | number)[]): unknown {
    const nodes = parts.flatMap(({ prefix, items }) => prefix?.[at] ?? items ?? []);
    return nodes.reduce((made, inner) => this.node(inner, made, path), value);
  }

  #report(path: readonly (string | number)[], message: string): void {
    const place = path.filter((step) => typeof step === "number");
    const steps = path.map((step) => (typeof step === "number" ? undefined : step));
    this.#changes.add(new Site("OUTPUT_FILLED", steps, message), place);
  }
}

/** The least that matches a node, if it can be told. */
function emptyOf(node: Node, evaluator: Evaluator, depth: number): unknown {
  const { values, types = 0, any, one, all } = node;
  const candidates = [
    defaultOf(node)?.copy(),
    ...(values?.slice(0, 1) ?? []),
    ...EMPTY.filter(([type]) => (types & type) !== 0).map(([, make]) => make(node)),
  ];
  if (depth < MAX_DEPTH) {
    if ((types & TYPE.object) !== 0) candidates.push(emptyObject(node, evaluator, depth));
    if ((types & TYPE.array) !== 0) candidates.push(emptyArray(node, evaluator, depth));
    candidates.push(
      ...[...(any ?? []), ...(one ?? []), ...(all ?? [])].map((inner) => emptyOf(inner, evaluator, depth + 1)),
    );
  }
  return candidates.find((candidate) => candidate !== undefined && evaluator.accepts(node, candidate));
}

const EMPTY: readonly (readonly [number, (node: Node) => unknown])[] = [
  [TYPE.null, () => null],
  [TYPE.string, () => ""],
  [TYPE.number, ({ minimum = 0 }) => Math.max(0, Math.ceil(minimum))],
  [TYPE.boolean, () => false],
];

function emptyObject(node: Node, evaluator: Evaluator, depth: number): JsonRecord {
  const made: JsonRecord = {};
  for (const name of node.required ?? []) {
    const inner = node.properties?.get(name);
    const value = inner === undefined ? null : emptyOf(inner, evaluator, depth + 1);
    if (value !== undefined) setField(made, name, value);
  }
  return made;
}

function emptyArray({ prefix = [], items, minItems = 0 }: Node, evaluator: Evaluator, depth: number): unknown[] {
  const length = Math.min(minItems, 100);
  return Array.from({ length }, (_, at) => {
    const inner = prefix[at] ?? items;
    return inner === undefined ? null : emptyOf(inner, evaluator, depth + 1);
  });
}
