import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRecord } from "../../../json/value.js";
import type { PlannedParameter } from "../plan.js";
import { buildRequest } from "./build-request.js";
import { parameterOf, planOf } from "./fixtures/plans.js";

const text = fc.string({ unit: "binary-ascii" });
const anyText = fc.oneof(
  text,
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(".", "..", "%2e", "../x", "a/b", "\\", ""),
);

describe("a value in a path", () => {
  test("stays in its segment and comes back, whatever text it is", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const path = fill("/x/{a}/y/{b}", { a, b });
        if (path === undefined) return refused(a) || refused(b);
        const segments = path.split("/");
        expect(segments).toHaveLength(5);
        expect(segments[2]).toMatch(/^[\w.~%-]+$/);
        return decodeURIComponent(segments[2] ?? "") === a && decodeURIComponent(segments[4] ?? "") === b;
      }),
    );
  });

  test("is the same to a URL parser, so that no proxy goes elsewhere", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const path = fill("/x/{a}{b}/y", { a, b });
        return path === undefined || new URL(path, "http://localhost").pathname === path;
      }),
    );
  });

  test.each([
    ["a/b", "a%2Fb"],
    ["../x", "..%2Fx"],
    ["a\\b", "a%5Cb"],
    ["a?b#c", "a%3Fb%23c"],
    ["100%", "100%25"],
    ["%2e", undefined],
    ["a\r\nb\0", "a%0D%0Ab%00"],
    ["a,b;c=d", "a%2Cb%3Bc%3Dd"],
    ["...", "..."],
    [".a", ".a"],
    [0, "0"],
    [null, "null"],
  ])("%j becomes %j", (value, expected) => {
    expect(fill("/{a}", { a: value })).toBe(expected === undefined ? undefined : `/${expected}`);
  });
});

describe("a segment that means another place", () => {
  test.each(["", ".", "..", "%2e", "%2E%2e", ".%2e", "%252e.", [], {}, [""]])("cannot be made by %j", (a) => {
    expect(issuesOf("/x/{a}/y", { a })).toMatchObject([{ path: "/a" }]);
  });

  test.each([
    ["/{a}{b}", { a: ".", b: "." }],
    ["/{a}{b}", { a: "%2", b: "e" }],
    ["/{a}{b}", { a: "", b: ".." }],
    ["/.{a}", { a: "." }],
    ["/%2e{a}", { a: "" }],
    ["/{a}{b}", { a: "", b: "" }],
  ])("%s cannot be made of %j", (path, input) => {
    expect(issuesOf(path, input)).toMatchObject([{ path: "/a" }]);
  });

  test.each([".", ""])("cannot be made by the label %j", (a) => {
    expect(issuesOf("/{a}", { a }, [parameterOf({ in: "path", name: "a", style: "label" })])).toHaveLength(1);
  });

  test("an empty value may stand beside other text", () => {
    expect(fill("/files/{a}.json", { a: "" })).toBe("/files/.json");
    expect(fill("/{a}-{b}", { a: "", b: "" })).toBe("/-");
  });
});

describe("a template", () => {
  test("may have several places in a segment, and one place twice", () => {
    expect(fill("/{a}...{b}/{a}", { a: 1, b: 2 })).toBe("/1...2/1");
  });

  test("keeps its own text, encoded where it must be", () => {
    expect(fill("/a b/ü/x:y@z/%41/%/{a}/", { a: 1 })).toBe("/a%20b/%C3%BC/x:y@z/%41/%25/1/");
  });

  test("begins with a slash in any case", () => {
    expect(fill("{a}", { a: 1 })).toBe("/1");
    expect(fill("", {})).toBe("/");
    expect(fill("/", {})).toBe("/");
  });

  test("may have a fragment, which is not sent", () => {
    expect(fill("/files/{a}#add_shared_link", { a: 1 })).toBe("/files/1");
  });

  test("may have a query, which comes before the others", () => {
    const plan = planOf({
      path: "/x?action=list&of={a}",
      parameters: [parameterOf({ in: "path", name: "a" }), parameterOf({ name: "b" })],
    });
    expect(buildRequest(plan, { a: "c&d", b: 1 })).toMatchObject({ path: "/x", query: "action=list&of=c%26d&b=1" });
  });

  test("has places for which there is no parameter filled from the input", () => {
    expect(buildRequest(planOf({ path: "/{a}" }), { a: 1 }).path).toBe("/1");
    expect(issuesOf("/{a}", {}, [])).toMatchObject([{ path: "/a", rule: "required" }]);
  });

  test("wants every value, and names each that is missing", () => {
    expect(issuesOf("/{a}/{b}/{c}", { b: 1, c: undefined })).toMatchObject([
      { path: "/a", rule: "required" },
      { path: "/c", rule: "required" },
    ]);
  });

  test("has one issue for a value that it needs twice", () => {
    expect(issuesOf("/{a}/{a}", {})).toHaveLength(1);
  });

  test("may have marks in the names of its places", () => {
    const parameters = ["id?", "a#b/c"].map((name) => parameterOf({ in: "path", name }));
    const plan = planOf({ path: "/x/{id?}/{a#b/c}?v={id?}#note", parameters });
    expect(buildRequest(plan, { "id?": 1, "a#b/c": 2 })).toMatchObject({ path: "/x/1/2", query: "v=1" });
  });

  test("may be broken itself", () => {
    expect(fill("/\ud800/{a}{}{a}/}{", { a: 1 })).toBe("/%EF%BF%BD/1%7B%7D1/%7D%7B");
  });

  test("is not filled with what every object has", () => {
    expect(issuesOf("/{toString}", {})).toMatchObject([{ path: "/toString", rule: "required" }]);
  });

  test("takes a value from the field that the plan names", () => {
    const parameters = [parameterOf({ in: "path", name: "id", key: "path_id" })];
    expect(buildRequest(planOf({ path: "/{id}", parameters }), { id: 1, path_id: 2 }).path).toBe("/2");
  });
});

test("half of a surrogate pair is refused", () => {
  expect(issuesOf("/{a}", { a: "\ud800" })).toMatchObject([{ path: "/a", rule: "encoding" }]);
});

function refused(value: string): boolean {
  return value === "" || /^(?:\.|%(?:25)*2e){1,2}$/i.test(value);
}

function parametersOf(path: string): PlannedParameter[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return [...new Set(names)].map((name) => parameterOf({ in: "path", name }));
}

/** The path; `undefined` where it is refused. */
function fill(path: string, input: Record<string, unknown>): string | undefined {
  try {
    return buildRequest(planOf({ path, parameters: parametersOf(path) }), input).path;
  } catch (thrown) {
    expect(thrown).toMatchObject({ category: "validation", code: "VALIDATION_ERROR" });
    return undefined;
  }
}

function issuesOf(path: string, input: Record<string, unknown>, parameters = parametersOf(path)): unknown {
  try {
    return buildRequest(planOf({ path, parameters }), input);
  } catch (thrown) {
    return isRecord(thrown) ? thrown["issues"] : thrown;
  }
}
