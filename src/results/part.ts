import { type JsonPointer, pointerTo } from "../json/pointer.js";
import type { JsonRecord } from "../json/value.js";
import { asJson, encodedSize, MAX_DEPTH, writtenNames } from "./encoded-size.js";
import type { Rules } from "./part-rules.js";

/** What holds for all parts of a result while it is shortened. */
export interface Frame {
  /** What is larger than this need not be measured further. */
  readonly bytes: number;
  /** Places that must stay, and stay whole. */
  readonly pins: ReadonlySet<JsonPointer>;
}

/** A part as it is shown, with the bytes that it takes. */
export interface Fitted {
  readonly value: unknown;
  readonly size: number;
}

/** One value inside a result, or all of it. What is asked more than once is remembered. */
export class Part {
  readonly frame: Frame;
  readonly key: string | number;
  readonly given: unknown;
  /** As JSON writes it. */
  readonly value: unknown;
  /** The least that can be shown of it. */
  smallest: Fitted | undefined;
  readonly #parent: Part | undefined;
  readonly #depth: number;
  #children: Map<string | number, Part> | undefined;
  #rules: Rules | undefined;
  #path: JsonPointer | undefined;
  #size: number | undefined;
  #names: readonly string[] | undefined;

  private constructor(frame: Frame, given: unknown, key: string | number, parent: Part | undefined) {
    this.frame = frame;
    this.given = given;
    this.key = key;
    this.value = asJson(given, String(key));
    this.#parent = parent;
    this.#depth = parent === undefined ? 0 : parent.#depth + 1;
    if (this.#depth > MAX_DEPTH) throw new RangeError(`The value is nested more than ${MAX_DEPTH} deep.`);
  }

  static root(given: unknown, rules: Rules, frame: Frame): Part {
    const part = new Part(frame, given, "", undefined);
    part.#rules = rules;
    part.#path = "";
    return part;
  }

  get rules(): Rules {
    this.#rules ??= (this.#parent as Part).rules.below(this.key, this.value);
    return this.#rules;
  }

  get path(): JsonPointer {
    this.#path ??= (this.#parent as Part).path + pointerTo(this.key);
    return this.#path;
  }

  /** The names of the fields that JSON writes. */
  get names(): readonly string[] {
    this.#names ??= writtenNames(this.value as JsonRecord);
    return this.#names;
  }

  get isWhole(): boolean {
    return (this.frame.pins.size > 0 && this.frame.pins.has(this.path)) || this.rules.isWhole;
  }

  isPinnedBelow(name: string): boolean {
    return this.frame.pins.size > 0 && this.frame.pins.has(this.path + pointerTo(name));
  }

  child(key: string | number): Part {
    this.#children ??= new Map();
    const known = this.#children.get(key);
    if (known !== undefined) return known;
    const child = new Part(this.frame, (this.value as Record<string | number, unknown>)[key], key, this);
    this.#children.set(key, child);
    return child;
  }

  /** The bytes of it, or some number over the limit. */
  size(limit: number): number {
    if (this.#size !== undefined) return this.#size;
    const size = encodedSize(this.value, limit);
    if (size <= limit) this.#size = size;
    return size;
  }
}
