import { describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import { read } from "../../index.js";
import { operation } from "../../registry/fixtures/operations.js";
import type { AnyHandler } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { SERVERS } from "./fixtures/served.js";
import { subscription } from "./fixtures/subscriptions.js";

const three = subscription(async function* () {
  yield { at: 1 };
  yield [2];
  yield null;
});

describe.each(SERVERS)("a subscription by %s", (_, serve) => {
  test("is a stream of documents, each of one value", async () => {
    const { call } = await serve([three]);
    const { status, headers, text } = await call("test.run", {});
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/event-stream");
    expect(headers.get("plico-stream")).toBe("1");
    expect(headers.get("cache-control")).toBe("no-store");
    const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => JSON.parse(json));
    expect(data.slice(0, 3).map((document) => read(document))).toMatchObject([
      { kind: "outcome", outcome: { ok: true, data: { at: 1 } } },
      { kind: "outcome", outcome: { ok: true, data: [2] } },
      { kind: "outcome", outcome: { ok: true, data: null } },
    ]);
    expect(text.match(/^id: [0-9a-f]{16}:\d+$/gm)).toHaveLength(4);
    expect(text.endsWith("event: end\ndata: {}\n\n")).toBe(true);
  });

  test("is one in any format", async () => {
    const { call } = await serve([three]);
    const accept = "text/event-stream, application/json;profile=data";
    const { text } = await call("test.run", {}, { accept });
    expect([...text.matchAll(/^event: value\ndata: (.*)$/gm)].map(([, json]) => json)).toEqual([
      '{"at":1}',
      "[2]",
      "null",
    ]);
  });

  test("is asked for as an EventSource does, with its input in the query", async () => {
    const echo = subscription(
      async function* (input) {
        yield input;
      },
      { inputSchema: { properties: { n: { type: "number" }, tags: { type: "array", items: { type: "string" } } } } },
    );
    const { get } = await serve([echo]);
    const { text } = await get("/operations/test.run?n=5&tags=a&tags=b&word=x", { accept: "text/event-stream" });
    const [, json = ""] = /^event: value\ndata: (.*)$/m.exec(text) ?? [];
    expect(JSON.parse(json)).toMatchObject({ data: { n: 5, tags: ["a", "b"], word: "x" } });
  });

  test("has a route of its own, for browsers too", async () => {
    const own = subscription(
      async function* ({ id }) {
        yield id;
      },
      { inputSchema: { properties: { id: { type: "integer" } } }, http: { method: "GET", path: "/rows/{id}/changes" } },
    );
    const { get } = await serve([own]);
    for (const accept of ["text/event-stream", "*/*", "text/html,application/xml;q=0.9,*/*;q=0.8"])
      expect((await get("/rows/7/changes", { accept })).text).toContain('"result":7');
    expect((await get("/rows/7/changes", { accept: "application/json" })).status).toBe(406);
  });

  test.each<[string, number, AnyOperation]>([
    ["input", 400, subscription(() => [], { inputSchema: { type: "string" } })],
    ["permission", 401, subscription(() => [], { accessControl: { requiredScopes: ["x"] } })],
    ["object", 404, subscription(missing("not_found"))],
    ["time", 429, subscription(missing("rate_limit", 1500))],
    ["sense", 500, subscription(() => 5)],
    [
      "luck",
      500,
      subscription(() => {
        throw new TypeError("hunter2");
      }),
    ],
  ])("without the right %s is answered with %d", async (_what, status, ticks) => {
    const { call, get } = await serve([ticks]);
    const answers = [
      await call("test.run", {}),
      await get("/operations/test.run?a=1", { accept: "text/event-stream" }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(status);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.headers.get("plico-stream")).toBeNull();
      expect(answer.body).toMatchObject({ success: false });
      expect(answer.text).not.toContain("hunter2");
      expect(answer.headers.get("retry-after")).toBe(status === 429 ? "2" : null);
    }
    expect((await call("test.none", {}, { accept: "text/event-stream" })).status).toBe(404);
  });

  test("tells of a failure that comes later in an event, the last one", async () => {
    const failing = subscription(async function* () {
      yield 1;
      throw new CallError({ category: "conflict", message: "no more" });
    });
    const { call } = await serve([failing]);
    const { status, text } = await call("test.run", {});
    expect(status).toBe(200);
    const [, json = ""] = /event: failure\ndata: (.*)\n\n$/.exec(text) ?? [];
    expect(read(JSON.parse(json))).toMatchObject({ outcome: { ok: false, error: { category: "conflict" } } });
    expect(text).not.toContain("event: end");
  });

  test("does not tell what an unknown exception says", async () => {
    const failing = subscription(async function* () {
      yield 1;
      throw new Error("hunter2");
    });
    const { call } = await serve([failing]);
    const { text } = await call("test.run", {});
    expect(text).toContain("event: failure");
    expect(text).not.toContain("hunter2");
  });

  test("is described where nobody asks for events first", async () => {
    const { get } = await serve([three]);
    for (const accept of ["*/*", "application/json", "application/json, text/event-stream"])
      expect((await get("/operations/test.run", { accept })).body).toMatchObject({ id: "test.run" });
  });

  test("cannot be had as one document", async () => {
    const { call } = await serve([three]);
    for (const accept of ["application/json", "application/json;profile=data", "application/problem+json"]) {
      const { status, body } = await call("test.run", {}, { accept });
      expect(status).toBe(406);
      expect(JSON.stringify(body)).toContain("text/event-stream");
    }
  });

  test("tells of its progress", async () => {
    const telling = subscription(async function* (_input, { progress }) {
      yield 1;
      progress(1, 2);
      yield 2;
    });
    const { call } = await serve([telling]);
    expect((await call("test.run", {})).text).toContain('event: progress\ndata: {"progress":1,"total":2}\n\n');
  });
});

describe.each(SERVERS)("a call as a stream, by %s", (_, serve) => {
  const steps = operation((_input, { progress }) => {
    progress(1, 3, "one");
    progress(1);
    progress(2);
    return { done: true };
  });

  test("tells of its progress and then its value", async () => {
    const { call } = await serve([steps]);
    const { headers, text } = await call("test.run", {}, { accept: "text/event-stream, application/json" });
    expect(headers.get("plico-stream")).toBe("1");
    expect(text).toMatch(
      /^event: progress\ndata: \{"progress":1,"total":3,"message":"one"\}\n\nevent: progress\ndata: \{"progress":2\}\n\nevent: value\ndata: \{"success":true.*\}\n\nevent: end\ndata: \{\}\n\n$/,
    );
  });

  test("has its failure as the last event", async () => {
    const { call } = await serve([operation(() => 1, { inputSchema: { type: "string" } })]);
    const { status, text } = await call("test.run", {}, { accept: "text/event-stream" });
    expect(status).toBe(200);
    expect(text).toMatch(/^event: failure\ndata: \{"success":false.*\}\n\n$/);
  });

  test("is none where a document is wanted more", async () => {
    const { call } = await serve([steps]);
    for (const accept of ["application/json, text/event-stream", "*/*", "text/event-stream;q=0.5, */*;q=0.8"])
      expect((await call("test.run", {}, { accept })).headers.get("content-type")).toBe("application/json");
  });
});

function missing(category: string, retryAfterMs?: number): AnyHandler {
  // biome-ignore lint/correctness/useYield: it fails before it could
  return async function* () {
    throw new CallError({ category, message: "no", ...(retryAfterMs !== undefined && { retryAfterMs }) });
  };
}
