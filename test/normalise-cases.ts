import { expect } from "vitest";
import { compile } from "../src/schema/index.js";
import { frozen, inShort } from "./schema-values.js";

export type NormaliseCase = readonly [
  what: string,
  schema: object,
  value: unknown,
  expected: unknown,
  warnings: readonly string[],
];

/** Expected where nothing is to be changed. */
export const SAME: unique symbol = Symbol("the same object");

/** A value becomes what is expected and is not touched itself; what is said of the result is true. */
export function expectNormalised(options: { readonly generate: boolean }): (...args: NormaliseCase) => void {
  return (_what, schema, value, expected, warnings) => {
    const compiled = compile(schema, options);
    const result = compiled.normalise(frozen(value));
    if (expected === SAME) expect(result.value).toBe(value);
    else expect(result.value).toStrictEqual(expected);
    expect(inShort(result.warnings)).toEqual(warnings);
    expect(result.isValid).toBe(!warnings.some((warning) => warning.startsWith("MISMATCH")));
    expect(compiled.accepts(result.value)).toBe(result.isValid);
  };
}
