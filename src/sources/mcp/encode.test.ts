import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isCallError } from "../../envelope/call-error.js";
import { thrownBy } from "../../registry/fixtures/operations.js";
import { RequestEncoder } from "./encode.js";

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: 'a "quoted" name', version: "1" },
};
const LEGACY = new RequestEncoder("legacy", ENVELOPE);
const MODERN = new RequestEncoder("modern", ENVELOPE);

type Answers = Parameters<RequestEncoder["call"]>[2];

function callOf(encoder: RequestEncoder, input: unknown, answers?: Answers, name = "tool"): Record<string, unknown> {
  return JSON.parse(encoder.call(name, input, answers)(7));
}

describe("a call", () => {
  test("says in each era what that era wants", () => {
    const params = { name: "tool", arguments: { a: 1 } };
    const own = { "plico/budget": false, progressToken: 7 };
    const head = { jsonrpc: "2.0", id: 7, method: "tools/call" };
    expect(callOf(LEGACY, { a: 1 })).toEqual({ ...head, params: { ...params, _meta: own } });
    expect(callOf(MODERN, { a: 1 })).toEqual({ ...head, params: { ...params, _meta: { ...ENVELOPE, ...own } } });
  });

  test("is one line of JSON that holds any name and any input", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.jsonValue(),
        fc.constantFrom(LEGACY, MODERN),
        (name, input, encoder) => {
          const text = encoder.call(name, input, undefined)(1);
          expect(text).not.toContain("\n");
          const wanted = JSON.parse(JSON.stringify({ name, arguments: input }));
          expect(JSON.parse(text).params).toMatchObject(wanted);
        },
      ),
    );
  });

  test("tells in which trace it is made", () => {
    const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, tracestate: 'a="1"' };
    for (const encoder of [LEGACY, MODERN])
      expect(JSON.parse(encoder.call("tool", {}, undefined, trace)(7))).toMatchObject({ params: { _meta: trace } });
  });

  test("has an empty object where there is no input", () => {
    expect(callOf(LEGACY, undefined)).toMatchObject({ params: { arguments: {} } });
    expect(callOf(LEGACY, null)).toMatchObject({ params: { arguments: null } });
  });

  test("has a token of its own each time that it is sent", () => {
    const encode = LEGACY.call("tool", {}, undefined);
    for (const id of [1, 2])
      expect(JSON.parse(encode(id))).toMatchObject({ id, params: { _meta: { progressToken: id } } });
  });

  test.each<[what: string, answers: NonNullable<Answers>]>([
    ["both", { inputResponses: { a: { action: "accept" } }, requestState: 'x"y' }],
    ["the state", { requestState: "" }],
    ["the answers", { inputResponses: {} }],
    ["nothing", {}],
  ])("is JSON with %s of what was answered before", (_, answers) => {
    for (const encoder of [LEGACY, MODERN]) expect(callOf(encoder, {}, answers)["params"]).toMatchObject(answers);
  });

  const loop: Record<string, unknown> = {};
  loop["self"] = loop;

  test.each<[what: string, input: unknown]>([
    ["a loop", loop],
    ["a BigInt", { n: 1n }],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["an object that has no JSON", { toJSON: () => undefined }],
  ])("with %s in place of JSON is refused as invalid, not sent", (_, input) => {
    const thrown = thrownBy(() => callOf(LEGACY, input));
    expect(isCallError(thrown)).toBe(true);
    expect(thrown).toMatchObject({ category: "validation" });
  });

  test("with answers that are no JSON is refused as invalid, too", () => {
    const thrown = thrownBy(() => callOf(LEGACY, {}, { inputResponses: { a: 1n } }));
    expect(thrown).toMatchObject({ name: "CallError", category: "validation" });
  });
});

describe("another request", () => {
  test.each([{}, { cursor: 'a"b\n' }])("carries %j", (params) => {
    expect(JSON.parse(LEGACY.request("tools/list", params)(1))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params,
    });
    expect(JSON.parse(MODERN.request("tools/list", params)(2))).toEqual({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/list",
      params: { ...params, _meta: ENVELOPE },
    });
  });

  test("may be a notification, which has no id", () => {
    const params = { requestId: 1, reason: "x" };
    expect(LEGACY.notification("notifications/cancelled", params)).toEqual({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params,
    });
    expect(MODERN.notification("notifications/cancelled", params)).toMatchObject({ params: { _meta: ENVELOPE } });
  });
});
