import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pointerFromDotted, pointerSegments, pointerTo, pointerToDotted } from "./pointer.js";
import { isEqual } from "./value.js";

const segment = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: fc.constantFrom("~", "/", "0", "1", ".", "a", "#", "\n"), maxLength: 6 }),
);
const segments = fc.array(segment, { maxLength: 5 });

describe("a JSON pointer", () => {
  test("gives back the segments that it was made of", () => {
    fc.assert(
      fc.property(segments, (parts) => {
        expect(pointerSegments(pointerTo(...parts))).toEqual(parts);
      }),
      { numRuns: 1000 },
    );
  });

  test("is another one for other segments", () => {
    fc.assert(fc.property(segments, segments, (a, b) => (pointerTo(...a) === pointerTo(...b)) === isEqual(a, b)));
  });

  test.each([
    [[], ""],
    [[""], "/"],
    [["a", "b"], "/a/b"],
    [["rows", 0, "id"], "/rows/0/id"],
    [["a/b"], "/a~1b"],
    [["m~n"], "/m~0n"],
    [["~1"], "/~01"],
    [["__proto__"], "/__proto__"],
    [[" ", '"'], '/ /"'],
  ] as const)("to %j is written %j, as RFC 6901 has it", (parts, pointer) => {
    expect(pointerTo(...parts)).toBe(pointer);
    expect(pointerSegments(pointer)).toEqual(parts.map(String));
  });

  test("joins with another by writing one after the other", () => {
    fc.assert(fc.property(segments, segments, (a, b) => pointerTo(...a) + pointerTo(...b) === pointerTo(...a, ...b)));
  });
});

describe("the dotted form", () => {
  test("of any pointer reads back as this pointer", () => {
    fc.assert(
      fc.property(segments, (parts) => {
        const pointer = pointerTo(...parts);
        expect(pointerFromDotted(pointerToDotted(pointer))).toBe(pointer);
      }),
      { numRuns: 1000 },
    );
  });

  test("of plain names reads back as these names", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "B", "0", "_", "-", "é"), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        expect(pointerFromDotted(names.join("."))).toBe(pointerTo(...names));
        expect(pointerToDotted(pointerTo(...names))).toBe(names.join("."));
      }),
    );
  });

  test.each(["", "/", "/a.b", "/a~1b", "/a~0b", "//", "/a//b", "/a/"])("of %j is the pointer itself", (pointer) => {
    expect(pointerToDotted(pointer)).toBe(pointer);
  });

  test.each(["", "a..b", ".a", "a.", "a/b", "a~b"])("%j that names no plain place stays as it is", (dotted) => {
    expect(pointerFromDotted(dotted)).toBe(dotted);
    expect(pointerToDotted(dotted)).toBe(dotted);
  });

  test("is left alone where it is a pointer already", () => {
    expect(pointerFromDotted("/rows/0/id")).toBe("/rows/0/id");
  });
});
