import { pointerSegments, pointerTo } from "../json/pointer.js";
import { isRecord, type JsonRecord } from "../json/value.js";
import { type Fault, type KnownNodes, type Loaded, loadSchema } from "./load.js";
import type { Graph, Node } from "./node.js";
import type { SharedDefinitions } from "./shared-definitions.js";

/** The definitions of a set, each of which is read once for all the schemas that have it. */
export class DefinitionNodes implements KnownNodes {
  isRecursive = false;
  parents = 0;
  readonly #nodes = new Map<unknown, Node>();
  readonly #faults = new Map<string, Fault[]>();

  get(schema: JsonRecord): Node | undefined {
    return this.#nodes.get(schema);
  }

  /** As `loadSchema`, of a schema with definitions of this set. */
  load(schema: unknown, { definitions }: SharedDefinitions): Loaded {
    this.#read(definitions);
    const { graph, faults } = loadSchema(schema, undefined, this);
    const shared =
      this.#faults.size === 0 ? [] : Object.keys(definitions).flatMap((name) => this.#faults.get(name) ?? []);
    return { graph, faults: [...faults, ...shared] };
  }

  #read(definitions: JsonRecord): void {
    const names = Object.keys(definitions).filter((name) => isRecord(definitions[name]));
    const fresh = names.filter((name) => !this.#nodes.has(definitions[name]));
    if (fresh.length === 0) return;
    const properties = Object.fromEntries(fresh.map((name) => [name, { $ref: referenceTo(name) }]));
    const { graph, faults } = loadSchema({ properties, $defs: definitions }, undefined, this);
    for (const name of fresh) this.#keep(definitions[name], graph, name);
    for (const fault of faults) this.#keepFault(fault);
    this.isRecursive = graph.isRecursive;
    this.parents = graph.parents;
  }

  #keep(schema: unknown, { root }: Graph, name: string): void {
    const node = root.properties?.get(name);
    if (node !== undefined) this.#nodes.set(schema, node);
  }

  #keepFault(fault: Fault): void {
    const [, name = ""] = pointerSegments(fault.at);
    this.#faults.set(name, [...(this.#faults.get(name) ?? []), fault]);
  }
}

function referenceTo(name: string): string {
  return `#${encodeURI(pointerTo("$defs", name))}`;
}
