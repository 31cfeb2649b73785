import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computedWithin } from "../../test/own-time.js";
import { frozen, nest } from "../../test/schema-values.js";
import { pointerSegments } from "../json/pointer.js";
import { encodedSize } from "./encoded-size.js";
import { type Preview, previewOf } from "./preview.js";

const unit = fc.constantFrom("a", "b", " ", '"', "\n", "é", "中", "😀", "\ud800");
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit, maxLength: 200 }),
    fc.constantFrom<unknown>(null, true, 0, -1.5, 1e100),
    fc.array(tie("value"), { maxLength: 30 }),
    fc.dictionary(fc.string({ unit, maxLength: 10 }), tie("value"), { maxKeys: 10, noNullPrototype: true }),
  ),
})).value;

/** The least to which anything without a schema can be cut: a text of which only the sign is left. */
const LEAST = 5;

describe("a preview of data without a schema", () => {
  test("is within the budget, and there is none where the data is", () => {
    fc.assert(
      fc.property(json, fc.nat({ max: 600 }), (data, bytes) => {
        const preview = previewOf(data, { bytes });
        if (encodedSize(data) <= bytes) expect(preview).toBeUndefined();
        else if (preview === undefined) expect(encodedSize(data)).toBeLessThanOrEqual(maximumOf(data));
        else expect(encodedSize(preview.data)).toBeLessThanOrEqual(Math.max(bytes, LEAST));
      }),
      { numRuns: 500 },
    );
  });

  test("leaves the data untouched, is the same each time, and is JSON as it is measured", () => {
    fc.assert(
      fc.property(json, fc.nat({ max: 600 }), (data, bytes) => {
        const before = JSON.stringify(data);
        const preview = previewOf(frozen(data), { bytes });
        expect(JSON.stringify(data)).toBe(before);
        expect(previewOf(JSON.parse(before), { bytes })).toEqual(preview);
        if (preview !== undefined)
          expect(Buffer.byteLength(JSON.stringify(preview.data))).toBe(encodedSize(preview.data));
      }),
    );
  });

  test("shows beginnings of what is there, and names each place with its counts", () => {
    fc.assert(
      fc.property(json, fc.nat({ max: 600 }), (data, bytes) => {
        const preview = previewOf(data, { bytes });
        if (preview === undefined) return;
        expect(preview.shortened.length).toBeGreaterThan(0);
        for (const { path, kind, kept, total } of preview.shortened) {
          const [whole, shown] = [at(data, path), at(preview.data, path)];
          expect([countOf(shown) - (kind === "string" ? 1 : 0), countOf(whole)]).toEqual([kept, total]);
          if (typeof shown === "string") expect((whole as string).startsWith(shown.slice(0, -1))).toBe(true);
        }
        expect(withoutShortened(data, preview)).toEqual(preview.data);
      }),
    );
  });

  test("shares what is not shortened", () => {
    const data = { small: { a: [1] }, rows: Array.from({ length: 1000 }, (_, id) => ({ id })) };
    const preview = previewOf(data, { bytes: 500 })?.data as typeof data;
    expect(preview.small).toBe(data.small);
    expect(preview.rows[0]).toBe(data.rows[0]);
  });

  test("takes the caller's word for the size", () => {
    const data = ["x".repeat(100)];
    expect(previewOf(data, { bytes: 50, encoded: 20 })).toBeUndefined();
    expect(previewOf(data, { bytes: 50, encoded: 104 })?.shortened).toHaveLength(1);
  });
});

describe("what is shortened first", () => {
  const kept = (data: unknown, bytes: number) =>
    Object.fromEntries((previewOf(data, { bytes })?.shortened ?? []).map(({ path, kept }) => [path, kept]));

  test("is the largest part: small fields stay whole beside it", () => {
    const data = { id: "a-1", title: "t".repeat(200), rows: Array.from({ length: 5000 }, (_, at) => `row ${at}`) };
    expect(Object.keys(kept(data, 2000))).toEqual(["/rows"]);
  });

  test("is a list rather than its items, where they are small", () => {
    const rows = Array.from({ length: 1000 }, (_, id) => ({ id, note: "n".repeat(50) }));
    expect(kept(rows, 5000)).toEqual({ "": 71 });
  });

  test("are the items, where they are few and large", () => {
    const documents = Array.from({ length: 3 }, () => ({ text: "t".repeat(10_000) }));
    expect(Object.keys(kept(documents, 6000))).toEqual(["/0/text", "/1/text", "/2/text"]);
  });

  test("are the last entries of an object that is used as a map", () => {
    const map = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key-${at}`, { value: "v".repeat(40) }]));
    const preview = previewOf(map, { bytes: 2000 });
    expect(preview?.shortened).toMatchObject([{ path: "", kind: "object", total: 1000 }]);
    expect(Object.keys(preview?.data as object)).toEqual(Object.keys(map).slice(0, preview?.shortened[0]?.kept));
  });

  test("is never the only item, where it can be cut to fit", () => {
    expect(previewOf([["x".repeat(1000)]], { bytes: 50 })?.data).toEqual([[`${"x".repeat(41)}…`]]);
  });

  test("uses most of the budget", () => {
    const data = {
      text: "t".repeat(90_000),
      rows: Array.from({ length: 9000 }, (_, id) => ({ id, name: `row ${id}` })),
    };
    expect(encodedSize(previewOf(data, { bytes: 24_000 })?.data)).toBeGreaterThan(23_900);
  });
});

describe("a text that is cut", () => {
  test("ends before a character, never inside one", () => {
    for (let bytes = LEAST; bytes < 40; bytes++) {
      const { data } = previewOf("😀".repeat(20), { bytes }) as Preview;
      expect(data).toBe(`${"😀".repeat(Math.floor((bytes - LEAST) / 4))}…`);
    }
  });

  test("is counted as it is encoded", () => {
    const { data } = previewOf("\u0001".repeat(100), { bytes: 30 }) as Preview;
    expect(data).toBe(`${"\u0001".repeat(4)}…`);
  });
});

describe("values that JSON cannot hold", () => {
  test("are treated as JSON does", () => {
    const data = { when: new Date(0), gone: undefined, call: () => 1, list: [undefined, Number.NaN, "x".repeat(100)] };
    const preview = previewOf(data, { bytes: 130 });
    expect(JSON.parse(JSON.stringify(preview?.data))).toEqual({
      when: "1970-01-01T00:00:00.000Z",
      list: [null, null, expect.stringMatching(/^x+…$/)],
    });
    expect(preview?.shortened).toMatchObject([{ path: "/list/2", kind: "string", total: 100 }]);
  });

  test("are shortened in what their toJSON gives", () => {
    const data = { toJSON: () => ({ rows: [1, 2, 3, 4, 5, 6, 7, 8, 9] }) };
    expect(previewOf(data, { bytes: 15 })?.data).toEqual({ rows: [1, 2] });
  });

  test("give no preview where they cannot be looked at", () => {
    const throwing = {
      get a(): string {
        throw new Error("no");
      },
      b: "x".repeat(100),
    };
    expect(previewOf(throwing, { bytes: 10, encoded: 200 })).toBeUndefined();
  });

  test("may lead back to themselves", () => {
    const cycle: Record<string, unknown> = { text: "x".repeat(100) };
    cycle["self"] = cycle;
    expect(JSON.stringify(previewOf(cycle, { bytes: 500 })?.data).length).toBeLessThanOrEqual(500);
    expect(previewOf(cycle, { bytes: 500_000 })).toBeUndefined();
  });

  test("keep the field __proto__ as data", () => {
    const data = JSON.parse(`{"__proto__":{"a":1},"text":"${"x".repeat(100)}"}`);
    expect(JSON.stringify(previewOf(data, { bytes: 50 })?.data)).toMatch(/^\{"__proto__":\{"a":1\},"text":"x+…"\}$/);
  });
});

describe("large and deep data", () => {
  test("of 50 MB has its preview in a moment", () => {
    const row = { name: "x".repeat(80), tags: ["a", "b"] };
    const data = { rows: Array.from({ length: 500_000 }, (_, id) => ({ id, ...row })) };
    const preview = computedWithin(2000, () => previewOf(data, { bytes: 24_000 }));
    expect(preview?.shortened).toMatchObject([{ path: "/rows", total: 500_000 }]);
  });

  test("in one text of 20 MB is cut", () => {
    expect(previewOf("x".repeat(20_000_000), { bytes: 1000 })?.shortened).toMatchObject([{ kept: 995 }]);
  });

  test.each([
    ["lists", (inner: unknown) => [inner]],
    ["objects", (inner: unknown) => ({ inner })],
  ])("of 10,000 nested %s has no preview, and does not overflow the stack", (_, wrap) => {
    expect(previewOf(nest(10_000, wrap, "x"), { bytes: 100_000 })).toBeUndefined();
    expect(previewOf(nest(10_000, wrap, "x"), { bytes: 100, encoded: 100_000 })).toSatisfy(isSmallOrNone);
  });

  test("that is deep only in what is left out has one", () => {
    const data = [..."abc", nest(10_000, (inner) => [inner], "x")];
    expect(previewOf(data, { bytes: 100, encoded: 20_000 })?.data).toEqual(["a", "b", "c", expect.anything()]);
  });

  function isSmallOrNone(preview: Preview | undefined): boolean {
    return preview === undefined || encodedSize(preview.data) <= 100;
  }
});

function at(data: unknown, path: string): unknown {
  return pointerSegments(path).reduce((value, key) => (value as Record<string, unknown>)[key], data);
}

function countOf(value: unknown): number {
  if (typeof value === "string") return [...value].length;
  return Object.keys(value as object).length;
}

/** What can be left whole at most without a schema: no list, no object with fields, no text that a cut makes smaller. */
function maximumOf(data: unknown): number {
  return typeof data === "string" ? LEAST : typeof data === "object" && data !== null ? 2 : Number.POSITIVE_INFINITY;
}

/** The data with nothing changed but what the preview says. */
function withoutShortened(data: unknown, { data: shown, shortened }: Preview): unknown {
  const copy = { root: structuredClone(data) };
  for (const { path } of shortened) {
    const keys = pointerSegments(`/root${path}`);
    const holder = keys.slice(0, -1).reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], copy);
    const key = keys.at(-1) as string;
    const whole = (holder as Record<string, unknown>)[key];
    const short = at(shown, path);
    const cut = Array.isArray(whole)
      ? whole.slice(0, (short as unknown[]).length)
      : typeof whole === "string"
        ? short
        : Object.fromEntries(
            Object.keys(short as object).map((name) => [name, (whole as Record<string, unknown>)[name]]),
          );
    (holder as Record<string, unknown>)[key] = cut;
  }
  return copy.root;
}
