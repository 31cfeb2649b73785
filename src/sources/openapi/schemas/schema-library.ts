import type { JsonSchema } from "../../../json/json-schema.js";
import { pointerSegments, pointerTo } from "../../../json/pointer.js";
import { isRecord } from "../../../json/value.js";
import { uniqueName } from "../../../registry/portable-name.js";
import type { SchemaSide } from "../../../schema/standard-schema.js";
import type { ApiDocument, Place } from "../document/api-document.js";
import { SchemaCopier } from "./schema-copier.js";

/** A schema that references lead to. */
export interface Definition {
  /** Under which it stands in `$defs`, in every bundle. */
  readonly name: string;
  readonly place: Place;
}

/** A schema whose references lead to `$defs`. */
export interface SchemaCopy {
  readonly schema: JsonSchema;
  /** What it refers to itself. */
  readonly needs: readonly Definition[];
  readonly size: number;
  /** What accepts anything, and why. */
  readonly faults: readonly string[];
}

/** The definitions of a document for one side. Each is copied once, however many operations use it. */
export class SchemaLibrary {
  readonly document: ApiDocument;
  readonly side: SchemaSide;
  readonly #byReference = new Map<string, Map<string, Definition | undefined>>();
  readonly #byTarget = new Map<string, Definition>();
  readonly #names = new Set<string>();
  readonly #copies = new Map<Definition, SchemaCopy>();
  readonly #hidden = new Map<Definition, boolean>();

  constructor(document: ApiDocument, side: SchemaSide) {
    this.document = document;
    this.side = side;
  }

  /** The definition that a reference leads to, or `undefined` where it leads nowhere. */
  definitionOf(reference: string, base: string): Definition | undefined {
    let known = this.#byReference.get(base);
    if (known === undefined) {
      known = new Map();
      this.#byReference.set(base, known);
    }
    if (!known.has(reference)) known.set(reference, this.#find(reference, base));
    return known.get(reference);
  }

  copyOf(definition: Definition): SchemaCopy {
    const known = this.#copies.get(definition);
    if (known !== undefined) return known;
    const copy = this.copy(definition.place);
    this.#copies.set(definition, copy);
    return copy;
  }

  copy(place: Place): SchemaCopy {
    return new SchemaCopier(this, place.base).run(place.value);
  }

  /** Whether a property of this definition is not for this side. */
  isMarked(definition: Definition, mark: string): boolean {
    const known = this.#hidden.get(definition);
    if (known !== undefined) return known;
    const value = this.document.resolve(definition.place)?.value;
    const isMarked = isRecord(value) && value[mark] === true;
    this.#hidden.set(definition, isMarked);
    return isMarked;
  }

  #find(reference: string, base: string): Definition | undefined {
    const { address, pointer } = this.document.targetOf(reference, base);
    const segments = pointerSegments(pointer);
    const target = `${address}#${pointerTo(...segments)}`;
    const known = this.#byTarget.get(target);
    if (known !== undefined) return known;
    const place = this.document.lookUp(reference, base);
    // A chain of references that never ends means nothing.
    if (place === undefined || this.document.resolve(place) === undefined) return undefined;
    const definition = { name: this.#nameOf(address, segments), place };
    this.#byTarget.set(target, definition);
    return definition;
  }

  /** The last word of the reference. That of a schema of the root document is never given to another. */
  #nameOf(address: string, segments: readonly string[]): string {
    const word = segments.at(-1) ?? stemOf(address);
    const clean = word.replaceAll(/[^A-Za-z0-9_.-]+/g, "_").slice(0, MOST_LETTERS - 4);
    const isOwn = clean === word && address === this.document.address && isShelf(segments.slice(0, -1));
    const name = clean === "" ? "schema" : clean;
    const taken = { has: (one: string) => this.#names.has(one) || (!isOwn && this.#isOwnName(one)) };
    const unique = uniqueName(name, taken, MOST_LETTERS);
    this.#names.add(unique);
    return unique;
  }

  #isOwnName(name: string): boolean {
    const { root, version } = this.document;
    const components = isRecord(root["components"]) ? root["components"]["schemas"] : undefined;
    const shelf = version === "2.0" ? root["definitions"] : components;
    return isRecord(shelf) && Object.hasOwn(shelf, name);
  }
}

const MOST_LETTERS = 100;

function isShelf(segments: readonly string[]): boolean {
  const path = segments.join("/");
  return path === "components/schemas" || path === "definitions";
}

/** `Pet` of `…/Pet.json` */
function stemOf(address: string): string {
  return /([^/]*?)(?:\.[^./]*)?$/.exec(address)?.[1] ?? "";
}
