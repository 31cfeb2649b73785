import type { AnySchema, SchemaWarning } from "../src/schema/index.js";

/** Both ways in which a schema works must give the same answers. */
export const MODES = [
  ["generated", { generate: true }],
  ["walked", { generate: false }],
] as const;

/** A schema of a caller in JavaScript. */
export function given(value: unknown): AnySchema {
  return value as AnySchema;
}

/** Something within something, many times over. */
export function nest(times: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown {
  let value = innermost;
  for (let time = 0; time < times; time++) value = wrap(value);
  return value;
}

/** A schema with a condition. */
export function when(test: unknown, consequence: unknown, alternative?: unknown): object {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: test, then: consequence, ...(alternative !== undefined && { else: alternative }) };
}

/** A schema of an object with these properties. */
export function object(properties: Record<string, unknown>, more: object = {}): object {
  return { type: "object", properties, ...more };
}

/** Warnings in short: `STRIPPED /a/b ×3`. */
export function inShort(warnings: readonly SchemaWarning[]): string[] {
  return warnings.map(({ code, path = "?", count = 1 }) => {
    return `${code.replace("OUTPUT_", "")} ${path}${count === 1 ? "" : ` ×${count}`}`;
  });
}

/** The value, in which nothing can be changed any more. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const key of Reflect.ownKeys(value)) frozen(Reflect.get(value, key));
  return Object.freeze(value);
}
