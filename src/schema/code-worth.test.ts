import { afterEach, describe, expect, test, vi } from "vitest";
import { frozen, object } from "../../test/schema-values.js";
import { CodeWorth } from "./code-worth.js";
import { compile } from "./compile.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** How many values are walked over before code pays. */
function walked(worth: CodeWorth, value: unknown): number {
  let times = 0;
  while (!worth.isReachedBy(value) && times < 1_000) times++;
  return times;
}

describe("code", () => {
  test("pays after some values, however small they are", () => {
    for (const nodes of [1, 10, 1_000]) {
      expect(walked(new CodeWorth(nodes, 0), {})).toBeGreaterThan(2);
      expect(walked(new CodeWorth(nodes, 0), {})).toBeLessThan(50);
    }
  });

  test("pays the sooner the larger the values are", () => {
    const small = walked(new CodeWorth(100, 0), [1, 2, 3]);
    const large = walked(new CodeWorth(100, 0), Array(300).fill({ a: 1 }));
    expect(large).toBeLessThan(small);
    expect(walked(new CodeWorth(100, 0), Array(100_000).fill(1))).toBe(0);
  });

  test("pays the sooner the more alternatives are to be tried", () => {
    const value = Array(100).fill({ a: 1 });
    expect(walked(new CodeWorth(100, 10), value)).toBeLessThan(walked(new CodeWorth(100, 2), value));
    expect(walked(new CodeWorth(100, 2), value)).toBe(walked(new CodeWorth(100, 0), value));
  });

  test("pays at once where it is wanted at once", () => {
    expect(new CodeWorth(0, 0).isReachedBy(1)).toBe(true);
  });

  test("still pays once it did", () => {
    const worth = new CodeWorth(1, 0);
    walked(worth, 1);
    expect(worth.isReachedBy(1)).toBe(true);
  });

  test("is decided on also for values that cannot be looked at, or have no end", () => {
    const hidden = {
      get a(): never {
        throw new Error("no one may look");
      },
    };
    const circle: unknown[] = [];
    circle.push(circle, circle, circle);
    expect(new CodeWorth(1_000, 0).isReachedBy(hidden)).toBe(false);
    expect(new CodeWorth(1_000, 0).isReachedBy(circle)).toBe(true);
    expect(new CodeWorth(1_000, 0).isReachedBy(new Uint8Array(1_000_000))).toBe(false);
  });
});

describe("a schema", () => {
  const schema = () => object({ id: { type: "integer" }, name: { type: "string", default: "Ada" } });

  /** What is made by `new Function` from now on. */
  function codeMade(): { readonly count: number } {
    const made = { count: 0 };
    class Counted extends Function {
      constructor(...words: string[]) {
        super(...words);
        made.count++;
      }
    }
    vi.stubGlobal("Function", Counted);
    return made;
  }

  test("that is used once or twice is walked, and no code is made for it", () => {
    compile({ type: "string" }, { generate: true }).accepts("a");
    const made = codeMade();
    const compiled = compile(schema());
    for (const id of [1, "1"]) {
      expect(compiled.accepts({ id })).toBe(id === 1);
      expect(compiled.normalise({ id }).value).toEqual({ id: 1, name: "Ada" });
    }
    expect(made.count).toBe(0);
  });

  test.each([
    ["is used again and again", Array(100).fill({ id: 1 })],
    ["meets a large value", [{ id: 1, list: Array(1_000).fill(1) }]],
  ])("that %s gets code", (_, values) => {
    const made = codeMade();
    const compiled = compile(schema());
    for (const value of values) compiled.normalise(value);
    expect(made.count).toBe(1);
  });

  test("gets code at its first use where that is asked for", () => {
    const made = codeMade();
    compile(schema(), { generate: true }).normalise({ id: 1 });
    expect(made.count).toBe(1);
  });

  test("gives the same answers with code as before, and learns what to strip as it did", () => {
    const compiled = compile(schema());
    const walked = compile(schema(), { generate: false });
    const values = frozen([
      { id: "1", x: 1 },
      { id: 1, name: "a", y: 1, x: 2 },
      { id: 1, name: "a" },
      { id: "x" },
      [],
      5,
    ]);
    for (let times = 0; times < 300; times++) {
      for (const value of values) {
        expect(compiled.normalise(value)).toEqual(walked.normalise(value));
        expect(compiled.issues(value)).toEqual(walked.issues(value));
      }
    }
  });
});
