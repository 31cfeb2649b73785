import type { JsonSchema, JsonSchemaObject } from "../../json/json-schema.js";
import { type JsonPointer, pointerSegments, pointerTo } from "../../json/pointer.js";
import { isRecord, isString, type JsonRecord, setField } from "../../json/value.js";
import { portableName } from "../../registry/portable-name.js";
import { modernKeywords } from "../../schema/flavours.js";
import type { Fault } from "../../schema/load.js";
import type { Resource } from "../../schema/node.js";
import { collectResources, type Resources } from "../../schema/resources.js";
import { asObject } from "../published-schema.js";
import { documentValue, MAY_BE_BOOLEAN, wordKind } from "./openapi-words.js";

export interface CopyOptions {
  /** Of the whole schema in the document. */
  readonly name: string;
  /** A free name for a part of it. */
  readonly nameFor: (part: string) => string;
  /** Where copies go, by their names. */
  readonly schemas: JsonRecord;
  /** Of its definitions, where other schemas have the same. */
  readonly shared?: SharedNames | undefined;
}

/** The names in the document of definitions that many schemas have, by those that they have in `$defs`. */
export interface SharedNames {
  readonly known: Map<string, string>;
  readonly nameFor: (definition: string) => string;
}

const MOST_SCHEMAS = 20_000;
const DEPTH = 100;

/**
 * A schema in the words of OpenAPI 3.1 and of all its validators: what is broken or unknown is left out, older drafts
 * are translated, and what is referred to has a name among the components, because `#` means the whole document there.
 */
export class ComponentCopy {
  readonly #options: CopyOptions;
  readonly #resources: Resources;
  readonly #draft: unknown;
  readonly #faults: ReadonlySet<JsonPointer>;
  readonly #names = new Map<JsonPointer, string>();
  /** A list, because references may chain deeper than a stack. */
  readonly #waiting: { readonly name: string; readonly place: Place }[] = [];
  #left = MOST_SCHEMAS;

  constructor(root: JsonSchema, faults: readonly Fault[], options: CopyOptions) {
    this.#options = options;
    this.#resources = collectResources(root);
    this.#draft = isRecord(root) ? root["$schema"] : undefined;
    this.#faults = new Set(faults.map(({ at }) => at));
    const { root: resource } = this.#resources;
    this.#await(options.name, { schema: root, at: "", resource });
  }

  /** Whether all of it could be shown; otherwise there is nothing of it. */
  addRoot(): boolean {
    try {
      this.#copyWaiting();
      return true;
    } catch {
      for (const [at, name] of this.#names) this.#forget(at, name);
      return false;
    }
  }

  /** Throws where there is too much of it. */
  copyAt(at: JsonPointer, resource: Resource): JsonSchemaObject {
    const steps = pointerSegments(at.slice(resource.at.length));
    const schema = steps.reduce<unknown>((value, step) => (value as JsonRecord | undefined)?.[step], resource.root);
    const copy = asObject(this.#copy({ schema, at, resource }, DEPTH));
    this.#copyWaiting();
    return copy;
  }

  #forget(at: JsonPointer, name: string): void {
    const { schemas, shared } = this.#options;
    delete schemas[name];
    const definition = definitionAt(at);
    if (definition !== undefined) shared?.known.delete(definition);
  }

  #await(name: string, place: Place): void {
    this.#names.set(place.at, name);
    this.#options.schemas[name] = {};
    this.#waiting.push({ name, place });
  }

  #copyWaiting(): void {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop())
      this.#options.schemas[next.name] = asObject(this.#copy(next.place, DEPTH));
  }

  #copy({ schema, at, resource: outer }: Place, depth: number): JsonSchema {
    if (typeof schema === "boolean") return schema;
    if (!isRecord(schema) || this.#faults.has(at)) return {};
    if (depth === 0 || this.#left-- === 0) throw new RangeError("too large");
    const resource = this.#resources.ownerOf(schema, outer);
    const { words, places } = modernKeywords(schema, this.#draft);
    const copy: JsonRecord = {};
    for (const [word, value] of Object.entries(words)) {
      const place = { schema: value, at: at + (places[word] ?? pointerTo(word)), resource };
      if (value === undefined || this.#faults.has(place.at)) continue;
      if (word === "$ref") copy[word] = this.#reference(value, resource);
      else this.#copyWord(copy, word, place, depth - 1);
    }
    // Names that cannot be told must not count as others.
    if (words["patternProperties"] !== undefined && copy["patternProperties"] === undefined)
      delete copy["additionalProperties"];
    // Some validators want it of every list, and that it is an object.
    if ([copy["type"]].flat().includes("array")) copy["items"] ??= {};
    return copy;
  }

  #copyWord(copy: JsonRecord, word: string, { schema: value, at, resource }: Place, depth: number): void {
    const inner = (schema: unknown, name: string | number): JsonSchemaObject =>
      asObject(this.#copy({ schema, at: at + pointerTo(name), resource }, depth));
    const kind = wordKind(word, value);
    if (kind === "plain") copy[word] = value;
    else if (kind === "data") Object.assign(copy, dataOf(word, value));
    else if (kind === "schemas" && Array.isArray(value)) copy[word] = value.map(inner);
    else if (kind === "named" && isRecord(value)) copy[word] = mapped(value, inner);
    else if (kind === "schema") {
      const whole = this.#copy({ schema: value, at, resource }, depth);
      copy[word] = MAY_BE_BOOLEAN.has(word) ? whole : asObject(whole);
    }
  }

  #reference(reference: unknown, from: Resource): string | undefined {
    const place = isString(reference) ? this.#resources.find(reference, from) : undefined;
    if (place === undefined) return undefined;
    return `#/components/schemas/${this.#names.get(place.at) ?? this.#newName(place)}`;
  }

  #newName(place: Place): string {
    const { nameFor, shared } = this.#options;
    const definition = shared === undefined ? undefined : definitionAt(place.at);
    const known = definition === undefined ? undefined : shared?.known.get(definition);
    if (known !== undefined) return known;
    const part = portableName(pointerSegments(place.at).at(-1) ?? "");
    const name = definition === undefined || shared === undefined ? nameFor(part) : shared.nameFor(part);
    if (definition !== undefined) shared?.known.set(definition, name);
    this.#await(name, place);
    return name;
  }
}

/** A schema before it is copied, where it stands and what its references start from. */
interface Place {
  readonly schema: unknown;
  readonly at: JsonPointer;
  readonly resource: Resource;
}

/** The name in `$defs` of what stands there. */
function definitionAt(at: JsonPointer): string | undefined {
  const [word, name, ...below] = pointerSegments(at);
  return word === "$defs" && below.length === 0 ? name : undefined;
}

function dataOf(word: string, value: unknown): JsonRecord {
  const shown = documentValue(value);
  return shown === undefined ? {} : { [word]: shown.value };
}

function mapped(record: JsonRecord, change: (value: unknown, name: string) => unknown): JsonRecord {
  const copy: JsonRecord = {};
  for (const [name, value] of Object.entries(record)) setField(copy, name, change(value, name));
  return copy;
}
