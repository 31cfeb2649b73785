/** A JSON object, before anything is known of its fields. */
export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isString(value: unknown): value is string {
  return typeof value === "string";
}

export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isString);
}

/** Past this depth two values count as equal only when they are the same object, so that no input exhausts the stack. */
const COMPARED_DEPTH = 500;

/** Equality of JSON values: the order of keys does not matter, and a key that holds `undefined` is absent. */
export function isEqual(a: unknown, b: unknown, depth: number = COMPARED_DEPTH): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (depth === 0) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => isEqual(item, b[at], depth - 1));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  return (
    presentKeys(a).length === presentKeys(b).length &&
    presentKeys(a).every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key], depth - 1))
  );
}

/** The keys that JSON would write. */
export function presentKeys(record: JsonRecord): string[] {
  return Object.keys(record).filter((key) => record[key] !== undefined);
}

/** Sets a field as data, whatever its name: `__proto__` becomes an own property like any other. */
export function setField(record: JsonRecord, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  else record[key] = value;
}

/** What JSON writes where there is nothing. */
export function orNull(value: unknown): unknown {
  return value === undefined ? null : value;
}

/** The record without the named keys, and without keys that hold `undefined`. */
export function omit(record: JsonRecord, keys: readonly string[]): JsonRecord {
  const rest: JsonRecord = {};
  const dropped = new Set(keys);
  for (const key of presentKeys(record)) if (!dropped.has(key)) setField(rest, key, record[key]);
  return rest;
}

/** Drops keys that hold `undefined`, so that an optional field is either there or absent. */
export function compact<T extends object>(record: T): Compacted<T> {
  return omit(record as JsonRecord, []) as Compacted<T>;
}

type Compacted<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
