import { describe, expect, test } from "vitest";
import type { Dialect } from "../../../dialects/dialect.js";
import { failure, success, wireOf } from "../../../dialects/fixtures/reading.js";
import { responseV2 } from "../../../dialects/response-v2.js";
import type { ResponseEnvelope } from "../../../envelope/response-envelope.js";
import { envelopeFromAnswer } from "./answer.js";
import { type AnswerParts, answerOf, answerOptions } from "./fixtures/answer-of.js";
import { isUnfolded } from "./unfold.js";

function envelopeOf(parts: AnswerParts): Promise<ResponseEnvelope> {
  return envelopeFromAnswer(answerOf(parts), answerOptions());
}

describe("a stream in a call", () => {
  test.each([
    ["application/x-ndjson", '{"a":1}\n{"a":2}\n'],
    ["application/json-seq", '\u001e{"a":1}\n\u001e{"a":2}\n'],
    ["text/event-stream", 'data: {"a":1}\n\ndata: {"a":2}\n\n'],
  ])("of %s is the list of its values", async (contentType, body) => {
    const envelope = await envelopeOf({ contentType, body });
    expect(envelope).toMatchObject({ data: [{ a: 1 }, { a: 2 }], meta: { source: "http", contentType } });
    expect(isUnfolded(envelope)).toBe(false);
  });

  test("is empty where nothing comes", async () => {
    expect((await envelopeOf({ contentType: "application/x-ndjson", body: "" })).data).toEqual([]);
  });

  test("keeps what came before it failed", async () => {
    await expect(envelopeOf({ contentType: "application/x-ndjson", body: "[1]\n[2]\n[" })).rejects.toMatchObject({
      code: "INVALID_ANSWER",
      data: [[1], [2]],
      details: { line: "[" },
    });
    const said = wireOf(responseV2 as Dialect, failure({ category: "conflict", message: "no" }));
    const body = `data: 1\n\ndata: ${JSON.stringify(said)}\n\n`;
    const failed = envelopeOf({ contentType: "text/event-stream", body });
    await expect(failed).rejects.toMatchObject({ category: "conflict", data: [1] });
  });

  test("of documents is the list of what they say", async () => {
    const body = [1, 2].map((data) => JSON.stringify(wireOf(responseV2 as Dialect, success({ data })))).join("\n");
    const envelope = await envelopeOf({ contentType: "application/jsonl", body });
    expect(envelope.data).toEqual([{ data: 1 }, { data: 2 }]);
    expect(isUnfolded(envelope)).toBe(true);
  });

  test.each([
    ["values", new TextEncoder().encode("1\n".repeat(1000))],
    ["bytes", new TextEncoder().encode(`"${"x".repeat(1024 * 1024)}"\n`)],
  ])("without an end is cut after enough %s, and says so", async (_, piece) => {
    const answer = {
      ...answerOf({ contentType: "application/x-ndjson" }),
      async *chunks() {
        for (;;) yield piece;
      },
    };
    const { data, meta } = await envelopeFromAnswer(answer, answerOptions());
    expect((data as unknown[]).length).toBeGreaterThan(20);
    expect((data as unknown[]).length).toBeLessThanOrEqual(10_000);
    expect(meta).toMatchObject({ truncated: true, warnings: [{ code: "TRUNCATED" }] });
  });
});
