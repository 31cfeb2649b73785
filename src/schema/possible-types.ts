import type { JsonSchema } from "../json/json-schema.js";
import { loadSchema } from "./load.js";
import { type Node, TYPE, typeOf } from "./node.js";

/** Which types a value that matches a schema may have: a sum of `TYPE` bits. It may name too many, never too few. */
export function possibleTypes(schema: JsonSchema): number {
  return typesOfNode(loadSchema(schema).graph.root);
}

export function typesOfNode(node: Node): number {
  return visit(node, new Map());
}

const ALL = Object.values(TYPE).reduce((sum, bits) => sum | bits, 0);

function visit(node: Node, known: Map<Node, number>): number {
  const seen = known.get(node);
  if (seen !== undefined) return seen;
  known.set(node, ALL);
  const { all = [], any, one } = node;
  let types = node.never === true ? 0 : (node.types ?? ALL);
  if (node.values !== undefined) types &= union(node.values, typeOf);
  for (const inner of all) types &= visit(inner, known);
  for (const options of [any, one])
    if (options !== undefined) types &= union(options, (option) => visit(option, known));
  known.set(node, types);
  return types;
}

function union<T>(items: readonly T[], bitsOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum | bitsOf(item), 0);
}
