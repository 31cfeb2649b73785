import { describe, expect, test } from "vitest";
import type { Issue } from "../../../json/issue.js";
import type { PlannedBody } from "../plan.js";
import { type EncodedBody, encodeBody } from "./encode-body.js";
import { bodyOf, fieldOf } from "./fixtures/plans.js";

const FORM = { kind: "form", mediaType: "application/x-www-form-urlencoded" } as const;
const MULTIPART = { kind: "multipart", mediaType: "multipart/form-data" } as const;

describe("a JSON body", () => {
  test("has the fields of the input that are its own, by the names of the document", () => {
    const plan = bodyOf({ fields: [fieldOf({ name: "id", key: "body_id" }), fieldOf({ name: "b" })] });
    expect(written(plan, { id: 1, body_id: 2, b: null, c: 3 })).toEqual({
      content: '{"id":2,"b":null}',
      contentType: "application/json",
    });
  });

  test("has what nothing else names, where it is open", () => {
    const plan = bodyOf({ isOpen: true, fields: [fieldOf({ name: "a" })] });
    const input = JSON.parse('{"__proto__": {"x": 1}, "taken": 2, "a": 3, "constructor": 4}');
    expect(written(plan, input, ["taken", "a"])?.content).toBe('{"a":3,"__proto__":{"x":1},"constructor":4}');
  });

  test.each([[null], [false], [0], [""], [[]], ["text"]])("may be %j as a whole", (value) => {
    expect(written(bodyOf({ wholeKey: "body" }), { body: value })?.content).toBe(JSON.stringify(value));
  });

  test("is left out where nothing is given", () => {
    expect(written(bodyOf({ fields: [fieldOf({ name: "a" })] }), { b: 1 })).toBeUndefined();
    expect(written(bodyOf({ wholeKey: "body" }), {})).toBeUndefined();
    expect(written(bodyOf({ fields: [fieldOf({ name: "toString" })] }), {})).toBeUndefined();
  });

  test("is an empty object where it is required and has no field", () => {
    expect(written(bodyOf({ isRequired: true, fields: [fieldOf({ name: "a" })] }), {})?.content).toBe("{}");
  });

  test("keeps the type of the document, without a charset", () => {
    const plan = bodyOf({ mediaType: "application/vnd.api+json", wholeKey: "body" });
    expect(written(plan, { body: 1 })?.contentType).toBe("application/vnd.api+json");
  });

  test("writes dates and large integers as text", () => {
    const plan = bodyOf({ isOpen: true });
    expect(written(plan, { a: new Date(0), b: 2n })?.content).toBe('{"a":"1970-01-01T00:00:00.000Z","b":"2"}');
  });
});

describe("a form", () => {
  test("joins its fields", () => {
    const plan = bodyOf({ ...FORM, fields: [fieldOf({ name: "a" }), fieldOf({ name: "b" }), fieldOf({ name: "c" })] });
    expect(written(plan, { a: "x y", b: [], c: [1, 2] })).toEqual({
      content: "a=x%20y&c=1&c=2",
      contentType: "application/x-www-form-urlencoded",
    });
  });

  test("may be one field of the input, whose fields keep their rules", () => {
    const plan = bodyOf({ ...FORM, wholeKey: "body", fields: [fieldOf({ name: "a", isFile: true })] });
    expect(written(plan, { body: { a: { base64: "AP8=" }, b: 1, c: undefined } })?.content).toBe("a=AP8%3D&b=1");
    expect(issuesOf(plan, { body: { a: { base64: "?" } } })).toMatchObject([{ path: "/body/a/base64" }]);
    expect(issuesOf(plan, { body: [] })).toMatchObject([{ path: "/body", rule: "type" }]);
  });

  test("is empty where it is required and has no field", () => {
    expect(written(bodyOf({ ...FORM, isRequired: true }), {})?.content).toBe("");
    expect(written(bodyOf(FORM), {})).toBeUndefined();
  });
});

describe("a multipart body", () => {
  test("has its boundary in its type", () => {
    const body = written(bodyOf({ ...MULTIPART, isOpen: true }), { a: 1 });
    const [, boundary = ""] = /^multipart\/form-data; boundary=(.+)$/.exec(body?.contentType ?? "") ?? [];
    expect(Buffer.from(body?.content ?? "").toString()).toContain(`--${boundary}\r\n`);
  });

  test("is left out where nothing is given", () => {
    expect(written(bodyOf({ ...MULTIPART, isOpen: true }), {})).toBeUndefined();
  });
});

describe("a text", () => {
  const text = bodyOf({ kind: "text", mediaType: "text/plain", wholeKey: "body" });

  test.each([
    ["text/plain", "text/plain; charset=utf-8"],
    ["application/xml", "application/xml; charset=utf-8"],
    ["image/svg+xml", "image/svg+xml; charset=utf-8"],
    ["text/csv; charset=us-ascii", "text/csv; charset=us-ascii"],
    ["application/yaml", "application/yaml"],
  ])("of the type %s is sent as %s", (mediaType, contentType) => {
    expect(written({ ...text, mediaType }, { body: "<a/>" })).toEqual({ content: "<a/>", contentType });
  });

  test.each([
    ["", ""],
    [{ a: 1 }, '{"a":1}'],
    [null, "null"],
    [1, "1"],
  ])("is %j as %j", (value, content) => {
    expect(written(text, { body: value })?.content).toBe(content);
  });

  test("is whole characters", () => {
    expect(issuesOf(text, { body: "\ud800" })).toMatchObject([{ path: "/body", rule: "encoding" }]);
  });
});

describe("a binary body", () => {
  const binary = bodyOf({ kind: "binary", mediaType: "application/octet-stream", wholeKey: "file" });

  test("is bytes of the type that the caller says", () => {
    expect(written(binary, { file: { base64: "AP8=", mediaType: "image/png" } })).toEqual({
      content: Buffer.from([0, 255]),
      contentType: "image/png",
    });
    expect(written(binary, { file: "x" })).toEqual({ content: "x", contentType: "application/octet-stream" });
  });

  test("keeps the type of the document where it has one", () => {
    const plan = { ...binary, mediaType: "image/jpeg" };
    expect(written(plan, { file: { text: "x", mediaType: "image/png" } })?.contentType).toBe("image/jpeg");
  });

  test("names the place of broken base64", () => {
    expect(issuesOf(binary, { file: { base64: "?" } })).toMatchObject([{ path: "/file/base64" }]);
    expect(issuesOf(binary, { file: 1 })).toMatchObject([{ path: "/file", rule: "type" }]);
  });
});

describe("faults", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;

  test.each(["json", "form", "multipart", "text", "binary"] as const)(
    "a required %s that is missing is told",
    (kind) => {
      expect(issuesOf(bodyOf({ kind, isRequired: true, wholeKey: "body" }), {})).toMatchObject([
        { path: "/body", rule: "required" },
      ]);
    },
  );

  test.each([bodyOf({ isOpen: true }), bodyOf({ ...FORM, isOpen: true }), bodyOf({ ...MULTIPART, isOpen: true })])(
    "each field at fault is named in $kind",
    (plan) => {
      expect(issuesOf(plan, { a: cycle, b: 1, "c/d": cycle })).toMatchObject([{ path: "/a" }, { path: "/c~1d" }]);
    },
  );

  test("a whole body at fault is named", () => {
    expect(issuesOf(bodyOf({ wholeKey: "body" }), { body: cycle })).toMatchObject([{ path: "/body" }]);
    expect(issuesOf(bodyOf({ wholeKey: "body" }), { body: () => 1 })).toMatchObject([{ path: "/body", rule: "type" }]);
  });

  test("a type with a line break in it is never a header", () => {
    const plan = bodyOf({ wholeKey: "body", mediaType: "application/json\r\nX-Evil: 1" });
    expect(issuesOf(plan, { body: 1 })).toHaveLength(1);
  });
});

function encode(plan: PlannedBody, input: Record<string, unknown>, named: readonly string[] = []): Encoded {
  const issues: Issue[] = [];
  return { body: encodeBody(plan, { input, isNamed: (key) => named.includes(key), issues }), issues };
}

interface Encoded {
  readonly body: EncodedBody | undefined;
  readonly issues: readonly Issue[];
}

function written(plan: PlannedBody, input: Record<string, unknown>, named: string[] = []): EncodedBody | undefined {
  const { body, issues } = encode(plan, input, named);
  expect(issues).toEqual([]);
  return body;
}

function issuesOf(plan: PlannedBody, input: Record<string, unknown>): readonly Issue[] {
  return encode(plan, input).issues;
}
