import type { Warning } from "../../../envelope/warning.js";
import type { JsonSchema } from "../../../json/json-schema.js";
import { isRecord, isString, type JsonRecord, setField } from "../../../json/value.js";
import { markDefinitions } from "../../../schema/shared-definitions.js";
import type { SchemaSide } from "../../../schema/standard-schema.js";
import type { SchemaPlace } from "../description.js";
import type { ApiDocument } from "../document/api-document.js";
import { MOST_PARTS } from "./schema-copier.js";
import { type Definition, type SchemaCopy, SchemaLibrary } from "./schema-library.js";

/**
 * Schemas of a document as parts of one that needs no other: references lead to its `$defs`, and cycles stay cycles.
 * What is not for its side is left out: an input has no `readOnly`, an output need not have a `writeOnly`.
 */
export class SchemaBundle {
  readonly #library: SchemaLibrary;
  readonly #needs = new Set<Definition>();
  readonly #faults = new Set<string>();
  #size = 0;

  constructor(document: ApiDocument, side: SchemaSide) {
    this.#library = libraryOf(document, side);
  }

  /** For each part that accepts anything; complete when the bundle is. */
  get warnings(): readonly Warning[] {
    return [...this.#faults].map((fault) => ({
      code: "SCHEMA_UNSUPPORTED",
      message: `In a schema of the document, ${fault}. This part accepts anything.`,
    }));
  }

  /** A schema to be put anywhere into the one that is made. */
  add({ schema, base }: SchemaPlace): JsonSchema {
    return this.#take(this.#library.copy({ value: schema, base }));
  }

  /** The same, but a schema that is only a reference is what it refers to. */
  addWhole({ schema, base }: SchemaPlace): JsonSchema {
    const reference = isRecord(schema) && Object.keys(schema).length === 1 ? schema["$ref"] : undefined;
    const definition = isString(reference) ? this.#library.definitionOf(reference, base) : undefined;
    if (definition === undefined) return this.add({ schema, base });
    const copy = this.#library.copyOf(definition);
    const { value, base: place } = definition.place;
    const isReference = isRecord(value) && value["$ref"] !== undefined;
    return isReference ? this.addWhole({ schema: value, base: place }) : this.#take(copy);
  }

  /** The schema with the definitions of all that was added. */
  finish(schema: JsonSchema): JsonSchema {
    const definitions = this.#definitions();
    if (typeof schema === "boolean" || Object.keys(definitions).length === 0) return schema;
    return { ...schema, $defs: definitions };
  }

  #take({ schema, needs, faults, size }: SchemaCopy): JsonSchema {
    for (const definition of needs) this.#needs.add(definition);
    for (const fault of faults) this.#faults.add(fault);
    this.#size += size;
    return schema;
  }

  /** The nearest come first, so that what is cut is what matters least. */
  #definitions(): JsonRecord {
    const definitions: JsonRecord = {};
    let isWhole = true;
    // The set grows meanwhile.
    for (const definition of this.#needs) {
      const copy = this.#library.copyOf(definition);
      const fits = this.#size + copy.size <= MOST_PARTS;
      setField(definitions, definition.name, fits ? this.#take(copy) : {});
      if (fits) continue;
      isWhole = false;
      this.#faults.add(`there are more than ${MOST_PARTS} parts with all that it refers to`);
    }
    if (isWhole) markDefinitions(definitions, this.#library);
    return definitions;
  }
}

function libraryOf(document: ApiDocument, side: SchemaSide): SchemaLibrary {
  const known = LIBRARIES[side].get(document);
  if (known !== undefined) return known;
  const library = new SchemaLibrary(document, side);
  LIBRARIES[side].set(document, library);
  return library;
}

const LIBRARIES: Readonly<Record<SchemaSide, WeakMap<ApiDocument, SchemaLibrary>>> = {
  input: new WeakMap(),
  output: new WeakMap(),
};
