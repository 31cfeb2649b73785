import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { operation } from "./fixtures/operations.js";
import { portableName, uniqueName } from "./portable-name.js";
import { OperationRegistry } from "./registry.js";

const anyName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: fc.constantFrom("a", "Z", "0", "_", "-", ".", "/", " ", "é", "🎉", "\n", "\0", "]", "^", "\\") }),
  fc.constantFrom("", "-", "---", "...", "/etc/passwd", "../..", "__proto__", "a".repeat(64), "a".repeat(65)),
);

describe("portableName", () => {
  test("gives any text a name of the characters and the length that every client takes", () => {
    fc.assert(
      fc.property(anyName, fc.integer({ min: 16, max: 128 }), (name, maxLength) => {
        const portable = portableName(name, { maxLength });
        expect(portable).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]*$/);
        expect(portable.length).toBeLessThanOrEqual(maxLength);
      }),
    );
  });

  test("gives any text a name that a registry takes", () => {
    fc.assert(
      fc.property(anyName, (text) => {
        const name = portableName(text, { maxLength: 128, also: "./" });
        fc.pre(!["__proto__", "constructor", "prototype", "then"].includes(name));
        expect(() => new OperationRegistry().register(operation(() => 1, { name }))).not.toThrow();
        const namespace = portableName(text);
        expect(() => new OperationRegistry().register(operation(() => 1, { namespace }))).not.toThrow();
      }),
    );
  });

  test("leaves a portable name as it is, and so gives the same when it is asked twice", () => {
    fc.assert(
      fc.property(anyName, fc.constantFrom("", "./"), (name, also) => {
        const portable = portableName(name, { also });
        expect(portableName(portable, { also })).toBe(portable);
        expect(portableName(name, { also })).toBe(portable);
      }),
    );
    for (const name of ["a", "A1_-", "_", "0", "read_file", "x".repeat(64)]) expect(portableName(name)).toBe(name);
  });

  test.each([
    ["read file", "read_file"],
    ["a::b", "a_b"],
    ["files/read.text", "files_read_text"],
    ["-x", "x"],
    ["naïve", "na_ve"],
    ["", "tool"],
    ["---", "tool"],
  ])("makes of %j %j", (name, portable) => {
    expect(portableName(name)).toBe(portable);
  });

  test("keeps the characters that may stay, also those that mean something inside a pattern", () => {
    for (const character of ["]", "^", "\\", "-", ".", "/", "$", "*"])
      expect(portableName(`a${character}b c`, { also: character })).toBe(`a${character}b_c`);
  });

  test("tells long names apart that begin alike", () => {
    const long = "n".repeat(200);
    const names = ["a", "b", "c", "", "aa"].map((end) => portableName(long + end));
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toHaveLength(64);
  });
});

describe("uniqueName", () => {
  test("gives every one of many names another, none too long", () => {
    fc.assert(
      fc.property(fc.array(anyName, { maxLength: 30 }), (names) => {
        const taken = new Set<string>();
        for (const name of [...names, ...names]) {
          const unique = uniqueName(portableName(name), taken);
          expect(taken.has(unique)).toBe(false);
          expect(unique).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/);
          taken.add(unique);
        }
      }),
    );
  });

  test("keeps a name that is free, and takes the first number that is", () => {
    expect(uniqueName("a", new Set())).toBe("a");
    expect(uniqueName("a", new Set(["a"]))).toBe("a_2");
    expect(uniqueName("a", new Set(["a", "a_2", "a_3"]))).toBe("a_4");
    expect(uniqueName("x".repeat(64), new Set(["x".repeat(64)]))).toBe(`${"x".repeat(62)}_2`);
  });
});
