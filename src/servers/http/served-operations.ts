import { type Identity, isShownTo } from "../../registry/access.js";
import type { OperationSpec } from "../../registry/operation.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { Routes } from "./routes.js";

/** An operation that clients may ask for. */
export interface ServedOperation {
  readonly id: string;
  readonly spec: OperationSpec;
}

/** What a server offers, by the ways to it. It is put in order again after the registry has changed. */
export class ServedOperations {
  readonly #registry: ServedRegistry;
  readonly #prefix: string;
  readonly #filter: (spec: OperationSpec) => boolean;
  readonly #stop: () => void;
  #known: Known | undefined;

  constructor(registry: ServedRegistry, prefix: string, filter: ((spec: OperationSpec) => boolean) | undefined) {
    this.#registry = registry;
    this.#prefix = prefix;
    this.#filter = filter ?? (() => true);
    this.#stop = registry.onChange(() => {
      this.#known = undefined;
    });
  }

  get all(): readonly ServedOperation[] {
    return this.#now.all;
  }

  get routes(): Routes {
    return this.#now.routes;
  }

  /** Changes whenever the operations do. */
  get edition(): object {
    return this.#now;
  }

  find(id: string): ServedOperation | undefined {
    return this.#now.byId.get(id);
  }

  /** Whether there is one of this id, also one that is not offered. */
  isRegistered(id: string): boolean {
    return this.#now.byId.has(id) || this.#registry.list().some(({ namespace, name }) => `${namespace}.${name}` === id);
  }

  /** By the whole of a path that needs no decoding. */
  findByPath(path: string): ServedOperation | undefined {
    return this.#now.byPath.get(path);
  }

  shownTo(identity: Identity | undefined): readonly OperationSpec[] {
    return this.#shownTo(identity).map(({ spec }) => spec);
  }

  idsShownTo(identity: Identity | undefined): readonly string[] {
    return this.#shownTo(identity).map(({ id }) => id);
  }

  close(): void {
    this.#stop();
  }

  #shownTo(identity: Identity | undefined): readonly ServedOperation[] {
    return this.all.filter(({ id, spec }) => isShownTo(spec.accessControl, identity, id));
  }

  get #now(): Known {
    this.#known ??= this.#read();
    return this.#known;
  }

  #read(): Known {
    const all = this.#registry
      .list()
      .filter(this.#filter)
      .map((spec) => ({ id: `${spec.namespace}.${spec.name}`, spec }));
    return {
      all,
      byId: new Map(all.map((operation) => [operation.id, operation])),
      byPath: new Map(all.map((operation) => [`${this.#prefix}/operations/${operation.id}`, operation])),
      routes: new Routes(all, this.#prefix),
    };
  }
}

interface Known {
  readonly all: readonly ServedOperation[];
  readonly byId: ReadonlyMap<string, ServedOperation>;
  readonly byPath: ReadonlyMap<string, ServedOperation>;
  readonly routes: Routes;
}
