import { describe, expect, test } from "vitest";
import { failureOf, operation } from "../../registry/fixtures/operations.js";
import { OperationRegistry } from "../../registry/registry.js";
import { open, seenBy, tidyUp, until } from "./fixtures/stdio.js";

tidyUp();

const ERAS = ["legacy", "modern"] as const;

describe.each(ERAS)("a server of the %s era", (era) => {
  test("is called, and its answers are envelopes with all that it said", async () => {
    const { source, registry } = await open({ era });
    const { data, meta } = await registry.execute("far.echo", { a: 0, b: null, c: "é" });
    expect(data).toEqual({ input: { a: 0, b: null, c: "é" } });
    expect(meta).toMatchObject({ source: "mcp", isError: false, structuredContent: data });
    expect(meta).not.toHaveProperty("warnings");
    expect(source.health()).toMatchObject({
      status: "ready",
      era,
      server: { name: "fixture", version: "1.2.3" },
      restarts: 0,
      warnings: [],
    });
    expect(source.health().tools).toBe(source.operations.length);
  });

  test("is found out by itself", async () => {
    const { source } = await open({ era }, { era: "auto" });
    expect(source.health()).toMatchObject({ status: "ready", era });
  });

  test("gets what the protocol asks for with each call, and that all of the result is wanted", async () => {
    const stage = await open({ era });
    await stage.call("echo", { a: 1 });
    const [message = {}] = await seenBy(stage, "tools/call");
    expect(message).toMatchObject({ jsonrpc: "2.0", params: { name: "echo", arguments: { a: 1 } } });
    const { _meta: meta } = message["params"] as { _meta: object };
    expect(meta).toMatchObject({ "plico/budget": false });
    const keys = Object.keys(meta).filter((key) => key.startsWith("io.modelcontextprotocol/"));
    expect(keys.length > 0).toBe(era === "modern");
  });

  test("answers many calls at once, each with its own", async () => {
    const { call } = await open({ era });
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => call("echo", { at })));
    expect(answers).toEqual(Array.from({ length: 200 }, (_, at) => ({ input: { at } })));
  });

  test("tells of its progress", async () => {
    const { call } = await open({ era });
    const told: unknown[] = [];
    await call("steps", {}, { onProgress: (progress) => told.push(progress) });
    expect(told).toEqual([0, 1, 2].map((progress) => ({ progress, total: 2, message: `step ${progress}` })));
  });

  test("is told when a caller gives up, and goes on with the others", async () => {
    const stage = await open({ era });
    const controller = new AbortController();
    const hanging = failureOf(stage.call("hang", {}, { signal: controller.signal }));
    const held = stage.call("hold");
    await stage.call("echo");
    controller.abort();
    expect(await hanging).toMatchObject({ code: "ABORTED" });
    const [cancelled] = await seenBy(stage, "notifications/cancelled");
    const hang = (await seenBy(stage, "tools/call")).find(({ params }) => (params as { name: string }).name === "hang");
    expect(cancelled).toMatchObject({ params: { requestId: hang?.["id"] } });
    await stage.call("release");
    expect(await held).toEqual({ released: true });
  });

  test("is told when a deadline passes", async () => {
    const stage = await open({ era });
    const error = await failureOf(stage.call("hang", {}, { deadline: Date.now() + 30 }));
    expect(error.code).toBe("TIMEOUT");
    expect(await seenBy(stage, "notifications/cancelled")).toHaveLength(1);
  });

  test("is not called for a caller that gave up before", async () => {
    const stage = await open({ era });
    expect(await failureOf(stage.call("echo", {}, { signal: AbortSignal.abort() }))).toMatchObject({ code: "ABORTED" });
    expect((await seenBy(stage, "tools/call")).length).toBe(1);
    expect(await seenBy(stage, "notifications/cancelled")).toEqual([]);
  });

  test("that says nothing for too long fails the call, which it is told, and only that one", async () => {
    const stage = await open({ era }, { timeout: 400 });
    expect(await failureOf(stage.call("hang"))).toMatchObject({ category: "timeout", code: "TIMEOUT" });
    expect(await seenBy(stage, "notifications/cancelled")).toHaveLength(1);
    expect(stage.source.health().status).toBe("ready");
  });

  test("may take as long as it likes while it gives a sign of life", async () => {
    const { call } = await open({ era }, { timeout: 500 });
    expect(await call("beats", { count: 7, every: 100 })).toEqual({ done: true });
  });

  test.each([{ error: null }, { extra: 1 }, { jsonrpc: "1.0" }])("may say %j in every answer", async (always) => {
    const { call } = await open({ era, always }, { startTimeout: 2_000 });
    expect(await call("echo", { a: 1 })).toEqual({ input: { a: 1 } });
  });

  test("has its own errors, with what it says of them", async () => {
    const { call } = await open({ era });
    expect(await failureOf(call("fail", { code: -32602 }))).toMatchObject({
      category: "validation",
      details: { code: -32602, data: { method: "tools/call" } },
    });
    expect(await failureOf(call("fail", { code: -31429 }))).toMatchObject({ code: "RATE_LIMITED" });
  });

  test("does not see our environment but what every program needs and what it is given", async () => {
    process.env["PLICO_TEST_SECRET"] = "s3cret";
    try {
      const { call } = await open({ era }, { env: { GIVEN: "yes" }, cwd: "/" });
      const { env, cwd } = (await call("env")) as { env: Record<string, string>; cwd: string };
      expect(env["PLICO_TEST_SECRET"]).toBeUndefined();
      expect(JSON.stringify(env)).not.toContain("s3cret");
      expect(env).toMatchObject({ GIVEN: "yes", PATH: process.env["PATH"] });
      expect(cwd).toBe("/");
    } finally {
      delete process.env["PLICO_TEST_SECRET"];
    }
  });
});

describe("eras", () => {
  test("are the modern one where a server knows both, unless the source wants the other", async () => {
    expect((await open({ era: "both" })).source.health().era).toBe("modern");
    expect((await open({ era: "both" }, { era: "legacy" })).source.health().era).toBe("legacy");
  });

  test("are found out although an old server ends at the question", async () => {
    const { source, call } = await open({ era: "legacy", probe: "die" }, { era: "auto" });
    expect(source.health()).toMatchObject({ era: "legacy", restarts: 0 });
    expect(await call("pid")).toMatchObject({ start: 2 });
  });

  test("are found out although an old server does not answer the question", async () => {
    const { source } = await open({ era: "legacy", probe: "silent" }, { era: "auto", startTimeout: 1_500 });
    expect(source.health().era).toBe("legacy");
  });
});

describe("input", () => {
  test("that JSON cannot hold fails the call and leaves nothing waiting", async () => {
    const { call, source } = await open({}, { input: "off" });
    const error = await failureOf(call("echo", { n: 1n }));
    expect(error.category).toBe("validation");
    expect(await call("echo", { n: 1 })).toEqual({ input: { n: 1 } });
    expect(source.health().status).toBe("ready");
  });

  test("is the server's to judge where the source says so", async () => {
    const { registry } = await open({}, { input: "off" });
    expect((await registry.execute("far.echo", [1])).data).toEqual({ input: [1] });
  });
});

test("a handler may call two tools with its own context, and both end with it", async () => {
  const stage = await open();
  const [hang] = stage.source.operations.filter(({ spec }) => spec.name === "hang");
  const both = operation((input, context) =>
    Promise.all([hang?.handler(input, context), hang?.handler(input, context)]),
  );
  const registry = new OperationRegistry().register(both);
  const controller = new AbortController();
  const running = failureOf(registry.execute("test.run", {}, { signal: controller.signal }));
  await until(async () => (await seenBy(stage, "tools/call")).filter(isHang).length === 2);
  controller.abort();
  expect((await running).code).toBe("ABORTED");
  await until(async () => (await seenBy(stage, "notifications/cancelled")).length === 2);
});

function isHang({ params }: Record<string, unknown>): boolean {
  return (params as { name: string }).name === "hang";
}

test("two sources do not know of each other", async () => {
  const [one, two] = await Promise.all([
    open({ era: "legacy" }, { name: "one" }),
    open({ era: "modern" }, { name: "two" }),
  ]);
  const pids = await Promise.all([one.call("pid"), two.call("pid")]);
  expect(pids[0]?.["pid"]).not.toBe(pids[1]?.["pid"]);
  await one.source.close();
  expect(await two.call("echo")).toEqual({ input: {} });
  expect(await failureOf(one.call("echo"))).toMatchObject({ code: "UNAVAILABLE" });
});
