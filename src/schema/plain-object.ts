import { type JsonRecord, setField } from "../json/value.js";

/** Kinds of objects that are no JSON objects: what they hold are no fields. */
const EXOTIC = new Set(
  ["Map", "Set", "WeakMap", "WeakSet", "Date", "RegExp", "Promise", "ArrayBuffer", "SharedArrayBuffer", "DataView"].map(
    (name) => `[object ${name}]`,
  ),
);

/** Whether an object can stand for a JSON object: its own fields, or those of its class, are its data. */
export function isFieldHolder(value: object): boolean {
  if (value.constructor === Object) return true;
  return !Array.isArray(value) && !ArrayBuffer.isView(value) && !EXOTIC.has(Object.prototype.toString.call(value));
}

/** What JSON would write of an object whose class says so. */
export function fromToJson(value: object): { readonly value: unknown } | undefined {
  if (value.constructor === Object) return undefined;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? { value: toJSON.call(value) } : undefined;
}

/**
 * The fields of an object of a class, with those of the named ones that its class has as getters: they are meant to be
 * read like fields, but JSON would lose them. The same object where there are none.
 */
export function withGetters(value: JsonRecord, names: Iterable<string>): JsonRecord {
  if (value.constructor === Object) return value;
  let copy: JsonRecord | undefined;
  for (const name of names) {
    if (Object.hasOwn(value, name) || name in Object.prototype || !(name in value)) continue;
    copy ??= { ...value };
    setField(copy, name, value[name]);
  }
  return copy ?? value;
}
