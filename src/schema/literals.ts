import { type Node, typeOf } from "./node.js";

const LITERAL: readonly string[] = ["id", "at", "resource", "types", "values", "default"];

/** Alternatives that are nothing but values, as TypeBox writes an enumeration, become one list of values. */
export function mergeLiterals(nodes: Iterable<Node>): void {
  for (const node of nodes) {
    if (node.any === undefined || node.values !== undefined || !node.any.every(isLiteral)) continue;
    node.values = [...new Set(node.any.flatMap(allowedBy))];
    delete node.any;
  }
}

function isLiteral(node: Node): boolean {
  return node.values !== undefined && Object.keys(node).every((key) => LITERAL.includes(key));
}

function allowedBy({ types, values = [] }: Node): readonly unknown[] {
  return types === undefined ? values : values.filter((value) => (types & typeOf(value)) !== 0);
}
