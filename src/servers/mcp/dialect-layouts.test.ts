import { describe, expect, test } from "vitest";
import type { Dialect } from "../../dialects/dialect.js";
import type { McpResult } from "../../dialects/mcp-result.js";
import { toolEnvelopeV1 } from "../../dialects/tool-envelope-v1.js";
import { toolResponse } from "../../dialects/tool-response.js";
import { CallError, callErrorData } from "../../envelope/call-error.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import { refusalOf } from "./fixtures/strict-client.js";
import { ROWS, resultOf, toolOf } from "./fixtures/tools.js";

const LOCAL = { source: "local", operationId: "test.run", timestamp: 1_700_000_000_000 } as const;
const LINK = { type: "resource_link", uri: "demo://1", name: "one" } as const;
const IMAGE = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
const ERROR = new CallError({ category: "conflict", code: "LOCKED", message: "It is locked", suggestedAction: "Wait" });
const data = { rows: [1, 2] };

function text(words: string) {
  return { type: "text", text: words };
}

function success(value: unknown, meta: OutcomeMeta = LOCAL): Outcome {
  return { ok: true, data: value, meta };
}

function readBy(dialect: Dialect, result: McpResult): Outcome {
  const reading = dialect.read(result);
  if (reading.kind !== "outcome") throw new Error(`It was read as ${reading.kind}.`);
  return reading.outcome;
}

describe("the layout tool-response", () => {
  const tool = toolOf({ outputSchema: ROWS }, "tool-response");

  test("has a headline, the data as text, and all of it as structure", async () => {
    const result = await resultOf(tool, success(data, { ...LOCAL, summary: "Two rows", links: [LINK] }));
    expect(result).toMatchObject({
      content: [text("✅ Two rows"), LINK, text('{"rows":[1,2]}')],
      structuredContent: { meta: { status: "ok", summary: "Two rows" }, data },
      isError: false,
    });
    expect(refusalOf(tool, result)).toBeUndefined();
    expect(readBy(toolResponse, result)).toMatchObject({
      ok: true,
      data,
      meta: { summary: "Two rows", links: [LINK] },
    });
  });

  test("sends it once for models, and once for programs", async () => {
    const forModel = await resultOf(toolOf({ outputSchema: ROWS }, "tool-response", "model"), success(data));
    expect(forModel).not.toHaveProperty("structuredContent");
    expect(forModel.content.at(-1)).toEqual(text('{"rows":[1,2]}'));
    const forProgram = await resultOf(toolOf({ outputSchema: ROWS }, "tool-response", "program"), success(data));
    expect(forProgram).toMatchObject({ content: [{ type: "text" }], structuredContent: { data } });
    expect(forProgram.content).toHaveLength(1);
  });

  test("shows blocks as blocks", async () => {
    const { content } = await resultOf(toolOf({}, "tool-response"), success([IMAGE]));
    expect(content.at(-1)).toEqual(IMAGE);
  });

  test.each([
    ["of ours", ERROR],
    ["with data", new CallError({ category: "execution", code: "HALF", message: "half", data: { rows: [1] } })],
    ["of a tool", callErrorData({ category: "execution", code: "TOOL_ERROR", message: "no" })],
    [
      "of a tool that said more",
      callErrorData({ category: "execution", code: "TOOL_ERROR", message: "no", data: [1] }),
    ],
  ])("tells a failure %s so that strict clients take it", async (_, error) => {
    const result = await resultOf(tool, { ok: false, error, meta: {} });
    expect(result).toMatchObject({ isError: true, structuredContent: { meta: { status: "error" } } });
    expect(refusalOf(tool, result)).toBeUndefined();
    const back = readBy(toolResponse, result);
    expect(back).toMatchObject({ ok: false, error: { ...callErrorData(error) } });
  });
});

describe("the layout tool-envelope-v1", () => {
  const tool = toolOf({ outputSchema: ROWS }, "tool-envelope-v1");

  test("has the data as text, and all of it in a block", async () => {
    const result = await resultOf(tool, success(data));
    expect(result.content[0]).toEqual(text('{"rows":[1,2]}'));
    expect(readBy(toolEnvelopeV1, result)).toMatchObject({ ok: true, data, meta: { timestamp: LOCAL.timestamp } });
    expect(tool.definition.outputSchema).toBeUndefined();
  });

  test("says who answered", async () => {
    const result = await resultOf(tool, success(data));
    const block = Buffer.from(result.content[1].text.slice("__ENVELOPE_V1__:".length), "base64").toString();
    expect(JSON.parse(block).meta).toMatchObject({ tool: "test.run", version: 1 });
  });

  test("leads with the summary, and has the links", async () => {
    const { content } = await resultOf(tool, success(data, { ...LOCAL, summary: "Two rows", links: [LINK] }));
    expect(content).toEqual([text("Two rows"), expect.anything(), text('{"rows":[1,2]}'), LINK]);
  });

  test("sends it once for models, and once for programs", async () => {
    const forModel = await resultOf(toolOf({}, "tool-envelope-v1", "model"), success(data));
    expect(forModel).toEqual({ content: [text('{"rows":[1,2]}')], _meta: { plico: { at: "/content/0/text" } } });
    const forProgram = await resultOf(toolOf({}, "tool-envelope-v1", "program"), success(data));
    expect(forProgram.content).toHaveLength(2);
    expect(JSON.stringify(forProgram.content)).not.toContain("rows");
  });

  test("tells a failure in words and in the block", async () => {
    const result = await resultOf(tool, { ok: false, error: ERROR, meta: {} });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain("LOCKED");
    expect(readBy(toolEnvelopeV1, result)).toMatchObject({ ok: false, error: callErrorData(ERROR) });
    const forModel = await resultOf(toolOf({}, "tool-envelope-v1", "model"), { ok: false, error: ERROR, meta: {} });
    expect(forModel).toMatchObject({ isError: true, content: [{ type: "text" }] });
    expect(forModel.content).toHaveLength(1);
  });
});
