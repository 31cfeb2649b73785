import { describe, expect, test } from "vitest";
import { MCP_ERROR_CATEGORIES } from "../envelope/payload.js";
import { block, jsonOf, META, SIGNED_BLOCK, text, twoBlocks, unblock } from "./fixtures/envelope-block.js";
import { failure, failureOf, readingOf, rulesBroken, success, successOf, throughWire } from "./fixtures/reading.js";
import { testFixtures } from "./fixtures/test-fixtures.js";
import {
  SPEC_ERROR,
  SPEC_SUCCESS,
  SPEC_SUCCESS_BLOCK,
  toolEnvelopeV1Fixtures,
  WORKFLOW_PAYLOAD,
} from "./fixtures/tool-envelope-v1.js";
import { toolEnvelopeV1 } from "./tool-envelope-v1.js";

const dialect = toolEnvelopeV1;
const DAMAGED = text(SIGNED_BLOCK.slice(0, -3));

interface Result {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
}

interface Envelope {
  readonly payload: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
}

function written(...args: Parameters<typeof toolEnvelopeV1.write>): Result {
  return toolEnvelopeV1.write(...args).wire as unknown as Result;
}

function envelopeOf({ content }: Result): Envelope {
  return unblock(content[1]?.text ?? "") as Envelope;
}

function rulesOf(document: unknown): string[] {
  const reading = toolEnvelopeV1.read(document);
  return reading.kind === "malformed" ? reading.issues.map(({ rule }) => rule) : [reading.kind];
}

describe("tool-envelope-v1", () => {
  testFixtures(dialect, toolEnvelopeV1Fixtures);
});

describe("reading tool-envelope-v1", () => {
  test("gives the payload as data and the timestamp in milliseconds", () => {
    const { data, meta } = successOf(dialect, SPEC_SUCCESS);
    expect(data).toMatchObject({ instructionId: "system-design", recommendations: [], artifacts: [] });
    expect(meta.timestamp).toBe(Date.UTC(2025, 5, 17, 18, 30));
  });

  test("gives every field of the error payload", () => {
    const payload = {
      category: "authorization",
      code: "TOOL_AUTH_00FF",
      message: "no",
      details: "scope rows:write",
      recoverable: true,
      suggestedAction: "Ask for the scope",
      nextTool: "auth.request",
    };
    const { error } = failureOf(dialect, { ...twoBlocks("🔒", payload), isError: true });
    expect(error).toEqual(payload);
  });

  test("takes the category from the payload, whatever the code is made of", () => {
    const payload = { category: "timeout", code: "TOOL_VALIDATION_F6511EDE", message: "slow", recoverable: false };
    expect(failureOf(dialect, { ...twoBlocks("⏱", payload), isError: true }).error).toMatchObject({
      category: "timeout",
      code: "TOOL_VALIDATION_F6511EDE",
      recoverable: false,
    });
  });

  test("keeps a category that nobody knows, there and back", () => {
    const payload = { category: "quota", code: "Q", message: "spent", recoverable: false };
    const document = { ...twoBlocks("?", payload), isError: true };
    const { error } = failureOf(dialect, document);
    expect(error.category).toBe("quota");
    expect(envelopeOf(written(failure(error))).payload["category"]).toBe("quota");
  });

  test("reads an error payload as a failure although the result does not set isError", () => {
    const { isError: _, ...quiet } = SPEC_ERROR as { isError: boolean };
    expect(failureOf(dialect, quiet).error).toMatchObject({ category: "validation", code: "ERR_INPUT_SCHEMA" });
    expect(readingOf(dialect, quiet).notes.map(({ code }) => code)).toContain("NONCONFORMING");
  });

  test("keeps the payload of a result that says it failed", () => {
    const { error } = failureOf(dialect, { ...twoBlocks("crashed", { rows: 2 }), isError: true });
    expect(error).toMatchObject({ category: "execution", code: "TOOL_ERROR", data: { rows: 2 } });
  });

  test("counts V01 as version 1", () => {
    expect(successOf(dialect, block({ payload: 7, meta: META }, "__ENVELOPE_V01__:")).data).toBe(7);
  });

  test("understands spaced JSON in another order of keys", () => {
    const json = JSON.stringify({ meta: META, payload: { a: 1 } }, null, 2);
    const document = `__ENVELOPE_V1__:${Buffer.from(json).toString("base64")}`;
    expect(successOf(dialect, document).data).toEqual({ a: 1 });
  });

  test("warns of each deprecated field", () => {
    const deprecations = [
      { field: "payload.steps", since: 1, removeInVersion: 2, replacement: "payload.stages" },
      { field: "payload.old", since: 1, removeInVersion: 3, note: "unused" },
    ];
    const { notes, outcome } = readingOf(dialect, twoBlocks("fine", {}, { ...META, deprecations }));
    expect(notes.map(({ code }) => code)).toEqual(["FIELD_DEPRECATED", "FIELD_DEPRECATED"]);
    expect(outcome.meta.deprecations).toEqual(deprecations);
  });

  test("gives no warning where nothing is deprecated", () => {
    expect(readingOf(dialect, SPEC_SUCCESS).notes).toEqual([]);
  });
});

describe("what is no version 1 envelope", () => {
  test("is a stranger, another version or damaged: three different answers", () => {
    expect(rulesOf({ content: [text("hello")] })).toEqual(["stranger"]);
    expect(rulesOf(block({ payload: {}, meta: META }, "__ENVELOPE_V2__:"))).toEqual(["UNSUPPORTED_VERSION"]);
    expect(rulesOf(block({ payload: {}, meta: { ...META, version: 2 } }))).toEqual(["UNSUPPORTED_VERSION"]);
    expect(rulesOf(DAMAGED.text)).toEqual(["base64"]);
  });

  test.each([
    ["damaged", DAMAGED],
    ["of version 2", text(SPEC_SUCCESS_BLOCK.replace("V1", "V2"))],
  ])("falls back to the text where the block is %s", (_, second) => {
    const reading = toolEnvelopeV1.read({ content: [text("All is well"), second] });
    if (reading.kind !== "malformed") throw new Error(`it is ${reading.kind}`);
    expect(reading.fallback).toMatchObject({ ok: true, data: "All is well" });
    expect(reading.fallback?.meta.warnings?.map(({ code }) => code)).toEqual(["ENVELOPE_DAMAGED"]);
  });

  test("falls back to a failure where the result says isError", () => {
    const reading = toolEnvelopeV1.read({ content: [text("It broke"), DAMAGED], isError: true });
    if (reading.kind !== "malformed") throw new Error(`it is ${reading.kind}`);
    expect(reading.fallback).toMatchObject({ ok: false, error: { category: "execution", code: "TOOL_ERROR" } });
  });

  test("has no fallback where there is no text", () => {
    expect(toolEnvelopeV1.read(DAMAGED.text)).not.toHaveProperty("fallback");
    expect(toolEnvelopeV1.read({ content: [DAMAGED] })).not.toHaveProperty("fallback");
  });
});

describe("writing tool-envelope-v1", () => {
  test("puts the text first and the block second, in compact JSON with the payload first", () => {
    const result = written(success({ ключ: 1 }, { summary: "Done", timestamp: Date.UTC(2026, 0, 2) }), { tool: "t" });
    expect(result.content).toHaveLength(2);
    expect(result.content[0]).toEqual(text("Done"));
    expect(jsonOf(result.content[1]?.text ?? "")).toBe(
      '{"payload":{"ключ":1},"meta":{"tool":"t","ts":"2026-01-02T00:00:00.000Z","version":1}}',
    );
    expect(result).not.toHaveProperty("isError");
  });

  test("writes the workflow payload as it is", () => {
    expect(envelopeOf(written(success(WORKFLOW_PAYLOAD))).payload).toEqual(WORKFLOW_PAYLOAD);
  });

  test("names the operation of a local origin as the tool", () => {
    const meta = { source: "local", operationId: "rows.list", timestamp: 0 } as const;
    expect(envelopeOf(written(success(1, meta))).meta["tool"]).toBe("rows.list");
  });

  test("breaks no rule of its own where the operation has no name", () => {
    const meta = { source: "local", operationId: "", timestamp: 0 } as const;
    expect(rulesBroken(dialect, written(success(1, meta)))).toEqual([]);
  });

  test("breaks no rule of its own in the year 10000", () => {
    expect(rulesBroken(dialect, written(success(1, { timestamp: Date.UTC(10_000, 0, 1) })))).toEqual([]);
  });

  test("writes deprecations only where there are any", () => {
    const deprecations = [{ field: "payload.a", since: 1, removeInVersion: 2 }];
    expect(envelopeOf(written(success(1, { deprecations }))).meta["deprecations"]).toEqual(deprecations);
    expect(envelopeOf(written(success(1))).meta).not.toHaveProperty("deprecations");
    expect(envelopeOf(written(success(1, { deprecations: [] }))).meta).not.toHaveProperty("deprecations");
  });

  test("invents no details for a summary of two lines", () => {
    expect(throughWire(dialect, success(1, { summary: "one\ntwo" })).meta.details).toBeUndefined();
  });

  test("sets isError and the error payload on a failure", () => {
    const result = written(failure({ category: "network", code: "N", message: "gone", recoverable: true }));
    expect(result.isError).toBe(true);
    expect(envelopeOf(result).payload).toEqual({ category: "network", code: "N", message: "gone", recoverable: true });
  });

  test("writes structured details as text and brings the structure back", () => {
    const outcome = failure({ category: "execution", message: "no", details: { at: [1, 2] } });
    expect(typeof envelopeOf(written(outcome)).payload["details"]).toBe("string");
    expect(throughWire(dialect, outcome)).toEqual(outcome);
  });

  test.each([
    ["validation", "❌"],
    ["execution", "⚠️"],
    ["timeout", "⏱"],
    ["model", "🤖"],
    ["network", "🌐"],
    ["authorization", "🔒"],
    ["rate_limit", "🚦"],
    ["not_found", "🔍"],
    ["internal", "💥"],
  ])("heads the text of a failure of category %s with %s", (category, emoji) => {
    expect(MCP_ERROR_CATEGORIES).toContain(category);
    const [first] = written(failure({ category, code: "C_1", message: "so it is" })).content;
    expect(first?.text.split("\n")[0]).toMatch(new RegExp(`^${emoji} .+ \\[C_1\\]: so it is$`, "u"));
  });

  test("writes details, suggestion, next tool and that a retry is safe, a line each and in that order", () => {
    const error = {
      category: "conflict",
      message: "no",
      recoverable: true,
      details: "d1",
      suggestedAction: "s1",
      nextTool: "n1",
    };
    const lines = written(failure(error)).content[0]?.text.split("\n") ?? [];
    expect(lines).toHaveLength(5);
    expect(lines[1]).toBe("Details: d1");
    expect(lines[2]).toBe("Suggestion: s1");
    expect(lines[3]).toContain("n1");
  });

  test("does not call a retry safe where it is not", () => {
    const lines = (recoverable: boolean): string[] | undefined =>
      written(failure({ category: "model", message: "no", recoverable })).content[0]?.text.split("\n");
    expect(lines(true)).toHaveLength(2);
    expect(lines(false)).toHaveLength(1);
  });

  test("writes a bare block in the form in which it was read", () => {
    const { outcome, layout } = readingOf(dialect, SPEC_SUCCESS_BLOCK);
    expect(toolEnvelopeV1.write(outcome, { layout }).wire).toBe(SPEC_SUCCESS_BLOCK);
  });
});
