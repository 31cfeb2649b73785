import { messageOf, orElse } from "../json/attempt.js";
import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { told } from "../json/told.js";
import { isRecord, isString, type JsonRecord, setField } from "../json/value.js";
import { breakLoops, cutCombinations, markRecursive } from "./cycles.js";
import { modernKeywords } from "./flavours.js";
import { type KeywordReader, readKeyword } from "./keywords.js";
import { mergeLiterals } from "./literals.js";
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

const MAX_NODES = 50_000;
const MAX_DEPTH = 200;

/** Reads a JSON Schema. Never throws: what is broken, unknown or too large accepts anything and is named. */
export function loadSchema(document: unknown, documents?: Documents): Loaded {
  try {
    const loader = new Loader(document, documents);
    return { graph: loader.load(), faults: loader.faults };
  } catch (thrown) {
    // A getter or a proxy that throws.
    const loader = new Loader(true, undefined);
    return { graph: loader.load(), faults: [{ at: "", reason: `it cannot be read: ${messageOf(thrown)}` }] };
  }
}

class Loader implements KeywordReader {
  readonly faults: Fault[] = [];
  readonly #resources: Resources;
  readonly #nodes: Node[] = [];
  readonly #known = new Map<object, Node>();
  /** Nodes that are made but not read yet. A list, because references may chain deeper than a stack. */
  readonly #unread: (readonly [Node, JsonRecord])[] = [];

  constructor(document: unknown, documents: Documents | undefined) {
    this.#resources = collectResources(document, documents);
  }

  load(): Graph {
    const { root: resource } = this.#resources;
    const root = this.#nodeOf({ schema: resource.root, at: "", resource });
    this.#readAll();
    const graph = { root, nodes: this.#nodes, dynamicAnchors: this.#dynamicAnchors() };
    for (const at of breakLoops(graph)) this.fault(at, "it refers to itself without end");
    for (const at of cutCombinations(graph)) this.fault(at, "it combines too many schemas");
    mergeLiterals(graph);
    markRecursive(graph);
    return graph;
  }

  /** The node of a schema that stands below another one. */
  inner(node: Node, schema: unknown, at: JsonPointer): Node {
    return this.#nodeOf({ schema, at, resource: node.resource });
  }

  /** The node that a reference leads to. */
  target(node: Node, reference: unknown, at: JsonPointer): Node | undefined {
    const place = this.#find(reference, at, node.resource);
    return place === undefined ? undefined : this.#nodeOf(place);
  }

  fault(at: JsonPointer, reason: string): void {
    this.faults.push({ at, reason });
  }

  #readAll(): void {
    for (let entry = this.#unread.pop(); entry !== undefined; entry = this.#unread.pop()) this.#read(...entry);
  }

  #read(node: Node, schema: JsonRecord): void {
    const draft = isRecord(node.resource.root) ? node.resource.root["$schema"] : undefined;
    const { words, places } = modernKeywords(this.#readable(node, schema), draft);
    for (const [word, value] of Object.entries(words)) {
      const at = node.at + (places[word] ?? pointerTo(word));
      if (value !== undefined) readKeyword(this, { node, word, value, words, at });
    }
  }

  /** The schema without what throws when it is looked at. */
  #readable(node: Node, schema: JsonRecord): JsonRecord {
    if (orElse(() => Object.values(schema), undefined) !== undefined) return schema;
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
    if (!this.#nodes.some(({ dynamic }) => dynamic !== undefined)) return found;
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
    const passed = new Set<unknown>();
    for (let next = place; ; ) {
      const { schema, at, resource } = next;
      if (typeof schema === "boolean") return this.#make(at, resource, schema ? {} : { never: true });
      if (!isRecord(schema)) return this.#anything(at, resource, `a schema is wanted and ${told(schema)} is there`);
      const known = this.#known.get(schema);
      if (known !== undefined) return known;
      if (passed.has(schema)) return this.#anything(at, resource, "its references lead in a circle");
      passed.add(schema);
      // Where references may be dynamic, each step on the way counts.
      if (!isPlainReference(schema) || this.#resources.isDynamic()) return this.#begin(schema, at, resource);
      const target = this.#find(schema["$ref"], at + pointerTo("$ref"), resource);
      if (target === undefined) return this.#make(at, resource, {});
      next = target;
    }
  }

  #begin(schema: JsonRecord, at: JsonPointer, resource: Resource): Node {
    if (this.#nodes.length >= MAX_NODES) return this.#anything(at, resource, `it has more than ${MAX_NODES} parts`);
    if (at.split("/").length > MAX_DEPTH) return this.#anything(at, resource, `it is nested over ${MAX_DEPTH} deep`);
    const node = this.#make(at, this.#resources.ownerOf(schema, resource), {});
    this.#known.set(schema, node);
    this.#unread.push([node, schema]);
    return node;
  }

  #make(at: JsonPointer, resource: Resource, fields: Partial<Node>): Node {
    const node = { id: this.#nodes.length, at, resource, ...fields };
    this.#nodes.push(node);
    return node;
  }

  #anything(at: JsonPointer, resource: Resource, reason: string): Node {
    this.fault(at, reason);
    return this.#make(at, resource, {});
  }

  #find(reference: unknown, at: JsonPointer, from: Resource): Place | undefined {
    const place = isString(reference) ? this.#resources.find(reference, from) : undefined;
    if (place === undefined) this.fault(at, unresolved(reference));
    return place;
  }
}

/** Annotations may stand beside the reference, nothing that is checked. */
function isPlainReference(schema: JsonRecord): boolean {
  return (
    orElse(() => isString(schema["$ref"]), false) && Object.keys(schema).every((word) => BESIDE_REFERENCE.has(word))
  );
}

const BESIDE_REFERENCE = new Set(["$ref", "$comment", "title", "description", "deprecated", "readOnly", "writeOnly"]);

function unresolved(reference: unknown): string {
  if (!isString(reference)) return `a reference is a text, not ${told(reference)}`;
  const elsewhere = !reference.startsWith("#");
  return elsewhere
    ? `${told(reference)} is not in this document, and no other is fetched`
    : `there is no ${told(reference)} in this document`;
}
