import { describe, expect, test } from "vitest";
import { type McpResult, mcpResult } from "../../dialects/mcp-result.js";
import { CallError, callErrorData } from "../../envelope/call-error.js";
import type { MCPContentBlock } from "../../envelope/content-block.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import { refusalOf } from "./fixtures/strict-client.js";
import { ROWS, resultOf, toolOf } from "./fixtures/tools.js";
import type { McpChannels } from "./options.js";

const CHANNELS: readonly McpChannels[] = ["both", "model", "program"];
const LINK = { type: "resource_link", uri: "demo://1", name: "one" } as const;
const IMAGE: MCPContentBlock = { type: "image", data: "aGk=", mimeType: "image/png" };
const LOCAL = { source: "local", operationId: "test.run", timestamp: 1 } as const;
const HINTS: OutcomeMeta = {
  summary: "Two rows",
  warnings: [{ code: "SOURCE_WARNING", message: "old" }],
  pagination: { cursor: "c", hasMore: true },
};

const FAILURE = new CallError({
  category: "rate_limit",
  message: "Too many calls",
  details: { quota: 5 },
  suggestedAction: "Wait",
  nextTool: "test_other",
  retryAfterMs: 60_000,
  issues: [{ path: "/a", message: "must be less" }],
  data: { rows: [1] },
});

function text(words: string) {
  return { type: "text", text: words };
}

/** What a reader of Plico's makes of a result. */
function readBack(result: McpResult): Outcome {
  const reading = mcpResult.read(result);
  if (reading.kind !== "outcome") throw new Error(`It was read as ${reading.kind}.`);
  return reading.outcome;
}

function success(data: unknown, meta: OutcomeMeta = LOCAL): Outcome {
  return { ok: true, data, meta };
}

describe("a success", () => {
  const data = { rows: [1, 2] };

  test("has its data as text and as structure", async () => {
    const result = await resultOf(toolOf({ outputSchema: ROWS }), success(data, { ...LOCAL, ...HINTS }));
    expect(result).toMatchObject({ content: [text('{"rows":[1,2]}')], structuredContent: data });
  });

  test("has it as text alone for models", async () => {
    const result = await resultOf(toolOf({ outputSchema: ROWS }, "plain", "model"), success(data));
    expect(result).toEqual({ content: [text('{"rows":[1,2]}')], _meta: { plico: { at: "/content/0/text" } } });
  });

  test("has it as structure alone for programs, under a headline if there is one", async () => {
    const tool = toolOf({ outputSchema: ROWS }, "plain", "program");
    expect(await resultOf(tool, success(data))).toMatchObject({ content: [], structuredContent: data });
    const { content } = await resultOf(tool, success(data, { ...LOCAL, summary: "Two rows" }));
    expect(content).toEqual([text("Two rows")]);
  });

  test.each(["both", "program"] as const)(
    "is read back with its hints from %s, and without its origin",
    async (channels) => {
      const result = await resultOf(
        toolOf({ outputSchema: ROWS }, "plain", channels),
        success(data, { ...LOCAL, ...HINTS }),
      );
      expect(readBack(result)).toEqual(success(data, HINTS));
    },
  );

  test.each([
    ["http", { source: "http", statusCode: 200, headers: { "x-secret": "private" }, contentType: "a/b" }],
    ["script", { source: "script", command: ["private"], exitCode: 0, timestamp: 1 }],
  ] as const)("does not tell how it came: %s", async (_, origin) => {
    for (const channels of CHANNELS) {
      const result = await resultOf(
        toolOf({}, "plain", channels),
        success(data, { ...origin, ...HINTS } as OutcomeMeta),
      );
      expect(JSON.stringify(result)).not.toContain("private");
    }
  });

  test.each([["text"], [""], [0], [null], [false], [[1, 2]], [undefined]])(
    "wraps what is no object: %j",
    async (value) => {
      const result = await resultOf(toolOf(), success(value));
      expect(result.structuredContent).toEqual({ result: value ?? null });
      expect(readBack(result)).toEqual(success(value ?? null, {}));
    },
  );

  test.each(CHANNELS)("wraps an object where the schema also allows something else, for %s", async (channels) => {
    const outputSchema = { anyOf: [{ type: "object" }, { type: "string" }] };
    const tool = toolOf({ outputSchema }, "plain", channels);
    for (const value of [data, "text"]) {
      const result = await resultOf(tool, success(value, { ...LOCAL, ...HINTS }));
      expect(refusalOf(tool, result)).toBeUndefined();
      if (channels !== "model" || value !== "text") expect(readBack(result)).toMatchObject(success(value, HINTS));
    }
  });

  test.each(CHANNELS)("shows blocks as blocks, for %s", async (channels) => {
    const blocks = [text("see"), IMAGE];
    expect(await resultOf(toolOf({}, "plain", channels), success(blocks))).toEqual({ content: blocks });
  });

  test("shows blocks also beside the structure that a schema asks for", async () => {
    const tool = toolOf({ outputSchema: { type: "array" } });
    const result = await resultOf(tool, success([IMAGE]));
    expect(result).toMatchObject({ content: [IMAGE], structuredContent: { result: [IMAGE] } });
    expect(refusalOf(tool, result)).toBeUndefined();
    expect(readBack(result)).toEqual(success([IMAGE], {}));
  });

  test("has its links in the content", async () => {
    const meta = { ...LOCAL, links: [LINK] };
    expect((await resultOf(toolOf(), success(data, meta))).content).toEqual([text('{"rows":[1,2]}'), LINK]);
    expect(await resultOf(toolOf(), success([IMAGE], meta))).toEqual({ content: [IMAGE, LINK] });
  });

  test("tells in words what JSON cannot hold", async () => {
    const value: Record<string, unknown> = { big: 12n };
    value["self"] = value;
    const result = await resultOf(toolOf(), success(value));
    expect(result.structuredContent).toMatchObject({ big: "12" });
  });
});

describe("a success of a tool behind Plico", () => {
  const content = [text("Rows: 1"), IMAGE, { type: "hologram", depth: 3 } as unknown as MCPContentBlock];
  const origin = { source: "mcp", isError: false, content, _meta: { "vendor/cost": 1 } } as OutcomeMeta;

  test("is sent on as it came", async () => {
    const structuredContent = { rows: [1], more: true };
    const meta = { ...origin, structuredContent } as OutcomeMeta;
    const result = await resultOf(toolOf({ outputSchema: ROWS }), success(structuredContent, meta));
    expect(result).toMatchObject({ content, structuredContent, _meta: { "vendor/cost": 1 } });
  });

  test("is sent on with the fields that its schema does not name", async () => {
    const structuredContent = { rows: [1], more: true };
    const meta = { ...origin, structuredContent } as OutcomeMeta;
    const result = await resultOf(toolOf({ outputSchema: ROWS }), success({ rows: [1] }, meta));
    expect(result).toMatchObject({ content, structuredContent });
  });

  test("is sent without what someone has taken out of it", async () => {
    const meta = { ...origin, structuredContent: { rows: [1], secret: "private" } } as OutcomeMeta;
    const result = await resultOf(toolOf(), success({ rows: [1] }, meta));
    expect(JSON.stringify(result)).not.toContain("private");
    expect(result).toMatchObject({ content: [text('{"rows":[1]}')], structuredContent: { rows: [1] } });
  });

  test("is sent on where it has blocks only", async () => {
    expect(await resultOf(toolOf(), success(content, origin))).toMatchObject({ content, _meta: { "vendor/cost": 1 } });
  });

  test("keeps its blocks where its structure must be wrapped", async () => {
    const tool = toolOf({ outputSchema: { type: "array", items: { type: "integer" } } });
    const result = await resultOf(tool, success([1], { ...origin, structuredContent: [1] } as OutcomeMeta));
    expect(result).toMatchObject({ content, structuredContent: { result: [1] }, _meta: { "vendor/cost": 1 } });
    expect(refusalOf(tool, result)).toBeUndefined();
  });
});

describe("what a tool behind Plico said to the model", () => {
  function said(content: unknown[], more: object = {}): OutcomeMeta {
    return { source: "mcp", isError: false, content, ...more } as unknown as OutcomeMeta;
  }

  test.each([[[]], [[{ type: "hologram", depth: 3 }]]])("is no structure: %j", async (content) => {
    const result = await resultOf(toolOf(), success(content, said(content)));
    expect(result).not.toHaveProperty("structuredContent");
    expect(result.content).toEqual(content);
    expect(readBack(result)).toMatchObject({ ok: true, data: content });
  });

  test("stands beside a structure that older clients take", async () => {
    const content = [text("two")];
    const result = await resultOf(toolOf(), success([1, 2], said(content, { structuredContent: [1, 2] })));
    expect(result).toMatchObject({ content, structuredContent: { result: [1, 2] } });
    expect(readBack(result)).toMatchObject({ ok: true, data: [1, 2] });
  });

  test.each(CHANNELS)("stays as it was where the data was read from it, for %s", async (channels) => {
    const block = { ...text('{ "a" : 1.0, "big": 12345678901234567890 }'), annotations: { priority: 1 } };
    const data = JSON.parse(block.text);
    const result = await resultOf(toolOf({}, "plain", channels), success(data, said([block])));
    if (channels !== "program") expect(result.content).toEqual([block]);
    if (channels !== "model") expect(readBack(result)).toMatchObject({ ok: true, data });
  });

  test("is not said of data that someone has changed", async () => {
    const meta = said([text('{"a":1}')]);
    expect((await resultOf(toolOf(), success({ a: 2 }, meta))).content).toEqual([text('{"a":2}')]);
  });

  test("does not hide data that does not match its schema", async () => {
    const data = { rows: "none" };
    const meta = said([text("bad")], { structuredContent: data });
    const { content } = await resultOf(toolOf({ outputSchema: ROWS }), success(data, meta));
    expect(content.slice(1)).toEqual([text(JSON.stringify(data)), text("bad")]);
  });

  test("comes with the structure of a failure, where the schema allows it", async () => {
    const properties = { a: { type: "number" } };
    const tool = toolOf({ outputSchema: { type: "object", properties } });
    for (const [structuredContent, isShown] of [
      [{ code: 7 }, true],
      [{ a: "x" }, false],
    ] as const) {
      const meta = said([text("bad")], { structuredContent, isError: true });
      const error = callErrorData({ category: "execution", message: "bad", data: structuredContent });
      const result = await resultOf(tool, { ok: false, error, meta });
      expect("structuredContent" in result).toBe(isShown);
      expect(refusalOf(tool, result)).toBeUndefined();
    }
  });
});

describe("data that does not match its schema", () => {
  const warnings = [{ code: "OUTPUT_MISMATCH", message: "must be a list", path: "/rows" }];

  test.each(CHANNELS)("reaches strict clients, and is a success for Plico, by %s", async (channels) => {
    const tool = toolOf({ outputSchema: ROWS }, "plain", channels);
    for (const meta of [{ ...LOCAL, warnings }, LOCAL]) {
      const result = await resultOf(tool, success({ rows: "none" }, meta));
      expect(refusalOf(tool, result)).toBeUndefined();
      expect(JSON.stringify(result.content)).toContain("none");
      if (channels === "model") continue;
      expect(result.isError).toBe(true);
      const back = readBack(result);
      expect(back).toMatchObject({
        ok: true,
        data: { rows: "none" },
        meta: { warnings: [{ code: "OUTPUT_MISMATCH" }] },
      });
    }
  });

  test("is told whatever the layout", async () => {
    const tool = toolOf({ outputSchema: ROWS }, "tool-response");
    const result = await resultOf(tool, success({ rows: 1 }, { ...LOCAL, warnings }));
    expect(refusalOf(tool, result)).toBeUndefined();
    expect(readBack(result)).toMatchObject({ ok: true, data: { rows: 1 } });
  });

  test("is blocks, where a tool behind Plico sent nothing else", async () => {
    const tool = toolOf({ outputSchema: ROWS });
    const content = [text("none") as MCPContentBlock];
    const result = await resultOf(tool, success(content, { source: "mcp", isError: false, content }));
    expect(refusalOf(tool, result)).toBeUndefined();
    expect(result.content).toEqual(content);
    expect(readBack(result)).toMatchObject({ ok: true, data: content });
  });
});

describe("a failure", () => {
  const exact = callErrorData(FAILURE);

  test.each(CHANNELS)("is read back as it was, by %s", async (channels) => {
    for (const outputSchema of [ROWS, {}]) {
      for (const error of [FAILURE, new CallError({ category: "not_found", message: "no row" })]) {
        const tool = toolOf({ outputSchema }, "plain", channels);
        const result = await resultOf(tool, { ok: false, error, meta: HINTS });
        expect(result.isError).toBe(true);
        expect(refusalOf(tool, result)).toBeUndefined();
        expect(readBack(result)).toEqual({ ok: false, error: callErrorData(error), meta: HINTS });
      }
    }
  });

  test("tells a model all of it in words", async () => {
    const { content } = await resultOf(toolOf(), { ok: false, error: FAILURE, meta: {} });
    const [{ text: words }] = content;
    for (const part of ["RATE_LIMITED", "Too many calls", "Wait", "test_other", "60 s", "/a"])
      expect(words).toContain(part);
  });

  test("tells other programs all of it as structure, where no schema forbids that", async () => {
    const result = await resultOf(toolOf(), { ok: false, error: FAILURE, meta: {} });
    expect(result.structuredContent).toEqual({ error: exact });
    const strict = await resultOf(toolOf({ outputSchema: ROWS }), { ok: false, error: FAILURE, meta: {} });
    expect(strict).not.toHaveProperty("structuredContent");
    expect(strict._meta.plico.error).toMatchObject(exact);
  });

  test("of a tool behind Plico is sent on as it came, unless clients were shown something else", async () => {
    const content = [text("no"), IMAGE] as MCPContentBlock[];
    const structuredContent = { why: "because" };
    const meta: OutcomeMeta = { source: "mcp", isError: true, content, structuredContent };
    const error = callErrorData({ category: "execution", code: "TOOL_ERROR", message: "no", data: structuredContent });
    const result = await resultOf(toolOf(), { ok: false, error, meta });
    expect(result).toMatchObject({ content, structuredContent, isError: true });
    const tool = toolOf({ outputSchema: ROWS });
    const strict = await resultOf(tool, { ok: false, error, meta });
    expect(refusalOf(tool, strict)).toBeUndefined();
    expect(readBack(strict)).toMatchObject({ ok: false, error });
  });

  test("with blocks shows them", async () => {
    const error = new CallError({ category: "execution", message: "no", data: [IMAGE] });
    const result = await resultOf(toolOf(), { ok: false, error, meta: {} });
    expect(result.content).toEqual([IMAGE]);
    expect(readBack(result)).toMatchObject({ ok: false, error: { message: "no", data: [IMAGE] } });
  });
});
