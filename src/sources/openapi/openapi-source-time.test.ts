import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, test, vi } from "vitest";
import type { CallOptions } from "../../registry/call-options.js";
import { httpServer, rawServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, type Mounted, mounted, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

const DOCUMENT = documentWith({ "GET /a": { operationId: "a" }, "POST /b": { operationId: "b" } });

interface Slow extends Mounted {
  /** Settles when the server has the request. */
  readonly asked: Promise<ServerResponse>;
}

/** Answers with a part of the answer, or with nothing of it, and no more. */
async function slow(begins: (response: ServerResponse) => void, options: object = {}): Promise<Slow> {
  let tell: (response: ServerResponse) => void = () => {};
  const asked = new Promise<ServerResponse>((resolve) => {
    tell = resolve;
  });
  const { url } = await httpServer((_, response) => {
    begins(response);
    tell(response);
  });
  return { ...(await mounted({ document: DOCUMENT, baseUrl: url, ...options })), asked };
}

async function closed(response: ServerResponse): Promise<void> {
  if (!response.destroyed) await once(response, "close");
}

const stages: readonly [when: string, begins: (response: ServerResponse) => void][] = [
  ["before the head of the answer", () => {}],
  ["within the body of the answer", (response) => response.writeHead(200, { "content-length": "9" }).write("{")],
  ["within the body of a refusal", (response) => response.writeHead(404, { "content-length": "9" }).write("{")],
];

// A status that has come counts, though its body has not; whether it has come in time is chance.
describe.each(stages)("a call that waits %s", (when, begins) => {
  test("ends when the server is silent for too long, and lets go of it", async () => {
    const { fail, asked } = await slow(begins, { timeout: 200 });
    expect((await fail("a")).category).toBe(when.includes("refusal") ? "not_found" : "timeout");
    await closed(await asked);
  });

  test("ends at its deadline, and lets go of the server", async () => {
    const { fail, asked } = await slow(begins);
    const work = fail("a", {}, { deadline: Date.now() + 200 });
    const response = await asked;
    expect((await work).category).toMatch(when.includes("refusal") ? /^(not_found|timeout)$/ : /^timeout$/);
    await closed(response);
  });

  test("ends when its caller gives up, and lets go of the server", async () => {
    const { fail, asked } = await slow(begins);
    const controller = new AbortController();
    const work = fail("b", {}, { signal: controller.signal });
    const response = await asked;
    controller.abort();
    expect((await work).category).toBe("aborted");
    await closed(response);
  });

  test("ends with the source, and lets go of the server", async () => {
    const { fail, asked, source } = await slow(begins);
    const work = fail("a");
    const response = await asked;
    await source.close();
    expect((await work).category).toMatch(when.includes("refusal") ? /^(not_found|unavailable)$/ : /^unavailable$/);
    await closed(response);
  });
});

test("an answer that goes on coming is not cut by the time-out", async () => {
  const { url } = await httpServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    let count = 0;
    const timer = setInterval(() => {
      count += 1;
      if (count < 8) response.write(count === 1 ? "[1" : ",1");
      else {
        clearInterval(timer);
        response.end("]");
      }
    }, 20);
  });
  const { call } = await mounted({ document: DOCUMENT, baseUrl: url, timeout: 100 });
  expect((await call("a")).data).toEqual(Array(7).fill(1));
});

test.each<[string, () => CallOptions]>([
  ["its deadline has passed", () => ({ deadline: Date.now() - 1 })],
  ["its caller has given up", () => ({ signal: AbortSignal.abort() })],
])("a call is not made where %s already", async (_, options) => {
  const server = await rawServer(() => {});
  const { fail } = await mounted({ document: DOCUMENT, baseUrl: server.url });
  expect((await fail("a", {}, options())).category).toMatch(/^(timeout|aborted)$/);
  expect(server.connections).toBe(0);
});

describe("a source that is closed", () => {
  test("makes no more calls, and says why", async () => {
    const server = await httpServer((_, response) => sendJson(response, {}));
    const security = { bearer: { type: "http", scheme: "bearer" } };
    const document = { ...DOCUMENT, components: { securitySchemes: security }, security: [{ bearer: [] }] };
    const bearer = vi.fn(() => "token");
    const { fail, call, source, values } = await mounted({ document, baseUrl: server.url, credentials: { bearer } });
    await call("a");
    await source.close();
    await source.close();
    const error = await fail("a");
    expect(error).toMatchObject({ category: "unavailable", recoverable: false });
    expect(error.message).toContain("closed");
    expect(bearer).toHaveBeenCalledTimes(1);
    expect(server.arrived).toHaveLength(1);
    expect(source.health().status).toBe("closed");
    await expect(values("a").next()).rejects.toThrow();
  });

  test("ends a call whose credential is still to come", async () => {
    const security = { bearer: { type: "http", scheme: "bearer" } };
    const document = { ...DOCUMENT, components: { securitySchemes: security }, security: [{ bearer: [] }] };
    const asked = vi.fn(() => new Promise<string>(() => {}));
    const { fail, source } = await mounted({ document, baseUrl: "http://127.0.0.1:9", credentials: { bearer: asked } });
    const work = fail("a");
    expect(asked).toHaveBeenCalled();
    await source.close();
    expect((await work).category).toBe("unavailable");
  });

  test("leaves no connection behind", async () => {
    const server = await httpServer((_, response) => sendJson(response, {}));
    const { call, source } = await mounted({ document: DOCUMENT, baseUrl: server.url });
    await Promise.all([call("a"), call("a"), call("b")]);
    expect(server.sockets.size).toBeGreaterThan(0);
    await source.close();
    await expect.poll(() => server.sockets.size).toBe(0);
  });
});

test("calls one after the other share a connection", async () => {
  const server = await httpServer((_, response) => sendJson(response, {}));
  const { call } = await mounted({ document: DOCUMENT, baseUrl: server.url });
  for (const name of ["a", "b", "a"]) await call(name);
  expect(server.connections).toBe(1);
});
