import { describe, expect, test } from "vitest";
import type { HttpAnswer } from "../http-answer.js";
import {
  client,
  control,
  get,
  type HttpTestServer,
  httpServer,
  kindOf,
  rawServer,
  sendWithRetries,
  text,
  tidyUpExchanges,
} from "./fixtures/exchange-servers.js";
import { isIdempotentMethod, type RetryPolicy, withRetries } from "./retry.js";

tidyUpExchanges();

/** Fails so many times, then answers. */
function failing(times: number, status: number, headers: Record<string, string> = {}): Promise<HttpTestServer> {
  let count = 0;
  return httpServer((_arrived, response) => {
    count += 1;
    if (count > times) response.end("ok");
    else response.writeHead(status, headers).end("not now");
  });
}

/** Notes the waits in place of making them. */
function noted(more: Partial<RetryPolicy> = {}): RetryPolicy & { readonly waits: number[] } {
  const waits: number[] = [];
  const wait = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
  return { retries: 3, isRepeatable: true, random: () => 1, wait, ...more, waits };
}

describe("a call", () => {
  test.each([408, 425, 429, 502, 503, 504])("that fails with %i is made again", async (status) => {
    const server = await failing(2, status);
    const { answer, attempts } = await sendWithRetries(client(), get(server.url), control(), noted());
    expect([text(await answer.bytes()), attempts, server.arrived.length]).toEqual(["ok", 3, 3]);
  });

  test.each([400, 401, 404, 409, 500, 501])("that fails with %i is not", async (status) => {
    const server = await failing(2, status);
    const { answer, attempts } = await sendWithRetries(client(), get(server.url), control(), noted());
    expect([answer.status, attempts, server.arrived.length]).toEqual([status, 1, 1]);
    expect(text(await answer.bytes())).toBe("not now");
  });

  test("that must not be made twice is not", async () => {
    const server = await failing(2, 503);
    const policy = noted({ isRepeatable: false });
    const { answer } = await sendWithRetries(client(), get(server.url, { method: "POST" }), control(), policy);
    expect([answer.status, server.arrived.length]).toEqual([503, 1]);
    answer.discard();
  });

  test("is made no more often than allowed, and gives its last answer", async () => {
    const server = await failing(99, 503);
    const { answer, attempts } = await sendWithRetries(client(), get(server.url), control(), noted({ retries: 2 }));
    expect([text(await answer.bytes()), attempts, server.arrived.length]).toEqual(["not now", 3, 3]);
  });

  test("sends its body again", async () => {
    const server = await failing(1, 503);
    const put = get(server.url, { method: "PUT", body: "body" });
    (await sendWithRetries(client(), put, control(), noted())).answer.discard();
    expect(server.arrived.map(({ body }) => body)).toEqual(["body", "body"]);
  });

  test("whose connection is lost is made again, and fails as the last time", async () => {
    let count = 0;
    const server = await rawServer((socket) => {
      count += 1;
      if (count < 3) socket.resetAndDestroy();
      else socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok");
    });
    const { answer, attempts } = await sendWithRetries(client(), get(server.url), control(), noted());
    expect([text(await answer.bytes()), attempts]).toEqual(["ok", 3]);
    count = -10;
    expect(await kindOf(sendWithRetries(client(), get(server.url), control(), noted()))).toBe(
      "unavailable UNAVAILABLE",
    );
    expect(count).toBe(-6);
  });

  test("whose answer is cut while it is read is made again, within the same number of times", async () => {
    let count = 0;
    const server = await httpServer((_, response) => {
      count += 1;
      if (count === 1) response.writeHead(503).end();
      else if (count > 3) response.end("ok");
      else response.writeHead(200, { "content-length": "9" }).write("cut", () => response.destroy());
    });
    const one = client();
    const given = control();
    const attempt = {
      send: () => one.send(get(server.url), given),
      read: async (answer: HttpAnswer) => text(await answer.bytes()),
    };
    const policy = noted();
    expect(await withRetries(attempt, given, policy)).toBe("ok");
    expect(policy.waits).toEqual([200, 400, 800]);
    count = 0;
    expect(await kindOf(withRetries(attempt, given, noted({ retries: 2 })))).toBe("unavailable UNAVAILABLE");
    expect(count).toBe(3);
  });

  test("that runs out of time is not made again", async () => {
    const server = await rawServer(() => {});
    const policy = noted();
    expect(await kindOf(sendWithRetries(client(), get(server.url), control({ timeout: 30 }), policy))).toBe(
      "timeout TIMEOUT",
    );
    expect(policy.waits).toEqual([]);
  });

  test.each([
    [{ "stripe-should-retry": "false" }, 503, 1],
    [{ "stripe-should-retry": "true" }, 409, 2],
  ])("follows %j of the server", async (headers, status, attempts) => {
    const server = await failing(1, status, headers);
    const sent = await sendWithRetries(client(), get(server.url), control(), noted());
    expect(sent.attempts).toBe(attempts);
    sent.answer.discard();
  });
});

describe("a wait", () => {
  test("doubles up to five seconds, and any part of it may be enough", async () => {
    const server = await failing(99, 503);
    const policy = noted({ retries: 7 });
    (await sendWithRetries(client(), get(server.url), control(), policy)).answer.discard();
    expect(policy.waits).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    const half = noted({ retries: 1, random: () => 0.5 });
    (await sendWithRetries(client(), get(server.url), control(), half)).answer.discard();
    expect(half.waits).toEqual([100]);
  });

  test("is at least what the server wants", async () => {
    const server = await failing(1, 429, { "retry-after": "7" });
    const policy = noted();
    (await sendWithRetries(client(), get(server.url), control(), policy)).answer.discard();
    expect(policy.waits).toEqual([7_000]);
  });

  test("may be said in milliseconds", async () => {
    const server = await failing(1, 429, { "retry-after-ms": "1500" });
    const policy = noted();
    (await sendWithRetries(client(), get(server.url), control(), policy)).answer.discard();
    expect(policy.waits).toEqual([1_500]);
  });

  test("until a date is one too", async () => {
    const server = await failing(1, 503, { "retry-after": new Date(Date.now() + 10_000).toUTCString() });
    const policy = noted();
    (await sendWithRetries(client(), get(server.url), control(), policy)).answer.discard();
    expect(policy.waits[0]).toBeGreaterThan(8_000);
    expect(policy.waits[0]).toBeLessThanOrEqual(10_000);
  });

  test.each([
    ["the longest", { "retry-after": "31" }, undefined],
    ["the deadline", { "retry-after": "20" }, 10_000],
  ])("beyond %s is not begun: the answer comes at once", async (_what, headers, remaining) => {
    const server = await failing(1, 429, headers);
    const policy = noted();
    const given = control(remaining === undefined ? {} : { deadline: Date.now() + remaining });
    const { answer, attempts } = await sendWithRetries(client(), get(server.url), given, policy);
    expect([answer.status, attempts, policy.waits]).toEqual([429, 1, []]);
    expect(text(await answer.bytes())).toBe("not now");
  });

  test("is really made", async () => {
    const server = await failing(1, 503);
    const policy = { retries: 1, isRepeatable: true, random: () => 0.2 };
    const begun = performance.now();
    const given = control();
    const { answer } = await sendWithRetries(client(), get(server.url), given, policy);
    expect(text(await answer.bytes())).toBe("ok");
    expect(performance.now() - begun).toBeGreaterThan(38);
    expect(given.listeners.size).toBe(0);
  });

  test("ends when the caller gives up", async () => {
    const server = await failing(99, 503, { "retry-after": "20" });
    const given = control();
    const sent = kindOf(sendWithRetries(client(), get(server.url), given, { retries: 1, isRepeatable: true }));
    await expect.poll(() => server.arrived).toHaveLength(1);
    const timer = setInterval(() => given.end(), 5);
    expect(await sent).toBe("aborted ABORTED");
    clearInterval(timer);
    expect(server.arrived).toHaveLength(1);
  });
});

test.each([
  ["GET", true],
  ["head", true],
  ["OPTIONS", true],
  ["TRACE", true],
  ["PUT", true],
  ["DELETE", true],
  ["QUERY", true],
  ["POST", false],
  ["PATCH", false],
  ["CONNECT", false],
])("%s is idempotent: %s", (method, isIt) => {
  expect(isIdempotentMethod(method)).toBe(isIt);
});
