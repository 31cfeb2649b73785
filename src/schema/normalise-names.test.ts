import { describe, expect, test } from "vitest";
import { frozen, MODES, object } from "../../test/schema-values.js";
import { compile } from "./compile.js";

const number = { type: "number" };
const n = object({ n: number });
const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

/** An object whose own keys are these names, as only `JSON.parse` makes it from a source. */
function named(value: unknown, names: readonly string[] = NAMES): Record<string, unknown> {
  return JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`);
}

describe.each(MODES)("names that objects inherit, %s", (_, options) => {
  const inherited = Object.getOwnPropertyNames(Object.prototype);

  const isPlain = (value: unknown) => {
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(JSON.parse(JSON.stringify(value))).toEqual(value);
  };

  test.each([
    ["are stripped where they are not named", n, named({ polluted: 1 }), {}],
    [
      "are kept where others may be there",
      { ...n, additionalProperties: true },
      { ...named({ polluted: 1 }), n: "1" },
      { ...named({ polluted: 1 }), n: 1 },
    ],
    ["are converted in maps", { additionalProperties: number }, named("1"), named(1)],
    ["are converted where they are named", object(named(number)), named("1"), named(1)],
    ["are absent where they are inherited", object(named(number)), {}, {}],
    ["are filled with defaults", object(named({ default: { polluted: 1 } })), {}, named({ polluted: 1 })],
    ["are filled inside a default", object({ a: { default: named(1) } }), {}, { a: named(1) }],
    ["are found by patterns", { patternProperties: { "^": n } }, named({ n: "1", m: 1 }), named({ n: 1 })],
  ])("%s", (_what, schema, value, expected) => {
    const result = compile(schema, options).normalise(frozen(value));
    expect(JSON.stringify(sorted(result.value))).toBe(JSON.stringify(sorted(expected)));
    expect(result.isValid).toBe(true);
    isPlain(result.value);
  });

  test.each(['"};throw 1//', "\u2028", "`", "\ud800", "a\\", "*/", "\n", "'"])("mean nothing in code: %j", (name) => {
    const result = compile(object({ [name]: number }, { required: [name] }), options).normalise({ [name]: "1", a: 1 });
    expect(result).toMatchObject({ value: { [name]: 1 }, isValid: true });
    expect(result.warnings.map(({ path }) => path)).toEqual([`/${name.replaceAll("/", "~1")}`, "/a"]);
  });

  test.each(NAMES)("are missing where %s is required and only inherited", (name) => {
    const compiled = compile(object({ n: number }, { required: [name] }), options);
    expect(compiled.issues({}).map(({ path }) => path)).toEqual([`/${name}`]);
    expect(compiled.normalise({}).isValid).toBe(false);
    expect(compiled.accepts(named(1, [name]))).toBe(true);
  });
});

function sorted(value: unknown): [string, unknown][] {
  return Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1));
}
