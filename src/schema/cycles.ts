import type { JsonPointer } from "../json/pointer.js";
import { below, EMPTY_NODE, inPlace, isComposed, type Node } from "./node.js";

/** The nodes of a schema that lead to others, in their order. All else can be no part of a loop. */
type Parents = ReadonlySet<Node>;

/**
 * Cuts references that come back to the same value without going into it, which would never end. Gives the places of
 * the schemas that were cut.
 */
export function breakLoops(nodes: Parents): JsonPointer[] {
  const cut: JsonPointer[] = [];
  const composed = composedOf(nodes);
  for (const { members, isLoop } of components(composed, inPlace)) {
    if (!isLoop) continue;
    const loop = new Set(members);
    for (const node of members) cutEdges(node, loop);
    cut.push(...members.map(({ at }) => at));
  }
  return cut;
}

/** Each value is checked at most by this many schemas at once. */
const MAX_COMBINATIONS = 10_000;

/**
 * Cuts schemas that are composed of so many others that to check one value would not end in time: each of a chain that
 * mentions the next one twice doubles the work. Loops must be gone by then.
 */
export function cutCombinations(nodes: Parents): JsonPointer[] {
  const cut: JsonPointer[] = [];
  const composed = composedOf(nodes);
  if (composed.size === 0) return cut;
  const counts = new Map<Node, number>();
  // Components come in an order in which those that are referred to are first.
  for (const node of components(composed, inPlace).flatMap(({ members }) => members)) {
    const count = inPlace(node).reduce((sum, inner) => sum + (counts.get(inner) ?? 1 + inPlace(inner).length), 1);
    counts.set(node, Math.min(count, MAX_COMBINATIONS));
    if (count <= MAX_COMBINATIONS) continue;
    cutEdges(node, new Set(inPlace(node)));
    counts.set(node, 1);
    cut.push(node.at);
  }
  return cut;
}

/**
 * Marks the schemas that can contain themselves, where they are gone into: one mark for each level of the value. Tells
 * whether there are any. In each circle is a node that is reached again.
 */
export function markRecursive(nodes: Parents, again: ReadonlySet<Node>): boolean {
  let found = false;
  const begin = [...again].filter((node) => nodes.has(node));
  for (const { members, isLoop } of components(nodes, (node) => below(node).concat(inPlace(node)), begin)) {
    if (!isLoop) continue;
    const loop = new Set(members);
    for (const inner of members.flatMap(below)) {
      if (!loop.has(inner)) continue;
      inner.recursive = true;
      found = true;
    }
  }
  return found;
}

function composedOf(nodes: Parents): ReadonlySet<Node> {
  return new Set([...nodes].filter(isComposed));
}

/** A requirement that cannot be followed falls away; of alternatives all do, because any of them would suffice. */
function cutEdges(node: Node, loop: ReadonlySet<Node>): void {
  if (node.all !== undefined) node.all = node.all.filter((inner) => !loop.has(inner));
  for (const field of ["any", "one", "not", "condition", "dependent", "dynamic"] as const) {
    if (inPlace({ ...EMPTY_NODE, [field]: node[field] }).some((inner) => loop.has(inner))) delete node[field];
  }
}

/** Nodes each of which leads to all the others, or a single one, which may lead to itself. */
interface Component {
  readonly members: readonly Node[];
  readonly isLoop: boolean;
}

interface Visit {
  readonly node: Node;
  readonly edges: readonly Node[];
  next: number;
  isLoop: boolean;
}

/** The strongly connected components (Tarjan), with a stack of its own, because schemas chain deeper than ours. */
function components(
  nodes: ReadonlySet<Node>,
  edgesOf: (node: Node) => Node[],
  roots: Iterable<Node> = nodes,
): Component[] {
  const found: Component[] = [];
  const order = new Map<Node, number>();
  const lowest = new Map<Node, number>();
  const open: Node[] = [];
  const isOpen = new Set<Node>();
  const visits: Visit[] = [];

  const enter = (node: Node): void => {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    open.push(node);
    isOpen.add(node);
    visits.push({ node, edges: edgesOf(node).filter((inner) => nodes.has(inner)), next: 0, isLoop: false });
  };
  const lower = (node: Node, to: number | undefined): void => {
    lowest.set(node, Math.min(lowest.get(node) ?? 0, to ?? 0));
  };
  const leave = ({ node, isLoop }: Visit): void => {
    visits.pop();
    const parent = visits.at(-1)?.node;
    if (parent !== undefined) lower(parent, lowest.get(node));
    if (lowest.get(node) !== order.get(node)) return;
    const members = open.splice(open.lastIndexOf(node));
    for (const member of members) isOpen.delete(member);
    found.push({ members, isLoop: isLoop || members.length > 1 });
  };

  for (const root of roots) {
    if (!order.has(root)) enter(root);
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const target = visit.edges[visit.next++];
      if (target === undefined) leave(visit);
      else if (target === visit.node) visit.isLoop = true;
      else if (!order.has(target)) enter(target);
      else if (isOpen.has(target)) lower(visit.node, order.get(target));
    }
  }
  return found;
}
