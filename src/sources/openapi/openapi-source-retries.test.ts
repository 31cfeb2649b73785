import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { within } from "../../../test/own-time.js";
import { type Arrived, httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, type Mounted, mounted, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

// The shortest of the random waits.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

type Answer = (response: ServerResponse) => void;

const unavailable: Answer = (response) => sendJson(response, {}, 503);
const reset: Answer = (response) => void response.socket?.resetAndDestroy();
const cut: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "20" });
  response.write('{"ok":', () => response.destroy());
};

/** Answers so, one after the other, then well. */
async function api(
  answers: readonly Answer[],
  options: object = {},
): Promise<Mounted & { readonly arrived: readonly Arrived[] }> {
  const left = [...answers];
  const server = await httpServer((_, response) => {
    const answer = left.shift();
    if (answer === undefined) sendJson(response, { ok: true });
    else answer(response);
  });
  const parameters = [{ name: "Idempotency-Key", in: "header", schema: { type: "string" } }];
  const requestBody = { content: { "application/json": { schema: { properties: { text: {} } } } } };
  const operations = Object.fromEntries(
    ["get", "put", "delete", "post", "patch"].map((verb) => [
      `${verb} /a`,
      { operationId: verb, parameters, ...(verb !== "get" && verb !== "delete" && { requestBody }) },
    ]),
  );
  return {
    ...(await mounted({ document: documentWith(operations), baseUrl: server.url, ...options })),
    arrived: server.arrived,
  };
}

const ways: readonly [what: string, answer: Answer][] = [
  ["is refused for the moment", unavailable],
  ["loses its connection", reset],
  ["is cut while its answer comes", cut],
];

describe.each(ways)("a request that %s", (_, answer) => {
  test.each(["get", "put", "delete"])("is made again as %s", async (name) => {
    const { call, arrived } = await api([answer, answer]);
    expect((await call(name)).data).toEqual({ ok: true });
    expect(arrived).toHaveLength(3);
  });

  test.each(["post", "patch"])("is not made again as %s", async (name) => {
    const { fail, arrived } = await api([answer]);
    expect((await fail(name, { text: "a" })).category).toBe("unavailable");
    expect(arrived).toHaveLength(1);
  });

  test.each<[string, object, object, object]>([
    ["its caller gives a key", {}, { idempotencyKey: "k" }, {}],
    ["the source gives keys", {}, {}, { idempotencyKeys: true }],
    ["its input has a key", { "Idempotency-Key": "k" }, {}, {}],
  ])("is made again as it was where %s", async (__, input, call, options) => {
    const api_ = await api([answer, answer], options);
    expect((await api_.call("post", { ...input, text: "a" }, call)).data).toEqual({ ok: true });
    const keys = api_.arrived.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/./);
    expect(new Set(keys).size).toBe(1);
    expect(api_.arrived.map(({ body }) => body)).toEqual(Array(3).fill('{"text":"a"}'));
  });

  test("is made again so many times, and then fails", async () => {
    const { fail, arrived } = await api(Array(9).fill(answer), { retries: 3 });
    expect((await fail("get")).category).toBe("unavailable");
    expect(arrived).toHaveLength(4);
  });

  test("is not made again without retries", async () => {
    const { fail, arrived } = await api([answer], { retries: 0, idempotencyKeys: true });
    expect((await fail("put")).category).toBe("unavailable");
    expect(arrived).toHaveLength(1);
  });
});

test("requests that fail in several ways are made again no more often than is said", async () => {
  const { fail, arrived } = await api([unavailable, cut, reset, cut, unavailable], { retries: 2 });
  expect((await fail("get")).category).toBe("unavailable");
  expect(arrived).toHaveLength(3);
});

describe("what the server says of the time", () => {
  const later =
    (seconds: number, status = 503): Answer =>
    (response) =>
      sendJson(response, {}, status, { "retry-after": String(seconds) });

  test("is honoured", async () => {
    const { call, arrived } = await api([later(0)]);
    expect((await call("get")).data).toEqual({ ok: true });
    expect(arrived).toHaveLength(2);
  });

  test("ends the call at once where it is past the deadline", async () => {
    const { fail, arrived } = await api([later(20)]);
    const error = await within(5_000, fail("get", {}, { deadline: Date.now() + 10_000 }));
    expect(error).toMatchObject({ category: "unavailable", retryAfterMs: 20_000 });
    expect(arrived).toHaveLength(1);
  });

  test("ends the call at once where it is longer than the source waits", async () => {
    const { fail, arrived } = await api([later(3, 429)], { maxRetryWaitMs: 2_000 });
    expect(await fail("get")).toMatchObject({ category: "rate_limit", retryAfterMs: 3_000 });
    expect(arrived).toHaveLength(1);
  });

  test.each(["the caller gives up", "the source is closed"])("is not waited for when %s", async (who) => {
    const { fail, source, arrived } = await api([later(20)]);
    const controller = new AbortController();
    const work = fail("get", {}, { signal: controller.signal });
    await expect.poll(() => arrived).toHaveLength(1);
    // The answer comes, and the wait begins.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (who === "the caller gives up") controller.abort();
    else await source.close();
    expect((await work).category).toBe(who === "the caller gives up" ? "aborted" : "unavailable");
    expect(arrived).toHaveLength(1);
  });
});
