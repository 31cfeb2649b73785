import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { find } from "../../../dialects/detect.js";
import type { Dialect } from "../../../dialects/dialect.js";
import { failure, success, throughWire, wireOf } from "../../../dialects/fixtures/reading.js";
import { helperOutput } from "../../../dialects/helper-output.js";
import { problemDetails } from "../../../dialects/problem-details.js";
import { responseEnvelope } from "../../../dialects/response-envelope.js";
import { responseV2 } from "../../../dialects/response-v2.js";
import { toolEnvelopeV1 } from "../../../dialects/tool-envelope-v1.js";
import { toolResponse } from "../../../dialects/tool-response.js";
import { isCallError } from "../../../envelope/call-error.js";
import { hintsIn } from "../../../envelope/hints.js";
import type { Outcome } from "../../../envelope/outcome.js";
import { hintsOfFailure } from "../../../registry/failure-hints.js";
import { sampleOutcomes } from "../../../testing/outcomes.js";
import { type AnswerOptions, envelopeFromAnswer } from "./answer.js";
import { type AnswerParts, answerOf, answerOptions } from "./fixtures/answer-of.js";
import { isUnfolded, readDocument } from "./unfold.js";

async function outcomeOf(parts: AnswerParts, options: Partial<AnswerOptions> = {}): Promise<Outcome> {
  try {
    const { data, meta } = await envelopeFromAnswer(answerOf(parts), answerOptions(options));
    return { ok: true, data, meta };
  } catch (thrown) {
    if (!isCallError(thrown)) throw thrown;
    return { ok: false, error: thrown.toJSON(), meta: hintsOfFailure(thrown) ?? {} };
  }
}

const DIALECTS = [toolEnvelopeV1, responseEnvelope, toolResponse, helperOutput, responseV2] as readonly Dialect[];

const DONE = success({ rows: [1] }, { summary: "One row", pagination: { cursor: "b", hasMore: true } });
const FAILED = failure({
  category: "not_found",
  code: "ROW_NOT_FOUND",
  message: "There is no row 7",
  suggestedAction: "List them",
});

describe.each(DIALECTS)("a document of $name", (dialect) => {
  // Where the data of one format makes a document of another, that is what it is read as.
  const clear = sampleOutcomes.filter(
    ({ outcome }) => find(wireOf(dialect, outcome), { dialects: DIALECTS })?.dialect === dialect,
  );

  test.each(clear)("is read as what it says: $label", async ({ outcome }) => {
    const said = throughWire(dialect, outcome);
    for (const status of said.ok ? [200] : [200, 400, 503]) {
      const got = await outcomeOf({ status, body: wireOf(dialect, outcome) });
      expect(got.ok).toBe(said.ok);
      if (got.ok && said.ok) expect(got.data).toEqual(said.data);
      if (!got.ok && !said.ok) expect(got.error).toEqual(said.error);
      const { warnings: _, ...hints } = hintsIn(said.meta);
      expect(got.meta).toMatchObject({ ...hints, source: "http", statusCode: status });
    }
  });

  test("gives an envelope that is known to be unfolded", async () => {
    const envelope = await envelopeFromAnswer(answerOf({ body: wireOf(dialect, DONE) }), answerOptions());
    expect(isUnfolded(envelope)).toBe(true);
    expect(envelope.data).toEqual({ rows: [1] });
  });

  test("is left alone where the option says so", async () => {
    const body = wireOf(dialect, DONE);
    const envelope = await envelopeFromAnswer(answerOf({ body }), answerOptions({ unfold: false }));
    expect(envelope.data).toEqual(body);
    expect(isUnfolded(envelope)).toBe(false);
  });

  test("counts before the headers, which add what it leaves out", async () => {
    const headers = { link: '</x?page=9>; rel="next"', "x-ratelimit-limit": "60", "retry-after": "4" };
    const body = wireOf(dialect, DONE);
    const said = throughWire(dialect, DONE).meta.pagination;
    const { meta } = await outcomeOf({ body, headers });
    expect(meta.pagination).toEqual(said ?? undefined);
    expect(meta.rateLimit).toMatchObject({ limit: 60 });
  });

  test("that says failure learns from the headers how long to wait", async () => {
    const got = await outcomeOf({ status: 404, body: wireOf(dialect, FAILED), headers: { "retry-after": "4" } });
    expect(got).toMatchObject({ ok: false, error: { code: "ROW_NOT_FOUND", retryAfterMs: 4000 } });
    const waits = failure({ category: "rate_limit", message: "Slower", retryAfterMs: 9000 });
    const known = throughWire(dialect, waits);
    const other = await outcomeOf({ status: 429, body: wireOf(dialect, waits), headers: { "retry-after": "4" } });
    const expected = known.ok ? undefined : (known.error.retryAfterMs ?? 4000);
    expect(other).toMatchObject({ ok: false, error: { retryAfterMs: expected } });
  });

  test("that says success in an answer that says failure counts as failed, and keeps its data", async () => {
    const got = await outcomeOf({ status: 500, body: wireOf(dialect, DONE) });
    expect(got).toMatchObject({ ok: false, error: { category: "internal", data: { rows: [1] } } });
    expect(got.meta.warnings?.map(({ code }) => code)).toEqual(["VERDICTS_DIFFER"]);
  });
});

describe("a document that cannot be read", () => {
  const body = { success: true, data: 3, error: "both", meta: { version: "response-v2" } };

  test("stays data, and says so", async () => {
    const got = await outcomeOf({ body });
    expect(got).toMatchObject({ ok: true, data: body });
    expect(got.meta.warnings?.map(({ code }) => code)).toEqual(["NONCONFORMING"]);
  });

  test("stays the body of a failure, and says so", async () => {
    const got = await outcomeOf({ status: 400, body });
    expect(got).toMatchObject({ ok: false, error: { category: "validation", details: { body } } });
    expect(got.meta.warnings?.map(({ code }) => code)).toEqual(["NONCONFORMING"]);
  });
});

describe("problem details", () => {
  test.each(sampleOutcomes.filter(({ outcome }) => !outcome.ok))(
    "of Plico are restored: $label",
    async ({ outcome }) => {
      const body = wireOf(problemDetails as Dialect, outcome);
      const said = throughWire(problemDetails as Dialect, outcome);
      const got = await outcomeOf({ status: Number(body["status"]), contentType: "application/problem+json", body });
      if (got.ok || said.ok) throw new Error("It is a failure");
      if ("plico" in body) return expect(got.error).toEqual(said.error);
      expect(got.error).toMatchObject({ category: said.error.category, code: said.error.code });
    },
  );

  test("in a success are a failure of the kind that they say", async () => {
    const body = { type: "about:blank", title: "Gone", status: 410, detail: "It was here." };
    const got = await outcomeOf({ contentType: "application/problem+json", body });
    expect(got).toMatchObject({ ok: false, error: { category: "not_found", details: { statusCode: 200 } } });
  });

  test("of Plico in a success are restored", async () => {
    const said = failure({ category: "model", code: "OVERLOADED", message: "Too busy", nextTool: "other.model" });
    const body = wireOf(problemDetails as Dialect, said);
    const got = await outcomeOf({ contentType: "application/problem+json", body });
    expect(got).toMatchObject({ ok: false, error: said.error });
  });

  test("are left alone where the option says so", async () => {
    const body = { title: "Gone", status: 410 };
    const got = await outcomeOf({ contentType: "application/problem+json", body }, { unfold: false });
    expect(got).toMatchObject({ ok: true, data: body });
  });

  test("with data are the success that Plico wrote", async () => {
    const body = wireOf(problemDetails as Dialect, success([1, 2]));
    expect(await outcomeOf({ contentType: "application/problem+json", body })).toMatchObject({
      ok: true,
      data: [1, 2],
    });
  });

  test("are data where nothing says that they are a problem", async () => {
    const body = { status: 404, title: "Page not found", type: "article" };
    expect(await outcomeOf({ body })).toMatchObject({ ok: true, data: body });
  });
});

test.each([
  ["a page of Spring", { content: [], totalElements: 0, number: 0, size: 10, last: true }],
  ["a result of MCP", { content: [{ type: "text", text: "hi" }], isError: true }],
  ["a record with a status", { status: "ok", error: null }],
])("%s is no document", async (_, body) => {
  expect(await outcomeOf({ body })).toMatchObject({ ok: true, data: body });
});

test("reading never throws", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => void readDocument(value, { mayBeProblem: true })));
});
