import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as allText } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { JsonRecord } from "../../json/value.js";
import type { HandlerContext } from "../../registry/context.js";
import { operation, registryOf, settled } from "../../registry/fixtures/operations.js";
import type { AnyHandler } from "../../registry/operation.js";
import { OperationRegistry } from "../../registry/registry.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { createResultStore } from "../../results/result-store.js";
import { callMessage, deferred, MODERN_META, RawLine } from "./fixtures/clients.js";
import { type McpStdioServer, serveMcpStdio } from "./index.js";
import type { McpStdioOptions } from "./stdio.js";

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

interface Stage {
  readonly line: RawLine;
  readonly server: McpStdioServer;
  readonly errors: unknown[];
}

function serve(registry: ServedRegistry, options: Partial<McpStdioOptions> = {}): Stage {
  const line = new RawLine();
  const errors: unknown[] = [];
  const { stdin, stdout } = line.pipes;
  const server = serveMcpStdio({ registry, stdin, stdout, onError: (error) => errors.push(error), ...options });
  ends.push(() => server.close());
  return { line, server, errors };
}

/** Waits until it is ended, and tells both. */
function waiting() {
  const started = deferred();
  const ended = deferred<unknown>();
  const registry = registryOf((input: { wait?: boolean }, { signal }: HandlerContext) => {
    if (input.wait === false) return "at once";
    started.resolve();
    return new Promise(() => signal.addEventListener("abort", () => ended.resolve(signal.reason)));
  });
  return { registry, started: started.promise, ended: ended.promise };
}

describe("a server over stdio", () => {
  test("passes over what is no message", async () => {
    const { line, errors } = serve(registryOf(() => "here"));
    for (const nonsense of ["", "nonsense", "null", "[]", "3", '"text"', "{}", '{"jsonrpc":"2.0"}'])
      line.send(nonsense);
    await line.greet();
    const answer = await line.request(callMessage(1, "test_run"));
    expect(answer).toMatchObject({ result: { structuredContent: { result: "here" } } });
    expect(errors.length).toBeGreaterThan(0);
  });

  test("reads lines that come in pieces, and several at once", async () => {
    const { line } = serve(registryOf((input) => input));
    const [first, second] = [1, 2].map((id) =>
      JSON.stringify(callMessage(id, "test_run", { id, ä: "ö" }, MODERN_META)),
    );
    const bytes = Buffer.from(`${first}\r\n${second}\n`);
    for (let at = 0; at < bytes.length; at += 7) line.pipes.stdin.write(bytes.subarray(at, at + 7));
    for (const id of [1, 2])
      expect(await line.until((message) => message["id"] === id)).toMatchObject({
        result: { structuredContent: { id, ä: "ö" } },
      });
  });

  test("refuses a line that is too long, and goes on", async () => {
    const { line, errors } = serve(registryOf(() => "here"));
    const long = "x".repeat(33 * 1024 * 1024);
    line.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${long}"}}`);
    line.send(`{"method":"tools/call","params":{"name":"${long}"},"jsonrpc":"2.0","id":"eight"}`);
    for (const id of [7, "eight"])
      expect(await line.until((message) => message["id"] === id)).toMatchObject({ error: { code: -32600 } });
    expect(await line.request(callMessage(9, "test_run", {}, MODERN_META))).toHaveProperty("result");
    expect(errors).toHaveLength(2);
  });

  test("outlives what its user's own functions throw", async () => {
    const filter = (): never => {
      throw new Error("broken");
    };
    const { line, errors } = serve(
      registryOf(() => "here"),
      { filter },
    );
    const call = await line.request(callMessage(1, "test_run", {}, MODERN_META));
    const list = await line.request({ id: 2, method: "tools/list", params: { _meta: MODERN_META } });
    for (const answer of [call, list]) expect(answer).toMatchObject({ error: { code: -32603 } });
    expect(line.lines.join("")).not.toContain("broken");
    expect(errors.length).toBeGreaterThan(0);
  });

  test("answers nothing to a call that was cancelled", async () => {
    const { registry, started, ended } = waiting();
    const { line } = serve(registry);
    line.send(callMessage(1, "test_run", {}, MODERN_META));
    await started;
    line.send({ method: "notifications/cancelled", params: { requestId: 1, reason: "enough" } });
    expect(await ended).toMatchObject({ category: "aborted", message: expect.stringContaining("enough") });
    await line.request(callMessage(2, "test_run", { wait: false }, MODERN_META));
    expect(line.messages.map(({ id }) => id)).toEqual([2]);
  });

  test("ends the calls of a client that goes", async () => {
    const { registry, started, ended } = waiting();
    const { line, server } = serve(registry);
    line.send(callMessage(1, "test_run", {}, MODERN_META));
    await started;
    line.pipes.stdin.destroy();
    expect(await ended).toMatchObject({ category: "aborted" });
    await server.closed;
    expect(line.messages).toEqual([]);
  });

  test("answers a client that has said all it has to say, and ends", async () => {
    const [started, go] = [deferred(), deferred()];
    const { line, server } = serve(
      registryOf(async () => {
        started.resolve();
        await go.promise;
        return "done";
      }),
    );
    line.send(callMessage(1, "test_run", {}, MODERN_META));
    await started.promise;
    // Some end without ending their last line.
    line.pipes.stdin.end(
      JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list", params: { _meta: MODERN_META } }),
    );
    await once(line.pipes.stdin, "end");
    await settled();
    go.resolve();
    await server.closed;
    expect(line.messages).toEqual([
      expect.objectContaining({ id: 2, result: expect.anything() }),
      expect.objectContaining({ id: 1, result: expect.anything() }),
    ]);
  });

  test("does not wait long for calls whose client says nothing more", async () => {
    const { registry, started, ended } = waiting();
    const { line, server } = serve(registry);
    line.send(callMessage(1, "test_run", {}, MODERN_META));
    await started;
    line.pipes.stdin.end();
    await server.closed;
    expect(await ended).toMatchObject({ category: "unavailable" });
    expect(line.messages).toMatchObject([{ id: 1, result: { isError: true } }]);
  });

  test.each([
    ["beside the SDK", MODERN_META],
    ["by the SDK", { ...MODERN_META, "io.modelcontextprotocol/logLevel": "debug" }],
  ])("puts away what is over the budget before it closes, %s", async (_, meta) => {
    const [begun, go] = [deferred(), deferred()];
    const store = createResultStore();
    const put = store.put.bind(store);
    store.put = async (...given) => {
      begun.resolve();
      await go.promise;
      return put(...given);
    };
    const { line, server } = serve(
      registryOf(() => "x".repeat(1_000)),
      { results: store, budget: 100 },
    );
    line.send(callMessage(1, "test_run", {}, meta));
    await begun.promise;
    const closed = server.close();
    await settled();
    go.resolve();
    await closed;
    expect(JSON.stringify(line.messages)).toContain("plico://results/");
    await store.close();
  });

  test("reads no more calls from a client that does not read their answers", async () => {
    const large = "x".repeat(100_000);
    let runs = 0;
    const { line } = serve(
      registryOf(() => {
        runs++;
        return large;
      }),
      { budget: false },
    );
    const { stdin, stdout } = line.pipes;
    stdout.pause();
    for (let id = 0; id < 200; id++) {
      line.send(callMessage(id, "test_run", {}, MODERN_META));
      await settled();
    }
    expect(runs).toBeLessThan(40);
    expect(stdin.isPaused()).toBe(true);
    stdout.resume();
    await line.until(({ id }) => id === 199);
    expect(runs).toBe(200);
  });

  test("outlives a registry that breaks its word", async () => {
    const registry = registryOf(() => 1);
    const broken: ServedRegistry = {
      list: () => registry.list(),
      attempt: () => Promise.reject(new Error("broken")),
      subscribe: (...given) => registry.subscribe(...given),
      onChange: (listener) => registry.onChange(listener),
    };
    const { line, server, errors } = serve(broken);
    expect(await line.request(callMessage(1, "test_run", {}, MODERN_META))).toMatchObject({ error: { code: -32603 } });
    expect(errors).toMatchObject([{ message: "broken" }]);
    await server.close();
  });

  test("runs a call whose id was that of one that asked and is gone", async () => {
    const asks = operation(() => {
      registry.unregister("test.run");
      const inputRequests = { roots: { method: "roots/list" } };
      throw new CallError({ category: "execution", code: "INPUT_REQUIRED", message: "?", details: { inputRequests } });
    });
    const registry = new OperationRegistry().register(asks) as unknown as OperationRegistry;
    const { line } = serve(registry);
    await line.greet({ roots: {} });
    expect(await line.request(callMessage(1, "test_run"))).toHaveProperty("error");
    registry.register(operation(() => "run"));
    line.messages.length = 0;
    // A call as a task is left to the SDK.
    const { params, ...others } = callMessage(1, "test_run");
    const again = await line.request({ ...others, params: { ...(params as object), task: {} } });
    expect(again).toMatchObject({ result: { structuredContent: { result: "run" } } });
  });

  test("does not give to one operation what another wanted back", async () => {
    const handler: AnyHandler = (_input, { metadata }: HandlerContext) => {
      if (metadata?.["requestState"] !== undefined) return metadata["requestState"];
      const details = { requestState: "mine" };
      throw new CallError({ category: "execution", code: "INPUT_REQUIRED", message: "?", details });
    };
    const both = [operation(handler, { name: "a" }), operation(handler, { name: "b" })];
    const { line } = serve(new OperationRegistry().registerAll(both) as unknown as OperationRegistry);
    const { result } = await line.request(callMessage(1, "test_a", {}, MODERN_META));
    const { requestState } = result as { requestState: string };
    const again = (id: number, name: string): JsonRecord => {
      const { params, ...others } = callMessage(id, name, {}, MODERN_META);
      return { ...others, params: { ...(params as object), requestState } };
    };
    expect(await line.request(again(2, "test_a"))).toMatchObject({ result: { structuredContent: { result: "mine" } } });
    expect(await line.request(again(3, "test_b"))).toMatchObject({ error: { code: -32602 } });
  });

  test("seals what an operation wants back also for a client that cannot be asked", async () => {
    const registry = registryOf((_input, { metadata }: HandlerContext) => {
      if (metadata?.["requestState"] !== undefined) return metadata["requestState"];
      const details = { inputRequests: { roots: { method: "roots/list" } }, requestState: "mine" };
      throw new CallError({ category: "execution", code: "INPUT_REQUIRED", message: "?", details });
    });
    const { line } = serve(registry);
    await line.greet();
    const { result } = await line.request(callMessage(1, "test_run"));
    expect(JSON.stringify(result)).not.toContain('"mine"');
    const { error } = (result as { structuredContent: { error: { details: { requestState: string } } } })
      .structuredContent;
    const { params, ...others } = callMessage(2, "test_run");
    const { requestState } = error.details;
    const again = await line.request({ ...others, params: { ...(params as object), requestState } });
    expect(again).toMatchObject({ result: { structuredContent: { result: "mine" } } });
  });

  test("lets calls finish when it is closed, and refuses others", async () => {
    const started = deferred();
    const go = deferred();
    const { line, server } = serve(
      registryOf(async () => {
        started.resolve();
        await go.promise;
        return "done";
      }),
    );
    line.send(callMessage(1, "test_run", {}, MODERN_META));
    await started.promise;
    const closed = server.close();
    expect(await line.request(callMessage(2, "test_run", {}, MODERN_META))).toMatchObject({ error: { code: -31503 } });
    go.resolve();
    await closed;
    expect(line.messages).toContainEqual(expect.objectContaining({ id: 1, result: expect.anything() }));
  });

  test("tells those whose calls take too long, and ends them", async () => {
    const { registry, started, ended } = waiting();
    const { line, server } = serve(registry);
    line.send(callMessage(1, "test_run", {}, MODERN_META));
    await started;
    await server.close();
    expect(await ended).toMatchObject({ category: "unavailable" });
    expect(line.messages).toMatchObject([{ id: 1, result: { isError: true } }]);
  });

  test("leaves its streams as they were", async () => {
    const { line, server } = serve(registryOf(() => 1));
    await line.greet();
    await server.close();
    const { stdin, stdout } = line.pipes;
    expect(stdout.writableEnded).toBe(false);
    expect(stdin.listenerCount("data")).toBe(0);
    for (const event of ["end", "close"]) expect(stdin.listeners(event).filter((one) => one.name === "")).toEqual([]);
    expect(() => stdout.emit("error", new Error("broken"))).not.toThrow();
  });

  test("leaves out progress that a client does not read, and answers all the same", async () => {
    const { line } = serve(
      registryOf((_input, { progress }: HandlerContext) => {
        for (let at = 1; at <= 5_000; at++) progress(at, 5_000, "x".repeat(1_000));
        return "done";
      }),
    );
    line.pipes.stdout.pause();
    line.send(callMessage(1, "test_run", {}, { ...MODERN_META, progressToken: 1 }));
    await settled();
    await settled();
    expect(line.pipes.stdout.writableLength + line.pipes.stdout.readableLength).toBeLessThan(3_000_000);
    line.pipes.stdout.resume();
    expect(await line.until(({ id }) => id === 1)).toHaveProperty("result");
  });

  test("knows who started it", async () => {
    const identity = { id: "ada", scopes: ["read"] };
    const accessControl = { requiredScopes: ["read"] };
    const registry = registryOf((_input, context: HandlerContext) => context.identity?.id, { accessControl });
    for (const [who, tools] of [
      [identity, 1],
      [undefined, 0],
    ] as const) {
      const { line } = serve(registry, who === undefined ? {} : { identity: who });
      await line.greet();
      const { result } = await line.request({ id: 1, method: "tools/list" });
      expect(result).toMatchObject({ tools: { length: tools } });
    }
  });

  test("serves a client that asks for the new era first and then speaks the old one", async () => {
    const { line } = serve(registryOf(() => "here"));
    await line.request({ id: "probe", method: "server/discover", params: { _meta: MODERN_META } });
    await line.greet();
    expect(await line.request(callMessage(1, "test_run"))).toMatchObject({ result: { content: [{ text: "here" }] } });
    const claimed = await line.request(callMessage(2, "test_run", {}, MODERN_META));
    expect(claimed["result"]).not.toHaveProperty("resultType");
  });

  test("tells no change to a client that has not been greeted", async () => {
    const registry = registryOf(() => 1);
    const { line, errors } = serve(registry);
    registry.register(operation(() => 2, { name: "other" }));
    await settled();
    expect([line.messages, errors]).toEqual([[], []]);
  });
});

describe("a process that serves", () => {
  test("keeps its standard output clean, and ends when its client has gone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plico-stdio-"));
    ends.push(() => rm(folder, { recursive: true }));
    const outfile = join(folder, "child.mjs");
    const entry = fileURLToPath(new URL("./fixtures/stdio-child.ts", import.meta.url));
    // What the SDK bundles is CommonJS in parts, and asks for `require`.
    const js = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
    await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", banner: { js } });
    const child = spawn(process.execPath, [outfile], { stdio: ["pipe", "pipe", "pipe"] });
    const [stdout, stderr] = [allText(child.stdout), allText(child.stderr)];
    const exited = once(child, "exit");
    child.stdin.write(`${JSON.stringify(callMessage(1, "test_loud", {}, MODERN_META))}\n`);
    await once(child.stdout, "readable");
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    const [answer = "", last] = (await stdout).trim().split("\n");
    expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { structuredContent: { result: "done" } } });
    expect(last).toBe("closed");
    expect((await stderr).trim()).toBe("noise");
  });
});
