import { messageOf, orElse } from "../json/attempt.js";
import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { told } from "../json/told.js";
import { isRecord, isString, type JsonRecord, setField } from "../json/value.js";
import { breakLoops, cutCombinations, markRecursive } from "./cycles.js";
import { modernKeywords } from "./flavours.js";
import { type Glance, glanceAt } from "./glance.js";
import { type KeywordReader, readKeywords } from "./keywords.js";
import { mergeLiterals } from "./literals.js";
import { NamelessResources } from "./nameless-resources.js";
import type { Graph, Node, Place, Resource } from "./node.js";
import { collectResources, type Documents, type Resources } from "./resources.js";

export interface Loaded {
  readonly graph: Graph;
  readonly faults: readonly Fault[];
}

/** A part of a schema that could not be used and accepts anything. */
export interface Fault {
  readonly at: JsonPointer;
  readonly reason: string;
}

/** Schemas that were read before. None of them refers to one that was not. */
export interface KnownNodes {
  get(schema: JsonRecord): Node | undefined;
  /** Whether any can contain itself. */
  readonly isRecursive: boolean;
  /** How many of them lead to others. */
  readonly parents: number;
}

const MAX_NODES = 50_000;
const MAX_DEPTH = 200;

/** Reads a JSON Schema. Never throws: what is broken, unknown or too large accepts anything and is named. */
export function loadSchema(document: unknown, documents?: Documents, before?: KnownNodes): Loaded {
  try {
    const nameless = documents === undefined ? loadNameless(document, before) : undefined;
    return nameless ?? loadWith(collectResources(document, documents), before);
  } catch (thrown) {
    // A getter or a proxy that throws.
    const { graph } = loadWith(new NamelessResources(true));
    return { graph, faults: [{ at: "", reason: `it cannot be read: ${messageOf(thrown)}` }] };
  }
}

function loadNameless(document: unknown, before?: KnownNodes): Loaded | undefined {
  const resources = new NamelessResources(document);
  const loaded = loadWith(resources, before);
  return resources.isRefuted ? undefined : loaded;
}

function loadWith(resources: Resources, before?: KnownNodes): Loaded {
  const loader = new Loader(resources, before);
  return { graph: loader.load(), faults: loader.faults };
}

interface Unread {
  readonly node: Node;
  readonly schema: JsonRecord;
  readonly glance: Glance;
}

class Loader implements KeywordReader {
  readonly faults: Fault[] = [];
  readonly #resources: Resources;
  readonly #nameless: NamelessResources | undefined;
  readonly #before: KnownNodes | undefined;
  readonly #nodes: Node[] = [];
  readonly #known = new Map<object, Node>();
  /** The nodes that lead to others. Only they can be part of a loop, and in a usual schema they are few. */
  readonly #parents: Node[] = [];
  #edges = 0;
  /** The nodes that are reached by more than one way: every loop has one. */
  readonly #again = new Set<Node>();
  /** Nodes that are made but not read yet. A list, because references may chain deeper than a stack. */
  readonly #unread: Unread[] = [];

  constructor(resources: Resources, before?: KnownNodes) {
    this.#resources = resources;
    this.#before = before;
    this.#nameless = resources instanceof NamelessResources ? resources : undefined;
  }

  load(): Graph {
    const { root: resource } = this.#resources;
    const root = this.#nodeOf({ schema: resource.root, at: "", resource });
    this.#readAll();
    const dynamicAnchors = this.#dynamicAnchors();
    const parents = new Set(this.#parents.sort((a, b) => a.id - b.id));
    if (this.#again.size > 0) for (const at of breakLoops(parents)) this.fault(at, "it refers to itself without end");
    for (const at of cutCombinations(parents)) this.fault(at, "it combines too many schemas");
    mergeLiterals(parents);
    const { isRecursive: wasRecursive = false, parents: parentsBefore = 0 } = this.#before ?? {};
    const isRecursive = markRecursive(parents, this.#again) || wasRecursive;
    return {
      root,
      nodes: this.#nodes,
      parents: parents.size + parentsBefore,
      alternatives: mostAlternatives(parents),
      isRecursive,
      dynamicAnchors,
    };
  }

  /** The node of a schema that stands below another one. */
  inner(node: Node, schema: unknown, at: JsonPointer): Node {
    this.#edges++;
    return this.#nodeOf({ schema, at, resource: node.resource });
  }

  /** The node that a reference leads to. */
  target(node: Node, reference: unknown, at: JsonPointer): Node | undefined {
    this.#edges++;
    const place = this.#find(reference, at, node.resource);
    return place === undefined ? undefined : this.#nodeOf(place);
  }

  fault(at: JsonPointer, reason: string): void {
    this.faults.push({ at, reason });
  }

  #readAll(): void {
    for (let next = this.#unread.pop(); next !== undefined; next = this.#unread.pop()) {
      if (this.#nameless !== undefined && next.glance.hasName) this.#nameless.isRefuted = true;
      if (this.#nameless?.isRefuted === true) return;
      this.#read(next);
    }
  }

  #read({ node, schema, glance }: Unread): void {
    const draft = isRecord(node.resource.root) ? node.resource.root["$schema"] : undefined;
    const edges = this.#edges;
    const words = glance.isReadable ? schema : this.#readable(node, schema);
    if (draft !== undefined || glance.isOld) readKeywords(this, node, modernKeywords(words, draft));
    else readKeywords(this, node, { words, places: {} });
    if (this.#edges > edges) this.#parents.push(node);
  }

  /** The schema without what throws when it is looked at. */
  #readable(node: Node, schema: JsonRecord): JsonRecord {
    const copy: JsonRecord = {};
    for (const word of orElse(() => Object.keys(schema), [])) {
      try {
        setField(copy, word, schema[word]);
      } catch (thrown) {
        this.fault(node.at + pointerTo(word), `it cannot be read: ${messageOf(thrown)}`);
      }
    }
    return copy;
  }

  /** A dynamic reference may lead to any anchor of its name in a resource that is entered before. */
  #dynamicAnchors(): Map<Resource, Map<string, Node>> {
    const found = new Map<Resource, Map<string, Node>>();
    if (!this.#resources.isDynamic() || !this.#nodes.some(({ dynamic }) => dynamic !== undefined)) return found;
    // The list grows meanwhile: reading an anchor may reach further resources.
    for (const { resource } of this.#nodes) {
      if (found.has(resource)) continue;
      found.set(resource, new Map([...resource.dynamicAnchors].map(([name, place]) => [name, this.#nodeOf(place)])));
      this.#readAll();
    }
    return found;
  }

  /** The node of a schema. One that is nothing but a reference is its target. */
  #nodeOf(place: Place): Node {
    let passed: Set<unknown> | undefined;
    for (let next = place; ; ) {
      const { schema, at, resource } = next;
      if (typeof schema === "boolean") return schema ? this.#make(at, resource) : this.#never(at, resource);
      if (!isRecord(schema)) return this.#anything(at, resource, `a schema is wanted and ${told(schema)} is there`);
      const known = this.#known.get(schema);
      if (known !== undefined) {
        this.#again.add(known);
        return known;
      }
      const before = this.#before?.get(schema);
      if (before !== undefined) return before;
      // Where references may be dynamic, each step on the way counts.
      const glance = glanceAt(schema);
      if (!glance.isReference || this.#resources.isDynamic()) return this.#begin(schema, at, resource, glance);
      passed ??= new Set();
      if (passed.has(schema)) return this.#anything(at, resource, "its references lead in a circle");
      passed.add(schema);
      const target = this.#find(schema["$ref"], at + pointerTo("$ref"), resource);
      if (target === undefined) return this.#make(at, resource);
      next = target;
    }
  }

  #begin(schema: JsonRecord, at: JsonPointer, resource: Resource, glance: Glance): Node {
    if (this.#nodes.length >= MAX_NODES) return this.#anything(at, resource, `it has more than ${MAX_NODES} parts`);
    if (isTooDeep(at)) return this.#anything(at, resource, `it is nested over ${MAX_DEPTH} deep`);
    const owner = this.#resources.ownerOf(schema, resource);
    const node = glance.isPlain ? this.#makePlain(at, owner, glance.types) : this.#make(at, owner);
    this.#known.set(schema, node);
    if (!glance.isPlain) this.#unread.push({ node, schema, glance });
    return node;
  }

  #make(at: JsonPointer, resource: Resource): Node {
    const node: Node = { id: this.#nodes.length, at, resource };
    this.#nodes.push(node);
    return node;
  }

  #makePlain(at: JsonPointer, resource: Resource, types: number | undefined): Node {
    const id = this.#nodes.length;
    const node: Node =
      types === undefined ? { id, at, resource, isPlain: true } : { id, at, resource, isPlain: true, types };
    this.#nodes.push(node);
    return node;
  }

  #never(at: JsonPointer, resource: Resource): Node {
    const node = this.#make(at, resource);
    node.never = true;
    return node;
  }

  #anything(at: JsonPointer, resource: Resource, reason: string): Node {
    this.fault(at, reason);
    return this.#make(at, resource);
  }

  #find(reference: unknown, at: JsonPointer, from: Resource): Place | undefined {
    const place = isString(reference) ? this.#resources.find(reference, from) : undefined;
    if (place === undefined) this.fault(at, unresolved(reference));
    return place;
  }
}

function mostAlternatives(nodes: Iterable<Node>): number {
  let most = 0;
  for (const { any, one } of nodes) most = Math.max(most, any?.length ?? 0, one?.length ?? 0);
  return most;
}

/** A pointer has no more steps than characters, so that most need not be taken apart. */
function isTooDeep(at: JsonPointer): boolean {
  return at.length >= MAX_DEPTH && at.split("/").length > MAX_DEPTH;
}

function unresolved(reference: unknown): string {
  if (!isString(reference)) return `a reference is a text, not ${told(reference)}`;
  const elsewhere = !reference.startsWith("#");
  return elsewhere
    ? `${told(reference)} is not in this document, and no other is fetched`
    : `there is no ${told(reference)} in this document`;
}
