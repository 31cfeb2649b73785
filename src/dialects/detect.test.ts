import { describe, expect, test } from "vitest";
import { hostileValues } from "../testing/index.js";
import { DIALECTS, type DialectName, dialectNamed } from "./all.js";
import { read } from "./convert.js";
import { detect, find } from "./detect.js";
import { FIXTURES } from "./fixtures/by-dialect.js";
import { block, META, text } from "./fixtures/envelope-block.js";
import { mcpResult } from "./mcp-result.js";

const RESPONSE_V2 = { success: true, data: { rows: [1] }, error: null, meta: { version: "response-v2" } };
const HELPER = {
  schema_version: "1.0.0",
  status: "ok",
  error: null,
  agent: "claude",
  ts: "2026-05-01T09:30:00.000Z",
  rows: [1],
};
const TOOL_RESPONSE = { meta: { status: "ok", summary: "Done" }, data: { rows: [1] } };
const ENVELOPE = { data: { rows: [1] }, meta: { source: "local", operationId: "rows.list", timestamp: 1 } };
const PROBLEM = { type: "about:blank", title: "Not Found", status: 404 };

const INSIDE: readonly (readonly [name: string, document: object, damaged: object])[] = [
  ["response-v2", RESPONSE_V2, { ...RESPONSE_V2, error: "but" }],
  ["helper-output", HELPER, { ...HELPER, status: "fine" }],
  ["tool-response", TOOL_RESPONSE, { meta: { status: "fine", summary: "Done" }, data: 1 }],
  ["response-envelope", ENVELOPE, { data: 1, meta: { source: "local" } }],
];

function inText(document: unknown, more: object = {}): object {
  return { content: [text(JSON.stringify(document, null, 2))], ...more };
}

describe("detect", () => {
  test("asks what may be carried before what carries it", () => {
    expect(DIALECTS.map(({ name }) => name)).toEqual([
      "tool-envelope-v1",
      "response-envelope",
      "tool-response",
      "helper-output",
      "response-v2",
      "mcp-result",
      "problem-details",
    ]);
  });

  test.each(DIALECTS.map(({ name }) => name))("finds every document of %s", (name) => {
    const missed = FIXTURES[name as DialectName].accepts?.filter(({ document }) => detect(document)?.name !== name);
    expect(missed?.map(({ label }) => label)).toEqual([]);
  });

  test("finds a block before the MCP result around it", () => {
    const envelope = block({ payload: 1, meta: META });
    const document = { content: [text("fine"), text(envelope)], structuredContent: TOOL_RESPONSE };
    expect(detect(document)?.name).toBe("tool-envelope-v1");
  });

  test("finds tool-response in structured content without looking deep", () => {
    expect(detect({ content: [], structuredContent: TOOL_RESPONSE })?.name).toBe("tool-response");
  });

  test("finds the envelope of Plico before tool-response where a document is both", () => {
    expect(detect({ data: 1, meta: { ...ENVELOPE.meta, status: "ok", summary: "Done" } })?.name).toBe(
      "response-envelope",
    );
  });

  test("does not try the next dialect after a claim", () => {
    const document = { schema_version: "one", status: 404, title: "Not Found" };
    expect(detect(document)?.name).toBe("helper-output");
    expect(read(document)).toMatchObject({ kind: "malformed", dialect: "helper-output" });
  });

  test("reads nothing from hostile values, and does not throw", () => {
    for (const value of hostileValues()) {
      expect(read(value).kind).not.toBe("outcome");
      expect(read(value, { deep: true }).kind).not.toBe("outcome");
    }
  });

  test("asks only the dialects it is given", () => {
    expect(detect(RESPONSE_V2, { dialects: [mcpResult] })).toBeUndefined();
  });

  test("knows every dialect by its name, and no other", () => {
    expect(DIALECTS.map(({ name }) => dialectNamed(name))).toEqual([...DIALECTS]);
    expect(dialectNamed("toString")).toBeUndefined();
  });
});

describe.each(INSIDE)("a %s document inside an MCP result", (name, document, damaged) => {
  test("is found in its text, but only when asked", () => {
    expect(detect(inText(document))?.name).toBe("mcp-result");
    expect(find(inText(document), { deep: true })).toMatchObject({
      dialect: { name },
      document,
      carrier: { dialect: { name: "mcp-result" }, path: "/content/0/text", isError: false, rest: {} },
    });
  });

  test("is found in a later text", () => {
    const result = { content: [text("Here it is:"), text(JSON.stringify(document))] };
    expect(find(result, { deep: true })).toMatchObject({
      dialect: { name },
      carrier: { path: "/content/1/text", rest: { content: [text("Here it is:")] } },
    });
  });

  test("is found in its structured content, and the copy in the text is not kept", () => {
    const found = find(inText(document, { structuredContent: document }), { deep: true });
    expect(found?.dialect.name).toBe(name);
    if (name !== "tool-response") expect(found?.carrier).toMatchObject({ path: "/structuredContent", rest: {} });
  });

  test("is read, and what was around it is kept", () => {
    const reading = read(inText(document, { _meta: { "example/id": 7 } }), { deep: true });
    expect(reading).toMatchObject({
      kind: "outcome",
      dialect: name,
      outcome: { ok: true, data: { rows: [1] }, meta: { extra: { "mcp-result": { _meta: { "example/id": 7 } } } } },
    });
  });

  test("has failed where the result says so, and the difference is noted", () => {
    const reading = read(inText(document, { isError: true }), { deep: true });
    if (reading.kind !== "outcome") throw new Error(`it is ${reading.kind}`);
    expect(reading.outcome).toMatchObject({
      ok: false,
      error: { category: "execution", code: "TOOL_ERROR", data: { rows: [1] } },
    });
    expect(reading.notes.map(({ code }) => code)).toEqual(["VERDICTS_DIFFER"]);
  });

  test("is malformed where it is damaged, and no plain MCP result", () => {
    expect(read(inText(damaged), { deep: true })).toMatchObject({ kind: "malformed", dialect: name });
  });
});

describe("looking deep", () => {
  test("notes no difference where both sides failed", () => {
    const failed = { ...RESPONSE_V2, success: false, error: "no", data: { error_code: "E_1", error_type: "conflict" } };
    const reading = read(inText(failed, { isError: true }), { deep: true });
    if (reading.kind !== "outcome") throw new Error(`it is ${reading.kind}`);
    expect(reading.outcome).toMatchObject({ ok: false, error: { category: "conflict", code: "E_1" } });
    expect(reading.notes).toEqual([]);
  });

  test("believes a document that says it failed in a result that does not", () => {
    const failed = { ...RESPONSE_V2, success: false, error: "no" };
    expect(read(inText(failed), { deep: true })).toMatchObject({ kind: "outcome", outcome: { ok: false } });
  });

  test("takes problem details only from a result that failed", () => {
    expect(detect(inText(PROBLEM), { deep: true })?.name).toBe("mcp-result");
    expect(detect(inText(PROBLEM, { isError: true }), { deep: true })?.name).toBe("problem-details");
  });

  test.each(["007", "[1]", "{", "true", '"text"', `x${JSON.stringify(RESPONSE_V2)}`])(
    "leaves the text %j alone",
    (said) => {
      expect(detect({ content: [text(said)] }, { deep: true })?.name).toBe("mcp-result");
    },
  );

  test("keeps structured content that is no document beside a text that is one", () => {
    const found = find(inText(RESPONSE_V2, { structuredContent: { rows: 1 } }), { deep: true });
    expect(found).toMatchObject({
      dialect: { name: "response-v2" },
      carrier: { rest: { structuredContent: { rows: 1 } } },
    });
  });

  test("finds the document itself where it is not in a result", () => {
    expect(find(RESPONSE_V2, { deep: true })).toEqual({ dialect: dialectNamed("response-v2"), document: RESPONSE_V2 });
  });
});
