import { type JsonPointer, pointerSegments } from "../json/pointer.js";
import { named, type TypeExpression } from "./type-expression.js";
import { TypeNames, typeName } from "./type-names.js";

/** A type with a name of its own. */
export interface TypeDefinition {
  readonly name: string;
  readonly type: TypeExpression;
  readonly doc: readonly string[];
}

interface Wanted {
  /** What means the same has the same. */
  readonly key: unknown;
  readonly at: JsonPointer;
  readonly read: () => Omit<TypeDefinition, "name">;
}

/** The types that others refer to by name. Each is made after the one that first needs it, so that none is too deep. */
export class TypeDefinitions {
  readonly names: TypeNames;
  readonly #byKey = new Map<unknown, string>();
  readonly #waiting: { readonly name: string; readonly read: Wanted["read"] }[] = [];
  readonly #made: TypeDefinition[] = [];

  constructor(names: TypeNames = new TypeNames()) {
    this.names = names;
  }

  reference({ key, at, read }: Wanted): TypeExpression {
    let name = this.#byKey.get(key);
    if (name === undefined) {
      name = this.nameFor(at);
      this.#byKey.set(key, name);
      this.#waiting.push({ name, read });
    }
    return named(name);
  }

  nameFor(at: JsonPointer): string {
    const told = pointerSegments(at).filter((step) => !/^(\d+|items|properties|anyOf|allOf|oneOf|\$defs)$/.test(step));
    return this.names.give(typeName(told.at(-1) ?? "Value"));
  }

  add(definition: TypeDefinition): void {
    this.#made.push(definition);
  }

  /** All definitions so far, and those that they need. */
  finish(): readonly TypeDefinition[] {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      this.add({ name: next.name, ...next.read() });
    return this.#made;
  }
}
