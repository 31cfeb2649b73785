import type { JsonSchema } from "../../../json/json-schema.js";
import { told } from "../../../json/told.js";
import { isRecord, isString, type JsonRecord, setField } from "../../../json/value.js";
import type { Place } from "../document/api-document.js";
import { fileSchema } from "./file-schema.js";
import type { Definition, SchemaCopy, SchemaLibrary } from "./schema-library.js";
import { BESIDE_REFERENCE, WORD_KINDS } from "./schema-words.js";

/** Parts that a schema may have, with all that it refers to. More would take longer to read than to call. */
export const MOST_PARTS = 20_000;
const DEEPEST = 100;

/** An object may be made of itself, or of more parts than anybody has time for. */
const MOST_ANCESTORS = 100;

/** Tells whether a property need not be there, as another part of an `allOf` may say. */
type Hides = (name: unknown) => boolean;

/** Copies one schema of a document, up to its references. */
export class SchemaCopier {
  readonly #library: SchemaLibrary;
  readonly #base: string;
  readonly #needs = new Set<Definition>();
  readonly #faults = new Set<string>();
  readonly #mark: "readOnly" | "writeOnly";
  readonly #keepsNeighbours: boolean;
  #size = 0;

  constructor(library: SchemaLibrary, base: string) {
    const { version } = library.document;
    this.#library = library;
    this.#base = base;
    this.#mark = library.side === "input" ? "readOnly" : "writeOnly";
    this.#keepsNeighbours = version === "3.1" || version === "3.2";
  }

  run(value: unknown): SchemaCopy {
    const schema = this.#schema(value, 0, HIDES_NOTHING);
    return { schema, needs: [...this.#needs], size: this.#size, faults: [...this.#faults] };
  }

  #schema(value: unknown, depth: number, hides: Hides): JsonSchema {
    if (typeof value === "boolean") return value;
    if (!isRecord(value)) return this.#anything(`${told(value)} stands in place of a schema`);
    if (++this.#size > MOST_PARTS) return this.#anything(`a schema has more than ${MOST_PARTS} parts`);
    if (depth > DEEPEST) return this.#anything(`a schema is nested over ${DEEPEST} deep`);
    if (isString(value["$ref"])) return this.#reference(value, value["$ref"], depth);
    return value["type"] === "file" ? this.#file(value) : this.#words(value, depth, hides);
  }

  #reference(value: JsonRecord, reference: string, depth: number): JsonSchema {
    const definition = this.#library.definitionOf(reference, this.#base);
    if (definition === undefined) this.#anything(`the reference ${told(reference)} leads nowhere`);
    else this.#needs.add(definition);
    const copy: JsonRecord = definition === undefined ? {} : { $ref: `#/$defs/${definition.name}` };
    if (Object.keys(value).length === 1) return copy;
    return Object.assign(copy, this.#words(this.#keepsNeighbours ? value : neighboursOf(value), depth, HIDES_NOTHING));
  }

  /** Only 2.0 has such a type. */
  #file({ description }: JsonRecord): JsonSchema {
    if (this.#library.side === "output") return isString(description) ? { description } : {};
    return fileSchema(isString(description) ? description : undefined);
  }

  #words(value: JsonRecord, depth: number, hiddenAbove: Hides): JsonRecord {
    const copy: JsonRecord = {};
    for (const word of Object.keys(value)) {
      const content = value[word];
      const kind = WORD_KINDS.get(word);
      if (kind === undefined) keepAnnotation(copy, word, content);
      else if (kind === "schemas")
        copy[word] = this.#schemas(content, depth, word === "allOf" ? this.#hider(value, hiddenAbove) : HIDES_NOTHING);
      else if (kind === "named") copy[word] = this.#named(content, word, depth);
      else if (kind === "data" && this.#isRoomFor(content)) copy[word] = content;
      // Before draft 4 it was a flag of the property itself.
      else if (kind === "required" && Array.isArray(content)) copy[word] = this.#required(content, value, hiddenAbove);
    }
    return copy;
  }

  #schemas(content: unknown, depth: number, hides: Hides): unknown {
    if (!Array.isArray(content)) return this.#schema(content, depth + 1, hides);
    return content.map((schema) => this.#schema(schema, depth + 1, hides));
  }

  #named(content: unknown, word: string, depth: number): unknown {
    if (!isRecord(content)) return content;
    const copy: JsonRecord = {};
    const leavesOut = word === "properties" && this.#mark === "readOnly";
    for (const name of Object.keys(content)) {
      const schema = content[name];
      if (leavesOut && this.#isMarked(schema, this.#base)) continue;
      // `dependencies` may also hold lists of names.
      setField(copy, name, Array.isArray(schema) ? schema : this.#schema(schema, depth + 1, HIDES_NOTHING));
    }
    return copy;
  }

  #required(names: readonly unknown[], value: JsonRecord, hiddenAbove: Hides): unknown {
    const hides = this.#hider(value, hiddenAbove);
    return names.some(hides) ? names.filter((name) => !hides(name)) : names;
  }

  #hider(value: JsonRecord, above: Hides): Hides {
    return (name) =>
      isString(name) && (above(name) || this.#isHiddenIn({ value, base: this.#base }, name, { left: MOST_ANCESTORS }));
  }

  #isHiddenIn({ value, base }: Place, name: string, parts: { left: number }): boolean {
    if (!isRecord(value) || --parts.left < 0) return false;
    const { properties, allOf } = value;
    if (isRecord(properties) && Object.hasOwn(properties, name) && this.#isMarked(properties[name], base)) return true;
    if (!Array.isArray(allOf)) return false;
    return allOf.some((part) => {
      const found = this.#library.document.resolve({ value: part, base });
      return found !== undefined && this.#isHiddenIn(found, name, parts);
    });
  }

  #isMarked(schema: unknown, base: string): boolean {
    if (!isRecord(schema)) return false;
    if (schema[this.#mark] === true) return true;
    const { $ref: reference } = schema;
    const definition = isString(reference) ? this.#library.definitionOf(reference, base) : undefined;
    return definition !== undefined && this.#library.isMarked(definition, this.#mark);
  }

  /** Data is not looked into, only counted. */
  #isRoomFor(content: unknown): boolean {
    if (typeof content !== "object" || content === null) return true;
    this.#size += countOf(content, MOST_PARTS - this.#size, 0);
    if (this.#size <= MOST_PARTS) return true;
    this.#anything(`a schema has more than ${MOST_PARTS} parts`);
    return false;
  }

  #anything(fault: string): JsonSchema {
    this.#faults.add(fault);
    return {};
  }
}

const HIDES_NOTHING: Hides = () => false;

/** Of words that nobody knows, those that may hold references are dropped. */
function keepAnnotation(copy: JsonRecord, word: string, content: unknown): void {
  if (word === "x-nullable") copy["nullable"] = content;
  else if (!word.startsWith("x-") && (typeof content !== "object" || content === null)) setField(copy, word, content);
}

function neighboursOf(value: JsonRecord): JsonRecord {
  const kept: JsonRecord = {};
  for (const word of BESIDE_REFERENCE) if (value[word] !== undefined) kept[word] = value[word];
  return kept;
}

/** How many values there are, up to a limit: aliases of YAML can make more of few than there is room for. */
function countOf(value: object, limit: number, depth: number): number {
  if (depth > DEEPEST) return limit + 1;
  let count = 1;
  for (const key in value) {
    const inner = (value as JsonRecord)[key];
    count += typeof inner === "object" && inner !== null ? countOf(inner, limit - count, depth + 1) : 1;
    if (count > limit) return count;
  }
  return count;
}
