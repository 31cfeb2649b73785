import { isRecord, isString, type JsonRecord } from "../../../json/value.js";
import type { SchemaPlace } from "../description.js";
import type { ApiDocument } from "../document/api-document.js";

/** The fields of a body that is a plain object. */
export interface FlatBody {
  /** Each with what is said of it: in more than one place, where the object is made of several. */
  readonly properties: ReadonlyMap<string, readonly SchemaPlace[]>;
  readonly required: ReadonlySet<string>;
  /** What other fields are, where the document says that there may be any. */
  readonly additional: SchemaPlace | undefined;
}

/** `undefined` where the body is something else, or a choice, or an object whose fields nobody knows. */
export function flattenBody(document: ApiDocument, place: SchemaPlace): FlatBody | undefined {
  const flattener = new Flattener(document);
  return flattener.add(place, 0) && flattener.properties.size > 0 ? flattener.result() : undefined;
}

/** The same for a choice between plain objects, one for each; `undefined` where it is none. */
export function flattenChoices(document: ApiDocument, { schema, base }: SchemaPlace): FlatBody[] | undefined {
  const found = document.resolve({ value: schema, base });
  if (!isRecord(found?.value)) return undefined;
  const { oneOf, anyOf, ...own } = found.value;
  const choices = [oneOf, anyOf].find(Array.isArray) ?? [];
  const flat = choices.map((choice) => flattenBody(document, { schema: { allOf: [own, choice] }, base: found.base }));
  return flat.length > 0 && flat.every((body) => body !== undefined) ? flat : undefined;
}

class Flattener {
  readonly properties = new Map<string, SchemaPlace[]>();
  readonly #document: ApiDocument;
  readonly #required = new Set<string>();
  readonly #seen = new Set<unknown>();
  #isClosed = false;
  #additional: SchemaPlace | undefined;

  constructor(document: ApiDocument) {
    this.#document = document;
  }

  result(): FlatBody {
    const shown = [...this.properties].filter(([, places]) => !places.some((place) => this.#isReadOnly(place)));
    const properties = new Map(shown);
    return { properties, required: this.#required, additional: this.#isClosed ? undefined : this.#additional };
  }

  /** Tells whether the schema is a plain object; if not, what was taken of it is of no use. */
  add({ schema, base }: SchemaPlace, depth: number): boolean {
    if (!isRecord(schema) || depth > 20) return false;
    // An object that is made of itself adds nothing more.
    if (this.#seen.has(schema)) return true;
    this.#seen.add(schema);
    const { $ref: reference, allOf, ...own } = schema;
    return (
      (!isString(reference) || this.#addTarget(reference, base, depth)) &&
      (allOf === undefined ||
        (Array.isArray(allOf) && allOf.every((part) => this.add({ schema: part, base }, depth + 1)))) &&
      this.#addOwn(own, base)
    );
  }

  #addTarget(reference: string, base: string, depth: number): boolean {
    const target = this.#document.lookUp(reference, base);
    return target !== undefined && this.add({ schema: target.value, base: target.base }, depth + 1);
  }

  #addOwn(schema: JsonRecord, base: string): boolean {
    const {
      type,
      properties,
      required,
      additionalProperties: additional,
      unevaluatedProperties,
      discriminator,
    } = schema;
    const types = Array.isArray(type) ? type : [type ?? "object"];
    if (!types.includes("object") || types.some((one) => one !== "object" && one !== "null")) return false;
    if (!Object.keys(schema).every((word) => PLAIN.has(word) || word.startsWith("x-"))) return false;
    for (const [name, value] of Object.entries(isRecord(properties) ? properties : {}))
      this.properties.set(name, [...(this.properties.get(name) ?? []), { schema: value, base }]);
    for (const name of Array.isArray(required) ? required.filter(isString) : []) this.#required.add(name);
    const others = additional ?? unevaluatedProperties;
    if (others === false) this.#isClosed = true;
    else if (others !== undefined) this.#additional ??= { schema: others, base };
    // Whatever is derived from it has more fields.
    else if (discriminator !== undefined) this.#additional ??= { schema: true, base };
    return true;
  }

  #isReadOnly({ schema, base }: SchemaPlace): boolean {
    const target = this.#document.resolve({ value: schema, base })?.value;
    return [schema, target].some((value) => isRecord(value) && value["readOnly"] === true);
  }
}

/** What a plain object may say of itself. All else joins its fields to one whole. */
const PLAIN: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "unevaluatedProperties", "nullable"],
  ...["title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly", "format"],
  ...["discriminator", "xml", "externalDocs", "minProperties", "maxProperties"],
  ...["$id", "$schema", "$anchor", "$comment", "$defs", "definitions"],
]);
