import { describe, expect, test } from "vitest";
import type { JsonRecord } from "../json/value.js";
import { text } from "./fixtures/envelope-block.js";
import {
  failure,
  failureOf,
  lostPaths,
  readingOf,
  rulesBroken,
  success,
  successOf,
  throughWire,
  wireOf,
} from "./fixtures/reading.js";
import { testFixtures } from "./fixtures/test-fixtures.js";
import { toolResponseFixtures } from "./fixtures/tool-response.js";
import { toolResponse } from "./tool-response.js";

const dialect = toolResponse;
const LINK = { type: "resource_link", uri: "docs://1", name: "one" } as const;

function failed(data: unknown, meta: object = {}): object {
  return { meta: { status: "error", summary: "It broke", ...meta }, data };
}

interface Envelope {
  readonly meta: JsonRecord;
  readonly data: unknown;
}

function envelopeOf(wire: JsonRecord): Envelope {
  return wire["structuredContent"] as Envelope;
}

describe("tool-response", () => {
  testFixtures(dialect, toolResponseFixtures);
});

describe("reading tool-response", () => {
  test("maps every field of meta to a hint", () => {
    const meta = {
      status: "info",
      summary: "Done",
      details: ["a"],
      nextSteps: ["b"],
      truncated: false,
      tokenUsage: { inline: 0, total: 9 },
      rateLimit: { remaining: 0, resetSeconds: 5 },
    };
    expect(successOf(dialect, { meta, data: 1 }).meta).toEqual(meta);
  });

  test("takes resource links from the content", () => {
    const document = {
      content: [text("✅ Done"), LINK],
      structuredContent: { meta: { status: "ok", summary: "Done" }, data: 1 },
    };
    expect(successOf(dialect, document).meta.links).toEqual([LINK]);
  });

  test.each([[null], [0], [""], [false], [[1]], [{ status: "open", message: null }]])(
    "gives the data %j untouched",
    (data) => {
      expect(successOf(dialect, { meta: { status: "ok", summary: "Done" }, data }).data).toEqual(data);
    },
  );

  test.each(["ok", "info", "warn"])("reads status %s as a success, with an error code or not", (status) => {
    const document = { meta: { status, summary: "Done" }, data: { errorCode: "CACHE_MISS" } };
    expect(successOf(dialect, document).data).toEqual({ errorCode: "CACHE_MISS" });
  });

  test("reads the summary as message, the error code as code and category, the rest as data", () => {
    expect(failureOf(dialect, failed({ errorCode: "PAGE_NOT_FOUND", url: "/x", retryAfterMs: 5 })).error).toEqual({
      category: "not_found",
      code: "PAGE_NOT_FOUND",
      message: "It broke",
      recoverable: false,
      data: { url: "/x", retryAfterMs: 5 },
    });
  });

  test("reads an error without a code as a plain tool error", () => {
    const { error } = failureOf(dialect, failed({ url: "/x" }));
    expect(error).toMatchObject({ category: "execution", code: "TOOL_ERROR", data: { url: "/x" } });
  });

  test("suggests the first of the next steps", () => {
    const { error, meta } = failureOf(dialect, failed({ errorCode: "E" }, { nextSteps: ["first", "second"] }));
    expect(error.suggestedAction).toBe("first");
    expect(meta.nextSteps).toEqual(["second"]);
  });

  test("reads the reset of an error as the time to wait", () => {
    const { error } = failureOf(dialect, failed({ errorCode: "RATE_LIMITED" }, { rateLimit: { resetSeconds: 30 } }));
    expect(error).toMatchObject({ category: "rate_limit", retryAfterMs: 30_000 });
  });

  test.each(["ok", "info", "warn"])("reads status %s as a failure where the result says isError", (status) => {
    const structuredContent = { meta: { status, summary: "Half" }, data: { a: 1 } };
    const { error } = failureOf(dialect, { content: [], structuredContent, isError: true });
    expect(error).toMatchObject({ code: "TOOL_ERROR", data: { a: 1 } });
  });

  test("reads status error as a failure although the result says that it is none", () => {
    const document = { content: [text("❌ It broke")], structuredContent: failed({ errorCode: "E" }), isError: false };
    expect(readingOf(dialect, document).outcome).toMatchObject({ ok: false, error: { code: "E" } });
  });
});

describe("writing tool-response", () => {
  test("writes the headline, the details and the links as content", () => {
    const outcome = success(
      { a: 1 },
      { status: "warn", summary: "Half", details: ["one", " "], links: [LINK], nextSteps: ["x"] },
    );
    expect(wireOf(dialect, outcome)["content"]).toEqual([text("⚠️ Half"), text("one"), LINK]);
  });

  test("writes the envelope with meta and data, and isError false", () => {
    const wire = wireOf(dialect, success([1], { status: "ok", summary: "Done", truncated: true }));
    expect(wire["structuredContent"]).toEqual({ meta: { status: "ok", summary: "Done", truncated: true }, data: [1] });
    expect(wire["isError"]).toBe(false);
  });

  test("writes undefined data as null", () => {
    expect(envelopeOf(wireOf(dialect, success(undefined))).data).toBeNull();
  });

  test("writes a failure with its code in the data and its suggestion as first step", () => {
    const outcome = failure(
      { category: "conflict", code: "TAKEN", message: "It is taken", data: { id: 7 }, suggestedAction: "Read again" },
      { nextSteps: ["or wait"] },
    );
    const wire = wireOf(dialect, outcome);
    expect(wire["isError"]).toBe(true);
    expect(envelopeOf(wire)).toMatchObject({
      meta: { status: "error", summary: "It is taken", nextSteps: ["Read again", "or wait"] },
      data: { errorCode: "TAKEN", id: 7 },
    });
    expect(throughWire(dialect, outcome)).toEqual(outcome);
  });

  test("writes the time to wait as whole seconds and brings the milliseconds back", () => {
    const outcome = failure({ category: "rate_limit", message: "slow", retryAfterMs: 1500 });
    expect(envelopeOf(wireOf(dialect, outcome)).meta["rateLimit"]).toEqual({ resetSeconds: 2 });
    expect(throughWire(dialect, outcome)).toEqual(outcome);
  });

  test("does not add to a failure what it reports as lost", () => {
    const outcome = failure({ category: "conflict", message: "no" }, { rateLimit: { resetSeconds: 60 } });
    expect(throughWire(dialect, outcome).meta).not.toHaveProperty("extra");
  });

  test.each([0, null, [1]])(
    "breaks no rule of its own over a success with the error code %j in its data",
    (errorCode) => {
      expect(rulesBroken(dialect, wireOf(dialect, success({ errorCode })))).toEqual([]);
    },
  );

  test("overwrites no error code that the failure's data has", () => {
    const outcome = failure({ category: "conflict", code: "OURS", message: "no", data: { errorCode: "THEIRS", a: 1 } });
    expect(throughWire(dialect, outcome)).toEqual(outcome);
    expect(lostPaths(dialect, outcome)).toEqual([]);
  });
});
