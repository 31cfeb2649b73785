import { describe, expect, test } from "vitest";
import { isCallError } from "./call-error.js";
import { envelopeFromOutcome, type Failure, type Outcome, outcomeFromEnvelope } from "./outcome.js";
import {
  httpEnvelope,
  localEnvelope,
  mcpEnvelope,
  type ResponseEnvelope,
  scriptEnvelope,
} from "./response-envelope.js";

const ENVELOPES: readonly (readonly [string, ResponseEnvelope])[] = [
  ["local", localEnvelope({ rows: [] }, "rows.list")],
  ["http", httpEnvelope(null, { statusCode: 500, headers: {}, contentType: "", summary: "broken" })],
  ["mcp", mcpEnvelope(0, { isError: false, content: [{ type: "text", text: "0" }] })],
  ["script", scriptEnvelope("", { command: ["a"], exitCode: 1, timestamp: 0 })],
];

function failed(data: unknown, ...texts: string[]): Failure {
  const content = texts.map((text) => ({ type: "text" as const, text }));
  const outcome = outcomeFromEnvelope(mcpEnvelope(data, { isError: true, content, requestId: "r" }));
  if (outcome.ok) throw new Error("it is a success");
  return outcome;
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("nothing was thrown");
}

describe("an envelope", () => {
  test.each(ENVELOPES)("of %s is a success with the same data and meta, and comes back", (_, envelope) => {
    const outcome = outcomeFromEnvelope(envelope);
    expect(outcome).toStrictEqual({ ok: true, ...envelope });
    expect(envelopeFromOutcome(outcome)).toStrictEqual(envelope);
  });

  test("keeps undefined as its data", () => {
    const outcome = outcomeFromEnvelope(localEnvelope(undefined, "a.b"));
    expect(outcome).toHaveProperty("data", undefined);
    expect(Object.keys(envelopeFromOutcome(outcome))).toEqual(["data", "meta"]);
  });

  test("of a tool that says it failed is a failure, with the payload and the meta kept", () => {
    const { error, meta } = failed({ rows: [1] }, "it broke");
    expect(error).toMatchObject({ category: "execution", code: "TOOL_ERROR", recoverable: false, data: { rows: [1] } });
    expect(meta).toMatchObject({ source: "mcp", isError: true, requestId: "r" });
  });

  test("of a failed tool has the tool's own text as its message", () => {
    expect(failed(null, "one", "two").error.message).toBe("one\ntwo");
  });

  test("of a failed tool without a text still has a message", () => {
    expect(failed(null).error.message).not.toBe("");
    const image = { type: "image" as const, data: "", mimeType: "image/png" };
    const outcome = outcomeFromEnvelope(mcpEnvelope(null, { isError: true, content: [image] }));
    expect(outcome.ok ? "" : outcome.error.message).not.toBe("");
  });

  test.each([null, 0, "", false, []])("of a failed tool keeps the payload %j", (data) => {
    expect(failed(data, "it broke").error).toHaveProperty("data", data);
  });

  test("of a failed tool says what its payload says", () => {
    const data = {
      category: "rate_limit",
      code: "SLOW_DOWN",
      message: "too fast",
      recoverable: true,
      nextTool: "wait",
    };
    expect(failed(data, "it broke").error).toStrictEqual({ ...data, data });
  });

  test("of another source never fails, whatever its status or exit code", () => {
    expect(ENVELOPES.map(([, envelope]) => outcomeFromEnvelope(envelope).ok)).toEqual([true, true, true, true]);
  });
});

describe("envelopeFromOutcome", () => {
  test("throws the error of a failure", () => {
    const outcome = failed({ rows: [1] }, "it broke");
    const thrown = thrownBy(() => envelopeFromOutcome(outcome));
    expect(isCallError(thrown) && thrown.toJSON()).toStrictEqual(outcome.error);
  });

  test("throws where no source has given an origin, and invents none", () => {
    const outcome: Outcome = { ok: true, data: 1, meta: { requestId: "r" } };
    expect(thrownBy(() => envelopeFromOutcome(outcome))).toMatchObject({ name: "CallError", category: "internal" });
  });
});
