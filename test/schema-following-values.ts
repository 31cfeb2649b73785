export type JsonObject = Record<string, unknown>;

export const TYPES: readonly string[] = ["string", "number", "integer", "boolean", "null", "object", "array"];

/** Names that often meet, and such as are not what they seem. */
export const NAMES: readonly string[] = [
  "a",
  "b",
  "c",
  "kind",
  "0",
  "a/b~",
  "",
  "é",
  "__proto__",
  "constructor",
  "toString",
];

/** A value that follows the schema for the most part, always the same one for a seed. */
export function valueFor(schema: JsonObject, seed: number, beyondJson: boolean): unknown {
  return new Maker(schema, seed, beyondJson).value();
}

const STRANGE: readonly (() => unknown)[] = [
  ...[() => undefined, () => Number.NaN, () => 5n, () => new Date(0), () => -0, () => Number.POSITIVE_INFINITY],
  () => Object.assign(Object.create(null), { a: 1 }),
];

class Maker {
  readonly #root: JsonObject;
  readonly #beyondJson: boolean;
  #state: number;

  constructor(root: JsonObject, seed: number, beyondJson: boolean) {
    this.#root = root;
    this.#state = seed;
    this.#beyondJson = beyondJson;
  }

  value(): unknown {
    return this.#make(this.#root, 0);
  }

  /** A small generator of random numbers (mulberry32), so that a value depends on its seed alone. */
  #random(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)] as T;
  }

  #make(schema: unknown, depth: number): unknown {
    const value = this.#follow(schema, depth);
    switch (this.#random(14)) {
      case 0:
        return this.#any(depth);
      case 1:
        return typeof value === "object" ? value : String(value);
      case 2:
        return this.#beyondJson && this.#random(4) === 0 ? this.#pick(STRANGE)() : value;
      default:
        return value;
    }
  }

  #any(depth: number): unknown {
    const kinds = depth > 3 ? 6 : 8;
    return [null, true, 0, 12, "a", "1", [], {}].slice(0, kinds)[this.#random(kinds)];
  }

  #follow(schema: unknown, depth: number): unknown {
    if (typeof schema !== "object" || schema === null || depth > 7) return this.#any(depth);
    const words = schema as JsonObject;
    if (Array.isArray(words["enum"])) return structuredClone(this.#pick(words["enum"]));
    if (Object.hasOwn(words, "const")) return structuredClone(words["const"]);
    if (typeof words["$ref"] === "string") return this.#make(this.#resolve(words["$ref"]), depth + 1);
    const parts = ["allOf", "anyOf", "oneOf"].flatMap((word) => (words[word] as unknown[] | undefined) ?? []);
    const branches = ["if", "then", "else"].flatMap((word) => words[word] ?? []);
    const plain = words["properties"] === undefined && words["type"] === undefined;
    if (parts.length + branches.length > 0 && (plain || this.#random(3) === 0)) {
      const made = this.#make(this.#pick([...parts, ...branches]), depth + 1);
      const own = this.#ofType(words, depth);
      return isPlain(made) && isPlain(own) ? { ...own, ...made } : made;
    }
    return this.#ofType(words, depth);
  }

  #resolve(reference: string): unknown {
    const definitions = this.#root["$defs"] as JsonObject;
    return reference === "#" ? this.#root : definitions[reference.slice("#/$defs/".length)];
  }

  #ofType(words: JsonObject, depth: number): unknown {
    const types = [words["type"] ?? guess(words) ?? this.#pick(TYPES)].flat();
    switch (this.#pick(types)) {
      case "object":
        return this.#object(words, depth);
      case "array":
        return this.#list(words, depth);
      case "string":
        return this.#pick(["", "a", "b", "abc", "1", "x-1", "𝒳"]);
      case "number":
        return this.#pick([0, 1, 1.5, 2, 12, -1, 0.3]);
      case "integer":
        return this.#pick([0, 1, 2, 12, -1]);
      case "boolean":
        return this.#random(2) === 0;
      default:
        return null;
    }
  }

  #object(words: JsonObject, depth: number): JsonObject {
    const properties = (words["properties"] as JsonObject | undefined) ?? {};
    const required = (words["required"] as string[] | undefined) ?? [];
    const made: [string, unknown][] = [];
    for (const key of new Set([...Object.keys(properties), ...required])) {
      const leaveOut = this.#random(required.includes(key) ? 12 : 3) === 0;
      if (!leaveOut) made.push([key, this.#make(Object.hasOwn(properties, key) ? properties[key] : true, depth + 1)]);
    }
    if (this.#random(2) === 0) made.splice(this.#random(made.length + 1), 0, this.#extra(words, depth));
    return Object.fromEntries(made);
  }

  #extra(words: JsonObject, depth: number): [string, unknown] {
    const others = words["additionalProperties"] ?? words["unevaluatedProperties"] ?? true;
    return [this.#pick([...NAMES, "x-1", "d", "e"]), this.#make(others, depth + 1)];
  }

  #list(words: JsonObject, depth: number): unknown[] {
    const first = (words["prefixItems"] as unknown[] | undefined) ?? [];
    const length = Math.max(Number(words["minItems"] ?? 0), this.#random(4));
    const rest = words["items"] ?? words["contains"] ?? true;
    return Array.from({ length }, (_, at) => this.#make(at < first.length ? first[at] : rest, depth + 1));
  }
}

function guess(words: JsonObject): string | undefined {
  if (
    ["properties", "required", "patternProperties", "dependentSchemas", "minProperties"].some((word) => word in words)
  )
    return "object";
  return ["items", "prefixItems", "contains", "unevaluatedItems"].some((word) => word in words) ? "array" : undefined;
}

function isPlain(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
