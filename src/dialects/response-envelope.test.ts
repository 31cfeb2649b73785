import { describe, expect, test } from "vitest";
import type { OutcomeMeta } from "../envelope/outcome.js";
import {
  httpEnvelope,
  isResponseEnvelope,
  localEnvelope,
  mcpEnvelope,
  scriptEnvelope,
} from "../envelope/response-envelope.js";
import { convert } from "./convert.js";
import { text } from "./fixtures/envelope-block.js";
import { failure, failureOf, readingOf, success, successOf, throughWire, wireOf } from "./fixtures/reading.js";
import { responseEnvelopeFixtures } from "./fixtures/response-envelope.js";
import { testFixtures } from "./fixtures/test-fixtures.js";
import { responseEnvelope } from "./response-envelope.js";

const dialect = responseEnvelope;
const HTTP = { source: "http", statusCode: 200, headers: {}, contentType: "" } as const;

describe("response-envelope", () => {
  testFixtures(dialect, responseEnvelopeFixtures);
});

describe("reading response-envelope", () => {
  test.each([
    ["local", localEnvelope({ a: 1 }, "rows.list")],
    ["http", httpEnvelope({ a: 1 }, { statusCode: 201, headers: { a: "b" }, contentType: "text/plain" })],
    ["mcp", mcpEnvelope({ a: 1 }, { isError: false, content: [{ type: "text", text: "a" }] })],
    ["script", scriptEnvelope({ a: 1 }, { command: ["a"], exitCode: null, timestamp: 1 })],
  ])("gives the data and the whole %s origin", (_, envelope) => {
    expect(readingOf(dialect, envelope).outcome).toEqual({ ok: true, data: envelope.data, meta: envelope.meta });
  });

  test("reads every envelope that isResponseEnvelope knows, one of a void handler too", () => {
    const envelope = localEnvelope(undefined, "rows.touch");
    expect(isResponseEnvelope(envelope)).toBe(true);
    expect(readingOf(dialect, envelope).outcome.ok).toBe(true);
  });

  test("does not invent an origin for what it reads in another dialect", () => {
    const { wire } = convert({ meta: { status: "ok", summary: "Done" }, data: 1 }, "response-envelope");
    expect(isResponseEnvelope(wire)).toBe(true);
    expect(successOf(dialect, wire).meta).not.toHaveProperty("source");
  });

  test("reads an MCP error as a failure of category execution that keeps its payload", () => {
    const envelope = mcpEnvelope({ rows: [1] }, { isError: true, content: [{ type: "text", text: "half" }] });
    expect(failureOf(dialect, envelope).error).toEqual({
      category: "execution",
      code: "TOOL_ERROR",
      message: "half",
      recoverable: false,
      data: { rows: [1] },
    });
  });

  test("says of an MCP error what its payload says", () => {
    const payload = { category: "conflict", code: "ROW_TAKEN", message: "taken", recoverable: true };
    const meta = { isError: true, content: [{ type: "text" as const, text: "no" }], structuredContent: payload };
    expect(failureOf(dialect, mcpEnvelope(payload, meta)).error).toMatchObject({
      category: "conflict",
      code: "ROW_TAKEN",
      data: payload,
    });
  });

  test.each(["tool-envelope-v1", "tool-response", "helper-output", "response-v2", "mcp-result", "problem-details"])(
    "makes an MCP error a failure of %s",
    (name) => {
      const envelope = mcpEnvelope(null, { isError: true, content: [{ type: "text", text: "no such row" }] });
      const { wire } = convert(envelope, name);
      const back = convert(wire, "response-envelope").wire;
      expect(failureOf(dialect, back).error).toMatchObject({ category: "execution", code: "TOOL_ERROR" });
    },
  );
});

describe("writing response-envelope", () => {
  test("writes undefined data as null, so that the key survives JSON", () => {
    const wire = wireOf(dialect, success(undefined, HTTP));
    expect(wire).toEqual({ data: null, meta: HTTP });
    expect(isResponseEnvelope(wire)).toBe(true);
  });

  test("tells a failure in meta.error and keeps its data", () => {
    const outcome = failure({ category: "conflict", code: "C", message: "no", data: { rows: [1] } }, HTTP);
    expect(wireOf(dialect, outcome)).toEqual({
      data: { rows: [1] },
      meta: { ...HTTP, isError: true, error: { category: "conflict", code: "C", message: "no", recoverable: false } },
    });
    expect(throughWire(dialect, outcome)).toEqual(outcome);
  });

  test("needs no word more for an MCP error that says it in its text", () => {
    const meta: OutcomeMeta = { source: "mcp", isError: true, content: [text("no such row")] };
    const wire = wireOf(
      dialect,
      failure({ category: "execution", code: "TOOL_ERROR", message: "no such row", data: 1 }, meta),
    );
    expect(wire).toEqual({ data: 1, meta });
  });

  test("names the caller's tool as operation where no source gave an origin", () => {
    const { wire } = responseEnvelope.write(success(1), { tool: "rows.list", now: 5 });
    expect(wire.meta).toMatchObject({ source: "local", operationId: "rows.list", timestamp: 5 });
  });

  test("keeps a timestamp that the outcome has", () => {
    expect(responseEnvelope.write(success(1, { timestamp: 7 }), { now: 5 }).wire.meta.timestamp).toBe(7);
  });
});
