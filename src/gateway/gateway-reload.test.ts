import { describe, expect, test } from "vitest";
import type { SourceConfig } from "./config/config.js";
import {
  answer,
  call,
  healthOf,
  ids,
  keptLog,
  loadedConfig,
  makeFolder,
  mark,
  mcpServer,
  printing,
  SILENT_SERVER,
  settled,
  tidyUp,
  whenHealth,
} from "./sources/fixtures/gateway-stage.js";

tidyUp();

const FAILING = `export const fail = {
  name: "fail", type: "query", version: "1.0.0", description: "", inputSchema: true, outputSchema: true,
  handler() { throw Object.assign(new Error("gone"), { name: "CallError", category: "network", code: "GONE", recoverable: true }); },
};`;

const NEVER_UP: SourceConfig = { mcp: SILENT_SERVER, env: mark.env, graceMs: 100, startTimeout: 700 };

describe("a gateway that goes over to another configuration", () => {
  test("leaves a source alone of which the same is said", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { far: mcpServer(), a: printing("one", "1") }));
    const before = await answer(gateway, "far.pid");
    const spec = gateway.registry.getSpec("far.pid");
    await gateway.reload(loadedConfig(folder, { far: mcpServer(), b: printing("two", "2") }));
    expect(await answer(gateway, "far.pid")).toEqual(before);
    expect(gateway.registry.getSpec("far.pid")).toBe(spec);
    expect(ids(gateway)).not.toContain("a.one");
    expect(await answer(gateway, "b.two")).toBe(2);
  });

  test("does what is done around operations in another way at once, without another start of the source", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { far: mcpServer() }));
    const { pid } = (await answer(gateway, "far.pid")) as { pid: number };
    const done = gateway.reload(
      loadedConfig(folder, {
        far: mcpServer({}, { scopes: ["far"], include: ["pid"], namespace: "near", prefix: "the_" }),
      }),
    );
    expect(ids(gateway)).toEqual(["near.the_pid"]);
    expect(await answer(gateway, "near.the_pid")).toBe("authentication");
    await done;
    const identity = { id: "ann", scopes: ["far"] };
    expect(await gateway.served.attempt("near.the_pid", {}, { identity })).toMatchObject({ ok: true, data: { pid } });
  });

  test("keeps what was open until the new one is up, and lets its calls end", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { far: mcpServer() }));
    const { pid } = (await answer(gateway, "far.pid")) as { pid: number };
    const running = call(gateway, "far.beats", { count: 3, every: 300 });
    const reloaded = gateway.reload(loadedConfig(folder, { far: mcpServer({ era: "legacy" }) }));
    expect(ids(gateway)).toContain("far.pid");
    expect(await answer(gateway, "far.pid")).toMatchObject({ pid });
    await reloaded;
    expect(await answer(gateway, "far.pid")).not.toMatchObject({ pid });
    expect(await running).toMatchObject({ ok: true, data: { done: true } });
    await expect.poll(() => mark.alive()).not.toContain(pid);
  });

  test("shows that a new configuration fails, in place of what it replaces", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { far: mcpServer() }));
    const reloaded = gateway.reload(loadedConfig(folder, { far: NEVER_UP }));
    expect((await call(gateway, "far.pid")).ok).toBe(true);
    await reloaded;
    expect(healthOf(gateway, "far")).toMatchObject({
      status: "down",
      operations: 0,
      error: { category: "timeout" },
    });
    expect(await answer(gateway, "far.pid")).toBe("unavailable");
    await gateway.reload(loadedConfig(folder, { far: mcpServer() }));
    expect((await call(gateway, "far.pid")).ok).toBe(true);
  });

  test("takes a source out at once, and closes it when its calls have ended", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { far: mcpServer() }));
    const running = call(gateway, "far.beats", { count: 2, every: 200 });
    await gateway.reload(loadedConfig(folder, {}));
    expect(ids(gateway)).toEqual([]);
    expect(await answer(gateway, "far.pid")).toBe("not_found");
    expect(await running).toMatchObject({ ok: true, data: { done: true } });
    await expect.poll(() => mark.alive()).toEqual([]);
  });

  test("does not wait for a call that does not end when it is closed", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { far: mcpServer() }));
    const running = call(gateway, "far.hang");
    await gateway.reload(loadedConfig(folder, {}));
    await gateway.close();
    expect(mark.alive()).toEqual([]);
    expect(await running).toMatchObject({ ok: false, error: { category: "unavailable" } });
  });

  test("goes over to a source of another kind", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { far: mcpServer() }));
    await gateway.reload(loadedConfig(folder, { far: printing("one", "1") }));
    expect(gateway.sources.map(({ kind }) => kind)).toEqual(["script"]);
    expect(ids(gateway)).toEqual(["far.one"]);
  });

  test("is what the last of several says, whichever of them is up first", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { far: printing("one", "1") }));
    const answers = ["2", "3", "4"].map((json) => gateway.reload(loadedConfig(folder, { far: printing("one", json) })));
    await Promise.all([
      gateway.reload(loadedConfig(folder, { far: printing("one", "5"), gone: NEVER_UP })),
      ...answers,
    ]);
    await gateway.reload(loadedConfig(folder, { far: printing("one", "6") }));
    expect(await answer(gateway, "far.one")).toBe(6);
    expect(gateway.sources).toHaveLength(1);
  });

  test("uses limits at once, and says of results and the log that they wait for another start", async () => {
    const folder = makeFolder();
    const log = keptLog();
    const sources = { a: printing("one", "1") };
    const gateway = await settled(loadedConfig(folder, sources), { log });
    const limits = { perIdentity: { perSecond: 0.001, burst: 1 } };
    await gateway.reload(loadedConfig(folder, sources, { limits, results: { maxEntries: 1 }, log: { level: "warn" } }));
    expect(await answer(gateway, "a.one")).toBe(1);
    expect(await answer(gateway, "a.one")).toBe("rate_limit");
    expect(log.lines.filter((line) => line.startsWith("warn"))).toHaveLength(2);
  });

  test("still leaves a source alone that keeps failing, and says that it is degraded", async () => {
    const folder = makeFolder({ "a.mjs": FAILING });
    const breaker = { failures: 1, cooldownMs: 60_000 };
    const gateway = await settled(loadedConfig(folder, { a: { module: "./a.mjs", breaker } }));
    expect(gateway.health().status).toBe("ok");
    expect(await answer(gateway, "a.fail")).toBe("network");
    expect(gateway.health()).toMatchObject({ status: "degraded", sources: [{ status: "ready", breaker: "open" }] });
    await gateway.reload(loadedConfig(folder, { a: { module: "./a.mjs", breaker, concurrency: 5 } }));
    expect(await call(gateway, "a.fail")).toMatchObject({ error: { code: "CIRCUIT_OPEN" } });
    await gateway.reload(loadedConfig(folder, { a: { module: "./a.mjs", breaker: false, concurrency: 5 } }));
    expect(gateway.health().status).toBe("ok");
  });

  test("knows the secrets of all configurations that there were", async () => {
    const sources = { bad: { mcp: ["/bin/sh", "-c", "echo no entry with s3cr3t-value >&2; exit 1"] } };
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, sources, { secrets: ["s3cr3t-value"] }));
    for (const secrets of [["second"], ["third"]]) await gateway.reload(loadedConfig(folder, sources, { secrets }));
    expect(JSON.stringify(gateway.health())).not.toContain("s3cr3t-value");
  });

  test("tells what is noted of each", async () => {
    const folder = makeFolder();
    const log = keptLog();
    const noted = (note: string) => ({ ...loadedConfig(folder, {}), notes: [note] });
    const gateway = await settled(noted("no token is asked for"), { log });
    await gateway.reload(noted("a token is short"));
    expect(log.lines).toEqual(["warn no token is asked for", "warn a token is short"]);
  });

  test("does nothing once it is closed", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, {}));
    await gateway.close();
    await gateway.reload(loadedConfig(folder, { far: mcpServer() }));
    expect(gateway.sources).toEqual([]);
  });
});

describe("two sources with an operation of the same id", () => {
  const first = printing("one", "1", { namespace: "shared" });
  const second = printing("one", "2", { namespace: "shared" });

  test("the one that stands first has it, and the other one is told", async () => {
    const gateway = await settled(loadedConfig(makeFolder(), { first, second }));
    expect(await answer(gateway, "shared.one")).toBe(1);
    expect(gateway.sourceOf("shared.one")?.name).toBe("first");
    expect(healthOf(gateway, "first")?.warnings).toEqual([]);
    expect(healthOf(gateway, "second")).toMatchObject({ operations: 0, warnings: [{ code: "DUPLICATE_OPERATION" }] });
  });

  test("the first takes it over where it is up later, and gives it back when it is taken out", async () => {
    const folder = makeFolder();
    const late: SourceConfig = mcpServer({}, { namespace: "shared", include: ["echo"] });
    const other = printing("echo", "2", { namespace: "shared" });
    const gateway = await settled(loadedConfig(folder, { other }));
    const reloaded = gateway.reload(loadedConfig(folder, { late, other }));
    expect(await answer(gateway, "shared.echo")).toBe(2);
    await reloaded;
    expect(await answer(gateway, "shared.echo")).toMatchObject({ input: {} });
    expect(healthOf(gateway, "other")?.warnings).toMatchObject([{ code: "DUPLICATE_OPERATION" }]);
    await gateway.reload(loadedConfig(folder, { other }));
    expect(await answer(gateway, "shared.echo")).toBe(2);
    expect(healthOf(gateway, "other")?.warnings).toEqual([]);
  });

  test("the order of the file decides, also after it has changed", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { first, second }));
    await gateway.reload(loadedConfig(folder, { second, first }));
    await whenHealth(gateway, () => gateway.sourceOf("shared.one")?.name === "second");
    expect(await answer(gateway, "shared.one")).toBe(2);
  });
});
