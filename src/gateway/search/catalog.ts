import { type Identity, isShownTo } from "../../registry/access.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { SearchIndex } from "./search-index.js";

/** What there is to be found in a registry: to each caller only the operations that it may call. */
export class Catalog {
  readonly #registry: ServedRegistry;
  #specs: readonly OperationSpec[] = [];
  #byId: ReadonlyMap<string, OperationSpec> = new Map();
  #index: SearchIndex | undefined;

  constructor(registry: ServedRegistry) {
    this.#registry = registry;
  }

  find(id: string): OperationSpec | undefined {
    this.#look();
    return this.#byId.get(id);
  }

  shownTo(identity: Identity | undefined): readonly OperationSpec[] {
    this.#look();
    return this.#specs.filter((spec) => isShown(spec, identity));
  }

  /** The best first. */
  search(query: string, identity: Identity | undefined): readonly OperationSpec[] {
    this.#look();
    this.#index ??= new SearchIndex(this.#specs);
    const wanted = query.trim().toLowerCase();
    const isNamed = (spec: OperationSpec): boolean =>
      [operationIdOf(spec), spec.name].some((n) => n.toLowerCase() === wanted);
    const named = this.#specs.filter(isNamed);
    const others = this.#index.find(query).filter((spec) => !isNamed(spec));
    return [...named, ...others].filter((spec) => isShown(spec, identity));
  }

  #look(): void {
    const specs = this.#registry.list();
    if (isSameList(specs, this.#specs)) return;
    this.#specs = specs;
    this.#byId = new Map(specs.map((spec) => [operationIdOf(spec), spec]));
    this.#index = undefined;
  }
}

/** Operations that did not change are the same objects. */
export function isSameList(one: readonly OperationSpec[], other: readonly OperationSpec[]): boolean {
  return one.length === other.length && one.every((spec, at) => spec === other[at]);
}

function isShown(spec: OperationSpec, identity: Identity | undefined): boolean {
  return isShownTo(spec.accessControl, identity, operationIdOf(spec));
}
