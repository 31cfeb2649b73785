import { describe, expect, test } from "vitest";
import { DIALECTS } from "../../dialects/all.js";
import { CallError } from "../../envelope/call-error.js";
import { CATEGORIES, categoryFacts } from "../../envelope/category.js";
import { hintsIn } from "../../envelope/hints.js";
import { httpEnvelope, read } from "../../index.js";
import { operation } from "../../registry/fixtures/operations.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { sampleCalls } from "../../testing/operations.js";
import { handled, namedHeaders, SERVERS } from "./fixtures/served.js";

/** Fails as it is told to. */
const FAIL = operation((init: ConstructorParameters<typeof CallError>[0]) => {
  throw new CallError(init);
});

const HINTS = operation((_, { warn, page, link, summary }) => {
  warn("careful");
  page({ cursor: "next", hasMore: true });
  link({ uri: "docs://rows", name: "rows" });
  summary("One row");
  return { rows: [] };
});

describe.each(SERVERS)("the answer of %s", (_, serve) => {
  test.each([...CATEGORIES, "quantum"])("to a failure of the category %s has its status", async (category) => {
    const { call } = await serve([FAIL]);
    const { status, body, headers } = await call("test.run", { category, message: "no" });
    expect(status).toBe(categoryFacts(category).status);
    expect(body).toMatchObject({ success: false, error: "no" });
    const reading = read(body);
    expect(reading.kind === "outcome" && !reading.outcome.ok && reading.outcome.error.category).toBe(category);
    expect(headers.get("www-authenticate")).toBe(category === "authentication" ? "Bearer" : null);
  });

  test("has the status of a code that HTTP knows better", async () => {
    const { call } = await serve([FAIL]);
    const codes = {
      PAYLOAD_TOO_LARGE: 413,
      NOT_ACCEPTABLE: 406,
      UNSUPPORTED_MEDIA_TYPE: 415,
      TOSTRING: 400,
      toString: 400,
    };
    for (const [code, status] of Object.entries(codes))
      expect((await call("test.run", { category: "validation", code, message: "no" })).status).toBe(status);
  });

  test("to a failure with everything is read back as it was", async () => {
    const error = {
      category: "rate_limit",
      code: "SLOW_DOWN",
      message: "Zoë 東京 🎉",
      recoverable: true,
      details: { expected: 3 },
      data: { rows: [1] },
      issues: [{ path: "/rows/0", message: "is taken", rule: "unique" }],
      suggestedAction: "Wait",
      nextTool: "rows.get",
      retryAfterMs: 1500,
    };
    const { call } = await serve([FAIL]);
    for (const { name } of DIALECTS) {
      const { status, body, headers } = await call("test.run", error, accept(name));
      expect(status).toBe(429);
      expect(headers.get("retry-after")).toBe("2");
      expect(read(body), name).toMatchObject({ kind: "outcome", outcome: { ok: false, error } });
    }
    const problem = await call("test.run", error, { accept: "application/problem+json" });
    expect(problem.headers.get("content-type")).toBe("application/problem+json");
    expect(problem.body).toMatchObject({ status: 429 });
    expect(read(problem.body)).toMatchObject({ outcome: { ok: false, error } });
    const bare = await call("test.run", error, { accept: "application/json;profile=data" });
    expect(bare.body).toEqual(problem.body);
  });

  test("does not tell what an unknown exception says", async () => {
    const thrown = [
      new TypeError("hunter2"),
      "hunter2",
      { message: "hunter2" },
      Object.assign(new Error("hunter2"), { code: "hunter2" }),
    ];
    const failing = operation((at: number) => {
      throw thrown[at];
    });
    const { call } = await serve([failing]);
    for (const at of thrown.keys())
      for (const headers of [{}, accept("mcp-result"), { accept: "text/event-stream" }]) {
        const answer = await call("test.run", at, headers);
        expect(answer.text + JSON.stringify(namedHeaders(answer.headers))).not.toContain("hunter2");
        expect(answer.status).toBe(answer.headers.get("content-type") === "text/event-stream" ? 200 : 500);
      }
  });

  test("says in headers what HTTP has words for, whatever the format", async () => {
    const limited = operation(
      () => {
        const envelope = httpEnvelope([1], { statusCode: 200, headers: {}, contentType: "application/json" });
        return { ...envelope, meta: { ...envelope.meta, rateLimit: { limit: 10, remaining: 3, resetSeconds: 7 } } };
      },
      { name: "limited" },
    );
    const { call } = await serve([limited, HINTS]);
    for (const type of ["application/json", "application/json;profile=data", "application/vnd.plico.mcp-result+json"]) {
      const { headers } = await call("test.limited", {}, { accept: type });
      expect(headers.get("ratelimit")).toBe('"default";r=3;t=7');
      expect(headers.get("ratelimit-policy")).toBe('"default";q=10');
      expect((await call("test.run", {}, { accept: type })).headers.get("link")).toBe('<docs://rows>; rel="related"');
    }
  });

  test("names what bare data has no place for", async () => {
    const { call } = await serve([HINTS]);
    const { body, headers } = await call("test.run", {}, { accept: "application/json;profile=data" });
    expect(body).toEqual({ rows: [] });
    expect(headers.get("plico-lost")?.split(", ").sort()).toEqual([
      "/meta/links",
      "/meta/pagination",
      "/meta/summary",
      "/meta/warnings",
    ]);
    expect(headers.get("request-id")).toMatch(/^req_/);
    expect((await call("test.run", {})).headers.get("plico-lost")).toBe("/meta/links, /meta/summary");
  });

  test.each([null, 0, "", false, [], {}, "007", { __proto__: null, a: 1 }])("is the bare data %j", async (data) => {
    const { call } = await serve([operation(() => data)]);
    const { text } = await call("test.run", {}, { accept: "application/json;profile=data" });
    expect(text).toBe(JSON.stringify(data));
  });

  test("is not given in what the client does not take", async () => {
    const { call } = await serve([operation(() => expect.fail("it was called"))]);
    for (const type of ["text/html", "application/vnd.plico.none+json", "application/json;q=0", "image/*"]) {
      const { status, body } = await call("test.run", {}, { accept: type });
      expect(status).toBe(406);
      expect(body).toMatchObject({ success: false, data: { error_code: "NOT_ACCEPTABLE" } });
    }
  });

  test.each<[string, AnyOperation["handler"]]>([
    ["data that contains itself", () => cyclic()],
    ["data with a large number", () => ({ n: 10n })],
    ["a day", () => new Date(0)],
    ["data that cannot be looked at", () => Object.defineProperty({}, "a", { enumerable: true, get: fails })],
    [
      "such data and a hint",
      (_, { warn }) => {
        warn("careful");
        return Object.defineProperty({}, "a", { enumerable: true, get: fails });
      },
    ],
    ["hints that are none", () => broken({ warnings: "x", links: null, rateLimit: null, pagination: 5, extra: null })],
    ["other hints that are none", () => broken({ links: [null], requestId: 5, timestamp: 1, summary: {}, details: 5 })],
    [
      "a link of half a character",
      (_, { link }) => {
        link({ uri: "a:\ud800", name: "x" });
        return 1;
      },
    ],
    ["half a character", () => "\ud800"],
    [
      "an error that is not what it must be",
      () => {
        throw Object.assign(new CallError({ category: "conflict", message: "no" }), {
          issues: 5,
          retryAfterMs: "soon",
        });
      },
    ],
    [
      "an error that contains itself",
      () => {
        throw new CallError({ category: "conflict", message: "no", details: cyclic(), data: 10n });
      },
    ],
    [
      "an error with a header in its words",
      () => {
        throw new CallError({
          category: "validation",
          code: "METHOD_NOT_ALLOWED",
          message: "\r\nx: y",
          details: { allowed: ["A\r\nx: y"] },
        });
      },
    ],
  ])("comes, whatever it is: %s", async (_label, handler) => {
    const { call } = await serve([operation(handler, { output: "off" })]);
    const types = ["application/json", "application/json;profile=data", "application/problem+json"];
    for (const type of [...types, ...DIALECTS.map(({ name }) => accept(name).accept)]) {
      const { status, body, headers } = await call("test.run", {}, { accept: type });
      expect(body, type).toBeDefined();
      expect([200, 405, 409]).toContain(status);
      expect(headers.get("x")).toBeNull();
    }
    const { text } = await call("test.run", {}, { accept: "text/event-stream" });
    expect(text).toMatch(/^event: (value|failure)\ndata: [^\n]+\n\n(event: end\ndata: \{\}\n\n)?$/);
  });
});

test.each(DIALECTS.map(({ name }) => name))("an answer in %s is read back as if called directly", async (name) => {
  const operations = sampleCalls.map(({ operation: one }) => one);
  const { registry, call } = await handled(operations);
  for (const { operation: one, input, label } of sampleCalls) {
    const direct = await registry.attempt(one.id, input);
    const { status, body, headers } = await call(one.id, input, accept(name));
    expect(headers.get("content-type"), label).toBe(`application/vnd.plico.${name}+json`);
    expect(status === 200, label).toBe(direct.ok);
    const reading = DIALECTS.find((dialect) => dialect.name === name)?.read(body);
    const outcome = reading?.kind === "outcome" ? reading.outcome : expect.fail(`${label} is ${reading?.kind}`);
    expect(outcome.ok).toBe(direct.ok);
    if (outcome.ok && direct.ok) expect(outcome.data, label).toEqual(printed(direct.data));
    if (!outcome.ok && !direct.ok) expect(outcome.error, label).toEqual(printed(direct.error));
    const lost = (headers.get("plico-lost") ?? "").split(", ").map((path) => path.split("/")[2]);
    const { timestamp: _t, requestId: _r, ...hints } = hintsIn(direct.meta);
    for (const [hint, value] of Object.entries(hints))
      if (!lost.includes(hint)) expect(hintsIn(outcome.meta), label).toMatchObject({ [hint]: value });
  }
});

describe.each(SERVERS)("the trace of a request to %s", (_, serve) => {
  const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const CHILD = /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/;
  const SEEN = operation((_input, { metadata }) => metadata?.["traceparent"] ?? "none");

  test("goes on in the handler, the header and the answer", async () => {
    const { call } = await serve([SEEN]);
    const { body, headers } = await call("test.run", {}, { traceparent: PARENT });
    const { data, meta } = body as { data: { result: string }; meta: Record<string, unknown> };
    expect(data.result).toMatch(CHILD);
    expect(headers.get("traceparent")).toBe(data.result);
    expect(meta).toMatchObject({ trace_id: "0af7651916cd43dd8448eb211c80319c", span_id: data.result.split("-")[2] });
  });

  test.each([
    ["0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7", true],
    ["0af7651916cd43dd8448eb211c80319c", "no span", false],
    ["1".repeat(32), "00f067aa0ba902b7", false],
  ])("has in its header the span that was recorded, where that is %s %s: %s", async (traceId, spanId, isTold) => {
    const recorded = operation(() =>
      httpEnvelope(1, { statusCode: 200, headers: {}, contentType: "application/json", traceId, spanId }),
    );
    const { call } = await serve([recorded]);
    const { headers } = await call("test.run", {}, { traceparent: PARENT });
    const [, , span] = headers.get("traceparent")?.split("-") ?? [];
    expect([headers.get("traceparent"), span === spanId]).toEqual([expect.stringMatching(CHILD), isTold]);
  });

  test("goes on where the call fails, and where it is a stream", async () => {
    const failing = operation(() => {
      throw new Error("no");
    });
    const ticks = operation(
      async function* (_input, { metadata }) {
        yield metadata?.["traceparent"];
      },
      { name: "ticks", type: "subscription" },
    );
    const bad = operation(() => [], { name: "bad", type: "subscription", inputSchema: { type: "string" } });
    const { call } = await serve([failing, ticks, bad]);
    const failed = await call("test.run", {}, { traceparent: PARENT });
    expect(failed.headers.get("traceparent")).toMatch(CHILD);
    expect(failed.body).toMatchObject({ meta: { trace_id: "0af7651916cd43dd8448eb211c80319c" } });
    const streamed = await call("test.ticks", {}, { traceparent: PARENT });
    expect(streamed.headers.get("traceparent")).toMatch(CHILD);
    expect(streamed.text).toContain(streamed.headers.get("traceparent"));
    const called = await call("test.run", {}, { traceparent: PARENT, accept: "text/event-stream" });
    expect(called.headers.get("traceparent")).toMatch(CHILD);
    const refused = await call("test.bad", {}, { traceparent: PARENT });
    expect(refused.status).toBe(400);
    expect(refused.headers.get("traceparent")).toMatch(CHILD);
  });

  test.each(["", "nonsense", PARENT.toUpperCase(), `00-${"0".repeat(32)}-b7ad6b7169203331-01`, `${PARENT}-x`])(
    "is none where the header is %j",
    async (traceparent) => {
      const { call } = await serve([SEEN]);
      const { body, headers } = await call("test.run", {}, { traceparent });
      expect(body).toMatchObject({ data: { result: "none" } });
      expect(headers.get("traceparent")).toBeNull();
    },
  );
});

function accept(dialect: string): { readonly accept: string } {
  return { accept: `application/vnd.plico.${dialect}+json` };
}

function printed(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

function cyclic(): object {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  return loop;
}

function fails(): never {
  throw new Error("no");
}

function broken(hints: object): unknown {
  return { data: { a: 1 }, meta: { source: "local", operationId: "test.run", timestamp: 1, ...hints } };
}
