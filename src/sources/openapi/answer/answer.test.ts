import { describe, expect, test } from "vitest";
import { CallError } from "../../../envelope/call-error.js";
import { isResponseEnvelope, type ResponseEnvelope } from "../../../envelope/response-envelope.js";
import { hintsOfFailure } from "../../../registry/failure-hints.js";
import { type AnswerOptions, envelopeFromAnswer } from "./answer.js";
import { type AnswerParts, answerOf, answerOptions } from "./fixtures/answer-of.js";
import { isUnfolded } from "./unfold.js";

function envelopeOf(parts: AnswerParts, options: Partial<AnswerOptions> = {}): Promise<ResponseEnvelope> {
  return envelopeFromAnswer(answerOf(parts), answerOptions(options));
}

describe("a success", () => {
  test("is an envelope with all that came", async () => {
    const headers = { "x-request-id": "7", link: '</a?page=2>; rel="next"', "x-ratelimit-remaining": "3" };
    const envelope = await envelopeOf({ status: 201, body: { id: 1 }, headers, setCookie: ["a=1; Path=/", "b=2"] });
    expect(isResponseEnvelope(envelope)).toBe(true);
    expect(isUnfolded(envelope)).toBe(false);
    expect(envelope).toEqual({
      data: { id: 1 },
      meta: {
        source: "http",
        statusCode: 201,
        headers: { "content-type": "application/json", ...headers },
        contentType: "application/json",
        setCookie: ["a=1; Path=/", "b=2"],
        rateLimit: { remaining: 3 },
        pagination: { cursor: "2", hasMore: true },
      },
    });
  });

  test.each([204, 205, 304])("of status %s has no data", async (status) => {
    const answer = answerOf({ status, contentType: "application/json", headers: { etag: '"x"' } });
    const envelope = await envelopeFromAnswer(answer, answerOptions());
    expect(envelope).toMatchObject({ data: null, meta: { source: "http", statusCode: status } });
    expect(answer.discarded()).toBe(1);
  });

  test("without a body has no data", async () => {
    expect((await envelopeOf({ contentType: "application/json", body: "" })).data).toBeNull();
  });

  test("tells what was odd about the body, and where its bytes are", async () => {
    const odd = await envelopeOf({ contentType: "text/plain", body: "[1]" });
    expect(odd).toMatchObject({ data: [1], meta: { warnings: [{ code: "OUTPUT_CONVERTED" }] } });
    const keepJson = async () => ({ uri: "kept:1" });
    const kept = await envelopeOf({ contentType: "image/png", body: "png" }, { keepJson, inlineBytes: 0 });
    expect(kept.meta.links).toEqual([
      { type: "resource_link", uri: "kept:1", name: "test.things", mimeType: "image/png" },
    ]);
  });

  test("whose body cannot be read fails as its reader says", async () => {
    const fault = new CallError({ category: "validation", code: "PAYLOAD_TOO_LARGE", message: "Too large." });
    await expect(envelopeOf({ body: {}, fault })).rejects.toBe(fault);
  });

  test("that is no JSON fails with its origin", async () => {
    const thrown = await envelopeOf({ contentType: "application/json", body: "{" }).catch((error) => error);
    expect(thrown).toMatchObject({ code: "INVALID_ANSWER", data: "{" });
    expect(hintsOfFailure(thrown)).toMatchObject({ source: "http", statusCode: 200 });
  });

  test.each([199, 300, 400, 500])("is not what has the status %s", async (status) => {
    await expect(envelopeOf({ status, body: {} })).rejects.toMatchObject({ name: "CallError" });
  });
});
