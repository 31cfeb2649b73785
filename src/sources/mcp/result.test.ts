import { describe, expect, test } from "vitest";
import { type CallError, isCallError } from "../../envelope/call-error.js";
import { outcomeFromEnvelope } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { isResponseEnvelope } from "../../envelope/response-envelope.js";
import { thrownBy } from "../../registry/fixtures/operations.js";
import { envelopeFromResult, type ResultOptions } from "./result.js";

interface Given extends ResultOptions {
  readonly declares?: boolean;
}

function envelopeOf(result: unknown, { declares = false, ...options }: Given = {}): ResponseEnvelope {
  const envelope = envelopeFromResult(result, options, declares);
  expect(isResponseEnvelope(envelope)).toBe(true);
  return envelope;
}

function errorOf(result: unknown, { declares = false, ...options }: Given = {}): CallError {
  const thrown = thrownBy(() => envelopeFromResult(result, options, declares));
  return isCallError(thrown) ? thrown : expect.fail(`it threw ${String(thrown)}`);
}

function codesOf({ meta }: ResponseEnvelope): string[] {
  return (meta.warnings ?? []).map(({ code }) => code);
}

const text = (said: string): object => ({ type: "text", text: said });
const LINK = { type: "resource_link", uri: "demo://1", name: "one" };

describe("structured content", () => {
  test.each([
    [{ a: 1 }],
    [{}],
    [[]],
    [[1, null]],
    [null],
    [0],
    [-1.5],
    [""],
    ["007"],
    [false],
    [true],
    [{ result: 5 }],
    [{ error: { code: "X", message: "y" } }],
    [JSON.parse('{"__proto__":{"a":1},"constructor":0}')],
  ])("%j is the data, whatever the text says", (structuredContent) => {
    for (const content of [[], [text("other")], [text('{"b":2}')]]) {
      const { data, meta } = envelopeOf({ content, structuredContent }, { declares: true });
      expect(data).toBe(structuredContent);
      expect(meta).toEqual({ source: "mcp", isError: false, content, structuredContent });
    }
  });

  test("may come alone", () => {
    const { data, meta } = envelopeOf({ structuredContent: 0 });
    expect(data).toBe(0);
    expect(meta).toEqual({ source: "mcp", isError: false, content: [], structuredContent: 0 });
  });

  test("has the links beside it as a hint", () => {
    const { meta } = envelopeOf({ content: [text("see"), LINK], structuredContent: {} });
    expect(meta.links).toEqual([LINK]);
  });
});

describe("content", () => {
  test.each<[what: string, content: readonly object[]]>([
    ["nothing", []],
    ["a text", [text("hi")]],
    ["an empty text", [text("")]],
    ["several texts", [text("one"), text("two")]],
    ["an image", [{ type: "image", data: "AA==", mimeType: "image/png", annotations: { audience: ["user"] } }]],
    ["a sound", [{ type: "audio", data: "AA==", mimeType: "audio/wav" }]],
    ["a resource", [{ type: "resource", resource: { uri: "a://b", text: "x", _meta: { c: 1 } } }]],
    ["a link", [LINK]],
    ["a block of a type nobody knows", [{ type: "hologram", depth: 3 }, text("x")]],
    ["a block without a type", [{ text: "x" }]],
    ["a block that lacks its fields", [{ type: "text" }, { type: "image" }]],
  ])("of %s is the data, block by block as it came", (_, content) => {
    const { data, meta } = envelopeOf({ content });
    expect(data).toEqual(content);
    expect(meta).toEqual({ source: "mcp", isError: false, content });
  });

  test.each<[what: string, content: unknown, blocks: readonly object[]]>([
    ["is absent", undefined, []],
    ["is null", null, []],
    ["is a text", "hello", [text("hello")]],
    ["is an empty text", "", [text("")]],
    ["is an object", { a: 1 }, [text('{"a":1}')]],
    ["is a number", 0, [text("0")]],
    ["is false", false, [text("false")]],
    ["has a text in place of a block", ["hello", LINK], [text("hello"), LINK]],
    ["has odd blocks", [null, 7, [1], text("x")], [text("null"), text("7"), text("[1]"), text("x")]],
  ])("that %s is mended, and it is told", (_, content, blocks) => {
    const envelope = envelopeOf({ content }, { recoverJson: false });
    expect(envelope.data).toEqual(blocks);
    expect(envelope.meta).toMatchObject({ content: blocks });
    expect(codesOf(envelope).length).toBeGreaterThan(0);
    expect(new Set(codesOf(envelope))).toEqual(new Set(["NONCONFORMING"]));
  });

  test("that is an empty object by itself is an answer, too", () => {
    expect(envelopeOf({})).toMatchObject({ data: [], meta: { isError: false, content: [] } });
  });
});

describe("what a result has beside its content", () => {
  test("is kept: its meta, and the fields that nobody knows", () => {
    const _meta = { "example/trace": "t", empty: null };
    const { meta } = envelopeOf({ content: [], _meta, toolResult: 0, odd: { a: [] }, resultType: "complete" });
    expect(meta).toMatchObject({ _meta, extra: { "mcp-result": { toolResult: 0, odd: { a: [] } } } });
    expect(JSON.stringify(meta)).not.toContain("resultType");
  });

  test.each([null, "x", 7, []])("is told where its meta is %j", (_meta) => {
    const envelope = envelopeOf({ content: [], _meta });
    expect(codesOf(envelope)).toEqual(["NONCONFORMING"]);
    expect(envelope.meta).not.toHaveProperty("_meta");
  });

  test.each(["true", 1, null, {}])("does not make %j an error, and it is told", (isError) => {
    const envelope = envelopeOf({ content: [text("x")], isError });
    expect(envelope.meta).toMatchObject({ isError: false });
    expect(codesOf(envelope)).toEqual(["NONCONFORMING"]);
  });

  test.each([undefined, null, "text", 7, true, []])("is missing from %j, which is no result", (result) => {
    expect(errorOf(result)).toMatchObject({ code: "INVALID_ANSWER" });
  });

  test("cannot pass for the origin of the envelope", () => {
    const { meta } = envelopeOf({ content: [], source: "local", operationId: "a.b", status: "ok", warnings: "none" });
    expect(meta.source).toBe("mcp");
    expect(meta.status).toBeUndefined();
    expect(meta.warnings).toBeUndefined();
  });

  test("changes nothing of what was given", () => {
    const result = { content: [text('{"a":1}'), null], isError: "no", _meta: { plico: 1 }, x: 1 };
    const before = structuredClone(result);
    envelopeOf(result, { declares: true });
    expect(result).toEqual(before);
  });
});

describe("JSON in the text of a result", () => {
  test.each<[said: string, data: unknown]>([
    ['{"rows":[]}', { rows: [] }],
    ["[1,2]", [1, 2]],
    ["[]", []],
    [' \n\t{"a":0}\r\n', { a: 0 }],
  ])("%j is recovered, whether the tool declares what it returns or not", (said, data) => {
    for (const declares of [true, false]) {
      const envelope = envelopeOf({ content: [text(said)] }, { declares });
      expect(envelope.data).toEqual(data);
      expect(envelope.meta).toEqual({ source: "mcp", isError: false, content: [text(said)] });
    }
  });

  test.each([
    "007",
    "true",
    "null",
    "1e3",
    '"x"',
    "[1",
    "{",
    '{"a":1} and more',
    "{'a':1}",
    "[x](y)",
    "{}{}",
    "",
    "NaN",
  ])("is not seen in %j", (said) => {
    for (const declares of [true, false])
      expect(envelopeOf({ content: [text(said)] }, { declares }).data).toEqual([text(said)]);
  });

  test("is left where the option says so", () => {
    for (const declares of [true, false]) {
      const content = [text('{"a":1}')];
      expect(envelopeOf({ content }, { declares, recoverJson: false }).data).toEqual(content);
    }
  });

  test("among other blocks is only for tools that declare what they return", () => {
    const content = [text("Here it is:"), text('{"a":1}'), LINK];
    expect(envelopeOf({ content }, { declares: false }).data).toEqual(content);
    const envelope = envelopeOf({ content }, { declares: true });
    expect(envelope.data).toEqual({ a: 1 });
    expect(envelope.meta).toMatchObject({ content, links: [LINK] });
  });

  test("in two texts is nobody's guess", () => {
    const content = [text('{"a":1}'), text('{"b":2}')];
    for (const declares of [true, false]) expect(envelopeOf({ content }, { declares }).data).toEqual(content);
  });

  test("does not count beside structured content", () => {
    expect(envelopeOf({ content: [text('{"a":1}')], structuredContent: null }, { declares: true }).data).toBeNull();
  });

  test("is looked for in text blocks only", () => {
    const content = [{ type: "resource", resource: { uri: "a://b", text: '{"a":1}' } }];
    expect(envelopeOf({ content }, { declares: true }).data).toEqual(content);
  });

  test("does not harm whoever reads it, however deep", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(() => envelopeOf({ content: [text(deep)] }, { declares: true })).not.toThrow();
    const huge = `${'{"success":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    expect(() => envelopeOf({ content: [text(huge)] })).not.toThrow();
  });

  test("cannot change what objects inherit", () => {
    const { data } = envelopeOf({ content: [text('{"__proto__":{"polluted":true}}')] });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(data as object)).toEqual(["__proto__"]);
  });
});

describe("a tool that says it failed", () => {
  test.each<[what: string, result: object, data: unknown]>([
    ["in a text", { content: [text("no")] }, [text("no")]],
    ["without a word", { content: [] }, []],
    ["in JSON", { content: [text('{"code":"X","message":"y"}')] }, { code: "X", message: "y" }],
    ["in a structure", { content: [text("no")], structuredContent: { left: 0 } }, { left: 0 }],
    ["with null", { content: [], structuredContent: null }, null],
  ])("%s gives an envelope that tells it, with the payload", (_, result, data) => {
    const envelope = envelopeOf({ ...result, isError: true });
    expect(envelope.data).toEqual(data);
    expect(envelope.meta).toMatchObject({ ...result, isError: true });
    expect(outcomeFromEnvelope(envelope).ok).toBe(false);
  });

  test.each<[what: string, result: object, error: object]>([
    [
      "its text",
      { content: [text("one"), text("two")] },
      { category: "execution", code: "TOOL_ERROR", message: "one\ntwo" },
    ],
    ["nothing", { content: [] }, { category: "execution", code: "TOOL_ERROR" }],
    ["an error of the SDK", { content: [text("MCP error -32602: bad")] }, { category: "validation" }],
    [
      "its payload",
      {
        content: [text("no")],
        structuredContent: { error: { code: "ROW_NOT_FOUND", message: "no row", retryAfterMs: 5 } },
      },
      { category: "not_found", code: "ROW_NOT_FOUND", message: "no row", retryAfterMs: 5 },
    ],
    [
      "its payload in text",
      { content: [text('{"code":"RATE_LIMITED","message":"slow down","recoverable":false}')] },
      { category: "rate_limit", code: "RATE_LIMITED", message: "slow down", recoverable: false },
    ],
  ])("throws, where the source wants it, what %s says, and keeps the payload", (_, result, error) => {
    const thrown = errorOf({ ...result, isError: true }, { throwOnToolError: true });
    expect(thrown).toMatchObject(error);
    expect(thrown.data).toEqual(envelopeOf({ ...result, isError: true }).data);
  });

  test.each([0, "", null, false])("throws with the payload %j, too", (structuredContent) => {
    const thrown = errorOf({ content: [text("no")], structuredContent, isError: true }, { throwOnToolError: true });
    expect(thrown.toJSON()).toMatchObject({ message: "no", data: structuredContent });
  });

  test("does not throw because it succeeded", () => {
    expect(envelopeOf({ content: [text("yes")], isError: false }, { throwOnToolError: true }).data).toEqual([
      text("yes"),
    ]);
    expect(envelopeOf({ content: [text("yes")], isError: "true" }, { throwOnToolError: true }).data).toEqual([
      text("yes"),
    ]);
  });
});
