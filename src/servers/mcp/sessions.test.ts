import { request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { JsonRecord } from "../../json/value.js";
import type { HandlerContext } from "../../registry/context.js";
import { operation, registryOf } from "../../registry/fixtures/operations.js";
import { RunningCalls } from "../running-calls.js";
import { callMessage, deferred, messagesIn, post } from "./fixtures/clients.js";
import { serve } from "./fixtures/http-servers.js";
import { coreOf } from "./fixtures/tools.js";
import { serveMcpHttp } from "./index.js";
import { ToolServer } from "./sdk-server.js";
import { Sessions } from "./sessions.js";

/** Greets the server, and gives what the next requests must have. */
async function greet(url: string, capabilities: JsonRecord = {}): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-06-18", capabilities, clientInfo: { name: "raw", version: "1.0.0" } };
  const { headers } = await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  const session = { "mcp-session-id": headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-06-18" };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, { headers: session });
  return session;
}

async function isKnown(url: string, headers: Record<string, string>): Promise<boolean> {
  return (await post(url, callMessage(1, "test_run"), { headers })).status === 200;
}

function waiting(started: () => void, ended: () => void) {
  return registryOf((_input, { signal }: HandlerContext) => {
    started();
    return new Promise(() => signal.addEventListener("abort", ended));
  });
}

describe("a session", () => {
  test("begins with a greeting and ends with a DELETE", async () => {
    const url = await serve();
    const headers = await greet(url);
    expect(await isKnown(url, headers)).toBe(true);
    expect((await fetch(url, { method: "DELETE", headers })).status).toBe(200);
    expect(await isKnown(url, headers)).toBe(false);
  });

  test("takes its calls with it", async () => {
    const [started, ended] = [deferred(), deferred()];
    const url = await serve({
      registry: waiting(
        () => started.resolve(),
        () => ended.resolve(),
      ),
    });
    const headers = await greet(url);
    const call = post(url, callMessage(1, "test_run"), { headers });
    await started.promise;
    await fetch(url, { method: "DELETE", headers });
    await ended.promise;
    expect((await call).messages).toEqual([]);
  });

  test("that is not known is not found", async () => {
    const url = await serve();
    const headers = { "mcp-session-id": "none" };
    for (const message of [callMessage(1, "test_run"), { jsonrpc: "2.0", id: 1, method: "tools/list" }]) {
      const { status, messages } = await post(url, message, { headers });
      expect(status).toBe(404);
      expect(messages).toMatchObject([{ error: { code: -32001 } }]);
    }
    expect((await fetch(url, { headers: { ...headers, accept: "text/event-stream" } })).status).toBe(404);
  });

  test("does not speak a version that the server does not know", async () => {
    const url = await serve();
    const headers = { ...(await greet(url)), "mcp-protocol-version": "1999-01-01" };
    expect((await post(url, callMessage(1, "test_run"), { headers })).status).toBe(400);
  });

  test("has a stream on which it hears of changes", async () => {
    const registry = registryOf(() => 1);
    const url = await serve({ registry });
    const headers = await greet(url);
    const stream = await fetch(url, { headers: { ...headers, accept: "text/event-stream" } });
    registry.register(operation(() => 2, { name: "other" }));
    const reader = stream.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(messagesIn(Buffer.from(value ?? []).toString())).toMatchObject([
      { method: "notifications/tools/list_changed" },
    ]);
    await reader?.cancel();
  });

  test("goes when nobody has used it for a while, but not in the middle of a call", async () => {
    const go = deferred();
    const registry = registryOf(async (input: { wait?: boolean }) => (input.wait === true ? go.promise : "here"));
    const url = await serve({ registry, sessions: { idleMs: 1_000 } });
    const [used, idle] = [await greet(url), await greet(url)];
    const call = post(url, callMessage(1, "test_run", { wait: true }), { headers: used });
    await sleep(1_300);
    expect(await isKnown(url, idle)).toBe(false);
    go.resolve();
    expect((await call).status).toBe(200);
    expect(await isKnown(url, used)).toBe(true);
  });

  test("makes room for another: the one that was used longest ago goes", async () => {
    const url = await serve({ sessions: { max: 2 } });
    const [first, second] = [await greet(url), await greet(url)];
    expect(await isKnown(url, first)).toBe(true);
    const third = await greet(url);
    expect([await isKnown(url, first), await isKnown(url, second), await isKnown(url, third)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("is refused where all others are busy", async () => {
    const started = deferred();
    const url = await serve({
      registry: waiting(
        () => started.resolve(),
        () => {},
      ),
      sessions: { max: 1 },
    });
    const headers = await greet(url);
    const call = post(url, callMessage(1, "test_run"), { headers });
    await started.promise;
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1.0.0" } };
    expect((await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params })).status).toBe(503);
    await fetch(url, { method: "DELETE", headers });
    await call;
  });

  test("is not kept busy by those who leave before they are let in", async () => {
    const [asked, go] = [deferred(), deferred()];
    const url = await serve({
      sessions: { max: 1 },
      authorize: async ({ method }) => {
        if (method !== "GET") return undefined;
        asked.resolve();
        await go.promise;
        return undefined;
      },
    });
    const headers = { ...(await greet(url)), accept: "text/event-stream" };
    const request = httpRequest(url, { headers }).on("error", () => {});
    const closed = new Promise((resolve) => request.once("close", resolve));
    request.end();
    await asked.promise;
    request.destroy();
    await closed;
    await isKnown(url, { "mcp-session-id": "none" });
    go.resolve();
    await isKnown(url, { "mcp-session-id": "none" });
    expect((await greet(url))["mcp-session-id"]).not.toBe("");
  });

  test("is not kept busy by a question that nobody can hear any more", async () => {
    const [started, go, asks] = [deferred(), deferred(), deferred()];
    const registry = registryOf(async () => {
      started.resolve();
      await go.promise;
      asks.resolve();
      const details = { inputRequests: { roots: { method: "roots/list" } } };
      throw new CallError({ category: "execution", code: "INPUT_REQUIRED", message: "?", details });
    });
    const url = await serve({ registry, sessions: { max: 1 } });
    const headers = await greet(url, { roots: {} });
    const controller = new AbortController();
    post(url, callMessage(1, "test_run"), { headers, signal: controller.signal }).catch(() => {});
    await started.promise;
    controller.abort();
    await isKnown(url, { "mcp-session-id": "none" });
    go.resolve();
    await asks.promise;
    expect((await greet(url))["mcp-session-id"]).not.toBe("");
  });

  test("is counted from its greeting on", async () => {
    const sessions = new Sessions({ max: 1 });
    const server = (): ToolServer =>
      new ToolServer({
        core: coreOf(),
        running: new RunningCalls(),
        about: { era: "legacy" },
        identityOf: () => undefined,
      });
    const first = await sessions.open(undefined, server());
    expect(await sessions.open(undefined, server())).toBeUndefined();
    if (first !== undefined) await sessions.remove(first);
    expect(await sessions.open(undefined, server())).toBeDefined();
    await sessions.close();
  });

  test("keeps nothing of a greeting that is none", async () => {
    const url = await serve();
    const { headers } = await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
    const session = headers.get("mcp-session-id");
    if (session !== null) await fetch(url, { method: "DELETE", headers: { "mcp-session-id": session } });
    expect((await post(url, callMessage(1, "test_run"))).status).toBe(200);
  });

  test.each([{}, { elicitation: {} }])(
    "lets a call be cancelled by a message, of a client with %j",
    async (capabilities) => {
      const [started, ended] = [deferred(), deferred()];
      const url = await serve({
        registry: waiting(
          () => started.resolve(),
          () => ended.resolve(),
        ),
      });
      const headers = await greet(url, capabilities);
      const controller = new AbortController();
      const call = post(url, callMessage(7, "test_run"), { headers, signal: controller.signal });
      call.catch(() => {});
      await started.promise;
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7, reason: "enough" } };
      expect((await post(url, cancel, { headers })).status).toBe(202);
      await ended.promise;
      // The SDK leaves the stream open, and so a client has to close it; beside the SDK it just ends.
      if ("elicitation" in capabilities) controller.abort();
      else expect((await call).messages).toEqual([]);
    },
  );

  test("does not take a lost connection for the end of a call", async () => {
    const [started, go, finished] = [deferred(), deferred(), deferred<boolean>()];
    const registry = registryOf(async (_input, { signal }: HandlerContext) => {
      started.resolve();
      await go.promise;
      finished.resolve(signal.aborted);
    });
    const url = await serve({ registry });
    const headers = await greet(url);
    const controller = new AbortController();
    const call = post(url, callMessage(1, "test_run"), { headers, signal: controller.signal });
    call.catch(() => {});
    await started.promise;
    controller.abort();
    await isKnown(url, { "mcp-session-id": "none" });
    go.resolve();
    expect(await finished.promise).toBe(false);
  });

  test("ends with the server, and with it all that it was busy with", async () => {
    const [started, ended] = [deferred(), deferred()];
    const server = await serveMcpHttp({
      registry: waiting(
        () => started.resolve(),
        () => ended.resolve(),
      ),
    });
    const headers = await greet(server.url, { elicitation: {} });
    const stream = await fetch(server.url, { headers: { ...headers, accept: "text/event-stream" } });
    const call = post(server.url, callMessage(1, "test_run"), { headers });
    call.catch(() => {});
    await started.promise;
    await server.close();
    await ended.promise;
    await stream.text().catch(() => {});
  });
});
