import type { JsonPointer } from "../json/pointer.js";
import type { Pattern } from "./pattern.js";
import { isFieldHolder } from "./plain-object.js";

/** One JSON Schema, read and resolved: references are edges, and what could not be used is gone. */
export interface Node {
  readonly id: number;
  /** Where it stands in the schema's document. */
  readonly at: JsonPointer;
  readonly resource: Resource;
  /** Says nothing but `types`, as most of a large schema do. */
  isPlain?: true;
  /** The schema `false`. */
  never?: true;
  /** A sum of `TYPE` bits; absent when every type is allowed. */
  types?: number;
  /** Of `enum` and `const`. */
  values?: readonly unknown[];
  default?: { readonly value: unknown };

  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;

  minLength?: number;
  maxLength?: number;
  pattern?: Pattern;

  minItems?: number;
  maxItems?: number;
  unique?: true;
  prefix?: readonly Node[];
  items?: Node;
  contains?: { readonly node: Node; readonly min: number; readonly max: number };
  unevaluatedItems?: Node;

  minProperties?: number;
  maxProperties?: number;
  required?: readonly string[];
  properties?: ReadonlyMap<string, Node>;
  patterns?: readonly (readonly [Pattern, Node])[];
  additional?: Node;
  names?: Node;
  dependentRequired?: readonly (readonly [string, readonly string[]])[];
  dependent?: readonly (readonly [string, Node])[];
  unevaluatedProperties?: Node;

  /** `allOf` and the target of `$ref`. */
  all?: readonly Node[];
  any?: readonly Node[];
  one?: readonly Node[];
  not?: Node;
  condition?: { readonly test: Node; readonly fits?: Node; readonly otherwise?: Node };
  /** `$dynamicRef`: the outermost anchor of this name in the dynamic scope, else the node. */
  dynamic?: { readonly anchor: string; readonly node: Node };
  /** Can contain itself, so that its depth depends on the value. */
  recursive?: true;
}

/** A schema with an `$id` of its own, or the whole document: the unit in which anchors are looked up. */
export interface Resource {
  readonly uri: string;
  readonly root: unknown;
  readonly at: JsonPointer;
  readonly anchors: Map<string, Place>;
  readonly dynamicAnchors: Map<string, Place>;
}

/** A schema before it is read, and where it stands. */
export interface Place {
  readonly schema: unknown;
  readonly at: JsonPointer;
  readonly resource: Resource;
}

/** A whole schema: its root, and all that is reachable from there. */
export interface Graph {
  readonly root: Node;
  readonly nodes: readonly Node[];
  /** How many of them lead to others: none can be deeper than that, unless it contains itself. */
  readonly parents: number;
  /** How many alternatives there are for one value, at most. */
  readonly alternatives: number;
  /** Whether any can contain itself. */
  readonly isRecursive: boolean;
  /** The nodes that dynamic anchors stand for. */
  readonly dynamicAnchors: ReadonlyMap<Resource, ReadonlyMap<string, Node>>;
}

/** A schema of no document, which accepts anything. */
export const EMPTY_NODE: Node = {
  id: -1,
  at: "",
  resource: { uri: "", root: true, at: "", anchors: new Map(), dynamicAnchors: new Map() },
};

/** Whether nothing is asked of a value. */
export function isAnything(node: Node): boolean {
  return Object.keys(node).every((key) => SAYS_NOTHING.has(key));
}

const SAYS_NOTHING: ReadonlySet<string> = new Set([...Object.keys(EMPTY_NODE), "isPlain", "default"]);

/** The types of JSON. `undefined` is what an operation without a result returns. */
export const TYPE = {
  null: 1,
  boolean: 2,
  integer: 4,
  number: 12,
  string: 16,
  array: 32,
  object: 64,
  undefined: 128,
} as const;

/** The bit of a value's type; none for what JSON does not have. */
export function typeOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return TYPE.string;
    case "number":
      return Number.isInteger(value) ? TYPE.integer : Number.isFinite(value) ? TYPE.number - TYPE.integer : 0;
    case "boolean":
      return TYPE.boolean;
    case "object":
      if (value === null) return TYPE.null;
      return Array.isArray(value) ? TYPE.array : isFieldHolder(value) ? TYPE.object : 0;
    case "undefined":
      return TYPE.undefined;
    default:
      return 0;
  }
}

/** Whether other schemas apply to the same value as the node itself. */
export function isComposed({ all, any, one, not, condition, dependent, dynamic }: Node): boolean {
  return (all ?? any ?? one ?? not ?? condition ?? dependent ?? dynamic) !== undefined;
}

/** The schemas that apply to the same value as the node itself. */
export function inPlace(node: Node): Node[] {
  if (!isComposed(node)) return [];
  const { all = [], any = [], one = [], not, condition, dependent = [], dynamic } = node;
  const single = [not, condition?.test, condition?.fits, condition?.otherwise, dynamic?.node];
  return [
    ...all,
    ...any,
    ...one,
    ...dependent.map(([, inner]) => inner),
    ...single.filter((inner) => inner !== undefined),
  ];
}

/** The schemas that apply to the items and properties of the value. */
export function below(node: Node): Node[] {
  const { properties, patterns = [], prefix = [] } = node;
  const found = properties === undefined ? [] : [...properties.values()];
  for (const [, inner] of patterns) found.push(inner);
  for (const inner of prefix) found.push(inner);
  const { additional, names, items, contains, unevaluatedItems, unevaluatedProperties } = node;
  for (const inner of [additional, names, items, contains?.node, unevaluatedItems, unevaluatedProperties])
    if (inner !== undefined) found.push(inner);
  return found;
}
