import { describe, expect, test } from "vitest";
import { compile } from "./compile.js";

class User {
  readonly #name = "Ada";
  readonly id = "7";
  get name(): string {
    return this.#name;
  }
}

class Money {
  readonly cents = 5;
  toJSON(): unknown {
    return { amount: "0.05" };
  }
}

const object = (properties: Record<string, unknown>) => ({ type: "object", properties });

describe.each([
  ["generated", { generate: true }],
  ["walked", { generate: false }],
])("an object of a class, %s", (_, options) => {
  const normalise = (schema: object, value: unknown) => compile(schema, options).normalise(value);

  test("keeps the fields that its class has as getters", () => {
    const { value, warnings } = normalise(object({ id: { type: "number" }, name: { type: "string" } }), new User());
    expect(value).toStrictEqual({ id: 7, name: "Ada" });
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toEqual(["OUTPUT_CONVERTED ", "OUTPUT_CONVERTED /id"]);
  });

  test("is what its toJSON gives", () => {
    expect(normalise(object({ amount: { type: "string" } }), new Money()).value).toStrictEqual({ amount: "0.05" });
    const link = normalise(object({ link: { type: "string" } }), { link: new URL("http://a/b") });
    expect(link).toMatchObject({ value: { link: "http://a/b" }, isValid: true });
  });

  test.each([new Map([["a", 1]]), new Set([1]), new Uint8Array(2), Promise.resolve(1), /a/])(
    "that is no JSON object is passed on as it came: %o",
    (value) => {
      const { value: result, isValid, warnings } = normalise(object({ a: { type: "number", default: 0 } }), value);
      expect(result).toBe(value);
      expect(isValid).toBe(false);
      expect(warnings).toMatchObject([{ code: "OUTPUT_MISMATCH", path: "" }]);
      expect(compile({ type: "object" }, options).accepts(value)).toBe(false);
    },
  );

  test("that is no JSON object is never replaced without a word", () => {
    const { warnings } = compile(object({ a: {} }), options).normalise(new Date(0), { cast: true });
    expect(warnings).toMatchObject([{ code: "OUTPUT_FILLED", path: "" }]);
  });

  test("with nothing to change is the same object", () => {
    const user = new User();
    expect(normalise(object({ id: { type: "string" } }), user).value).toBe(user);
  });
});
