import type { JsonPointer } from "../json/pointer.js";
import { below, EMPTY_NODE, type Graph, inPlace, type Node } from "./node.js";

/**
 * Cuts references that come back to the same value without going into it, which would never end. Gives the places of
 * the schemas that were cut.
 */
export function breakLoops(graph: Graph): JsonPointer[] {
  const cut: JsonPointer[] = [];
  for (const component of components(graph.nodes, inPlace)) {
    const [first] = component;
    if (first === undefined || (component.length === 1 && !inPlace(first).includes(first))) continue;
    const loop = new Set(component);
    for (const node of component) cutEdges(node, loop);
    cut.push(...component.map(({ at }) => at));
  }
  return cut;
}

/** Each value is checked at most by this many schemas at once. */
const MAX_COMBINATIONS = 10_000;

/**
 * Cuts schemas that are composed of so many others that to check one value would not end in time: each of a chain that
 * mentions the next one twice doubles the work. Loops must be gone by then.
 */
export function cutCombinations(graph: Graph): JsonPointer[] {
  const cut: JsonPointer[] = [];
  const counts = new Map<Node, number>();
  // Components come in an order in which those that are referred to are first.
  for (const [node] of components(graph.nodes, inPlace)) {
    if (node === undefined) continue;
    const count = inPlace(node).reduce((sum, inner) => sum + (counts.get(inner) ?? 1), 1);
    counts.set(node, Math.min(count, MAX_COMBINATIONS));
    if (count <= MAX_COMBINATIONS) continue;
    cutEdges(node, new Set(inPlace(node)));
    counts.set(node, 1);
    cut.push(node.at);
  }
  return cut;
}

/** Marks the schemas that can contain themselves, where they are gone into: one mark for each level of the value. */
export function markRecursive(graph: Graph): void {
  const edges = (node: Node): Node[] => [...inPlace(node), ...below(node)];
  for (const component of components(graph.nodes, edges)) {
    const [first] = component;
    if (component.length === 1 && first !== undefined && !edges(first).includes(first)) continue;
    const members = new Set(component);
    for (const node of component) for (const inner of below(node)) if (members.has(inner)) inner.recursive = true;
  }
}

/** A requirement that cannot be followed falls away; of alternatives all do, because any of them would suffice. */
function cutEdges(node: Node, loop: ReadonlySet<Node>): void {
  if (node.all !== undefined) node.all = node.all.filter((inner) => !loop.has(inner));
  for (const field of ["any", "one", "not", "condition", "dependent", "dynamic"] as const) {
    if (inPlace({ ...EMPTY_NODE, [field]: node[field] }).some((inner) => loop.has(inner))) delete node[field];
  }
}

interface Visit {
  readonly node: Node;
  readonly edges: readonly Node[];
  next: number;
}

/** The strongly connected components (Tarjan), with a stack of its own, because schemas chain deeper than ours. */
function components(nodes: readonly Node[], edgesOf: (node: Node) => Node[]): Node[][] {
  const found: Node[][] = [];
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
    visits.push({ node, edges: edgesOf(node), next: 0 });
  };
  const lower = (node: Node, to: number | undefined): void => {
    lowest.set(node, Math.min(lowest.get(node) ?? 0, to ?? 0));
  };
  const leave = (node: Node): void => {
    visits.pop();
    const parent = visits.at(-1)?.node;
    if (parent !== undefined) lower(parent, lowest.get(node));
    if (lowest.get(node) !== order.get(node)) return;
    const component = open.splice(open.lastIndexOf(node));
    for (const member of component) isOpen.delete(member);
    found.push(component);
  };

  for (const root of nodes) {
    if (!order.has(root)) enter(root);
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const target = visit.edges[visit.next++];
      if (target === undefined) leave(visit.node);
      else if (!order.has(target)) enter(target);
      else if (isOpen.has(target)) lower(visit.node, order.get(target));
    }
  }
  return found;
}
