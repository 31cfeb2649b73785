import type { Warning } from "../../../envelope/warning.js";
import { orElse } from "../../../json/attempt.js";
import { pointerSegments } from "../../../json/pointer.js";
import { isRecord, isString, type JsonRecord } from "../../../json/value.js";
import type { SecurityScheme } from "../description.js";
import type { LoadedDocument } from "./load-document.js";
import type { ApiVersion } from "./recognise.js";
import { securitySchemesOf } from "./security-schemes.js";

/** A value, and the address of the document that it stands in: relative references start there. */
export interface Place {
  readonly value: unknown;
  readonly base: string;
}

/** Longer chains of references are taken for circles. */
const MOST_STEPS = 50;

/** An OpenAPI document whose references can be followed. Nothing in it is changed. */
export class ApiDocument {
  readonly version: ApiVersion;
  /** Of the root document. */
  readonly address: string;
  readonly root: JsonRecord;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly warnings: readonly Warning[];
  readonly #documents: ReadonlyMap<string, unknown>;
  readonly #addresses = new Map<string, string>();
  #schemes: Readonly<Record<string, SecurityScheme>> | undefined;

  constructor({ address, version, documents, warnings }: LoadedDocument) {
    const root = documents.get(address);
    this.version = version;
    this.address = address;
    this.root = isRecord(root) ? root : {};
    const info = isRecord(this.root["info"]) ? this.root["info"] : {};
    this.title = isString(info["title"]) ? info["title"] : undefined;
    this.description = isString(info["description"]) ? info["description"] : undefined;
    this.warnings = warnings;
    this.#documents = documents;
  }

  securitySchemes(): Readonly<Record<string, SecurityScheme>> {
    this.#schemes ??= securitySchemesOf(this);
    return this.#schemes;
  }

  /** The value itself, or what its reference leads to at last. `undefined` where that is nowhere. */
  resolve(place: Place): Place | undefined {
    return this.#resolve(place, { left: MOST_STEPS });
  }

  /** What a reference leads to, which may be a reference again. */
  lookUp(reference: string, base: string): Place | undefined {
    return this.#lookUp(reference, base, { left: MOST_STEPS });
  }

  /** The address of the document that a reference means, and the pointer in it. */
  targetOf(reference: string, base: string): { readonly address: string; readonly pointer: string } {
    const hash = reference.indexOf("#");
    const fragment = hash < 0 ? "" : reference.slice(hash + 1);
    const pointer = fragment.includes("%") ? orElse(() => decodeURIComponent(fragment), fragment) : fragment;
    return { address: hash === 0 ? base : this.#addressOf(reference, base), pointer };
  }

  #resolve(place: Place, steps: { left: number }): Place | undefined {
    let found: Place | undefined = place;
    while (found !== undefined && isRecord(found.value) && isString(found.value["$ref"])) {
      found = this.#lookUp(found.value["$ref"], found.base, steps);
    }
    return found;
  }

  #lookUp(reference: string, base: string, steps: { left: number }): Place | undefined {
    if (--steps.left < 0) return undefined;
    const { address, pointer } = this.targetOf(reference, base);
    const value = this.#documents.get(address);
    if (value === undefined || (pointer !== "" && !pointer.startsWith("/"))) return undefined;
    let place: Place = { value, base: address };
    for (const key of pointerSegments(pointer)) {
      const inner = this.#inner(place, key, steps);
      if (inner === undefined) return undefined;
      place = inner;
    }
    return place;
  }

  /** A pointer may also lead through a reference. */
  #inner(place: Place, key: string, steps: { left: number }): Place | undefined {
    const { value, base } = hasKey(place.value, key) ? place : (this.#resolve(place, steps) ?? place);
    return hasKey(value, key) ? { value: value[key], base } : undefined;
  }

  #addressOf(reference: string, base: string): string {
    const key = `${base} ${reference}`;
    const known = this.#addresses.get(key);
    if (known !== undefined) return known;
    const address = orElse(() => new URL(reference, base).href, reference).replace(/#.*$/s, "");
    this.#addresses.set(key, address);
    return address;
  }
}

function hasKey(value: unknown, key: string): value is JsonRecord {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}
