import { afterEach, describe, expect, test, vi } from "vitest";
import { within } from "../../../test/own-time.js";
import { failureOf } from "../../registry/fixtures/operations.js";
import { isAlive } from "../fixtures/processes.js";
import { open, seenBy, sourceOptions, tidyUp, until } from "./fixtures/stdio.js";
import { mcpSource } from "./mcp-source.js";

tidyUp();

afterEach(() => {
  vi.useRealTimers();
});

describe("a server that dies", () => {
  test.each(["legacy", "modern"] as const)("in a call fails it, and the next one starts another (%s)", async (era) => {
    const { source, call } = await open({ era });
    const { pid } = await call("pid");
    const [dying, waiting] = await Promise.all([failureOf(call("die")), failureOf(call("hang"))]);
    for (const error of [dying, waiting]) {
      expect(error).toMatchObject({ category: "unavailable", code: "UNAVAILABLE", recoverable: true });
      expect(error.details).toMatchObject({ exitCode: 3, signal: null });
      expect(error.message).toContain("the last words");
    }
    expect(source.health()).toMatchObject({ status: "down", error: { code: "UNAVAILABLE" }, restarts: 0 });
    const again = await call("pid");
    expect(again["pid"]).not.toBe(pid);
    expect(again["start"]).toBe(2);
    expect(source.health()).toMatchObject({ status: "ready", era, restarts: 1 });
    expect(source.health()).not.toHaveProperty("error");
  });

  test("by a signal says which", async () => {
    const { call } = await open();
    expect((await failureOf(call("kill"))).details).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  });

  test("only to us, because it has closed its output, is ended and started again", async () => {
    const { call } = await open();
    const { pid } = await call("pid");
    expect(await failureOf(call("close"))).toMatchObject({ code: "UNAVAILABLE" });
    expect(await call("pid")).toMatchObject({ start: 2 });
    await until(() => !isAlive(pid as number));
  });

  test("between two calls is started again for the second, once for all that wait", async () => {
    const { source, call } = await open();
    const { pid } = await call("pid");
    process.kill(pid as number, "SIGKILL");
    await until(() => source.health().status === "down");
    const answers = await Promise.all([call("pid"), call("pid"), call("echo")]);
    expect(answers[0]).toMatchObject({ start: 2 });
    expect(answers[1]).toEqual(answers[0]);
    expect(source.health().restarts).toBe(1);
  });

  test("comes back with other tools, which are then the operations", async () => {
    const { source, registry, call } = await open();
    await call("change", { add: ["mortal"] });
    await until(() => registry.getSpec("far.mortal") !== undefined);
    await failureOf(call("die"));
    expect(registry.getSpec("far.mortal")).toBeDefined();
    await call("echo");
    await until(() => registry.getSpec("far.mortal") === undefined);
    expect(source.health().tools).toBe(source.operations.length);
  });

  test.each([
    ["legacy", "modern"],
    ["modern", "legacy"],
  ] as const)("as one of the %s era may come back as one of the %s era, and is understood", async (before, after) => {
    const { source, call } = await open({ era: before, eras: { 2: after, 3: after } }, { era: "auto" });
    expect(source.health().era).toBe(before);
    await failureOf(call("die"));
    // That it has become another may cost one call.
    await call("echo").catch(() => {});
    expect(await call("echo")).toEqual({ input: {} });
    expect(source.health()).toMatchObject({ status: "ready", era: after });
  });

  test("again and again is started ever later, and callers are told when to come back", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { source, call } = await open();
    for (let count = 0; count < 5; count++) {
      expect(await failureOf(call("die"))).not.toHaveProperty("retryAfterMs");
      vi.setSystemTime(Date.now() + 2_500);
    }
    // The fifth end has cost two seconds, the sixth costs four: nobody waits so long.
    expect(await failureOf(call("die"))).toMatchObject({ details: { exitCode: 3 } });
    const error = await failureOf(call("echo"));
    expect(error).toMatchObject({ category: "unavailable", code: "UNAVAILABLE", retryAfterMs: 4_000 });
    expect(error.message).toContain("the last words");
    expect(source.health()).toMatchObject({ status: "down", error: { details: { exitCode: 3 } }, restarts: 5 });
    // To be refused is no failure of the server: the wait does not grow by asking.
    vi.setSystemTime(Date.now() + 1_500);
    expect((await failureOf(call("echo"))).retryAfterMs).toBe(2_500);
    vi.setSystemTime(Date.now() + 2_500);
    expect(await call("echo")).toEqual({ input: {} });
    expect(source.health()).toMatchObject({ status: "ready", restarts: 6 });
  });

  test("soon after its second start is waited for", async () => {
    const { call } = await open();
    await failureOf(call("die"));
    await failureOf(call("die"));
    const start = performance.now();
    expect(await call("pid")).toMatchObject({ start: 3 });
    expect(performance.now() - start).toBeGreaterThan(200);
  });

  test("cannot be waited for by a caller that gives up", async () => {
    const { source, call } = await open({ onStart: { 2: "silent" } });
    await failureOf(call("die"));
    const controller = new AbortController();
    const waiting = failureOf(call("echo", {}, { signal: controller.signal }));
    await until(() => source.health().status === "connecting");
    controller.abort();
    expect((await waiting).code).toBe("ABORTED");
    expect((await failureOf(call("echo", {}, { deadline: Date.now() + 20 }))).code).toBe("TIMEOUT");
  });

  test("at its second start fails that call with its words, and the third start works", async () => {
    const { source, call } = await open({ onStart: { 2: "die" } });
    await failureOf(call("die"));
    const error = await failureOf(call("echo"));
    expect(error).toMatchObject({ code: "UNAVAILABLE", details: { exitCode: 4 } });
    expect(error.message).toContain("there is no licence");
    expect(source.health()).toMatchObject({ status: "down", restarts: 0 });
    expect(await call("pid")).toMatchObject({ start: 3 });
  });
});

describe("a server that does not start", () => {
  test.each(["legacy", "modern", "auto"] as const)("tells its last words (%s)", async (era) => {
    const error = await failureOf(mcpSource({ ...sourceOptions({ onStart: { 1: "die", 2: "die" } }), era }));
    expect(error).toMatchObject({ category: "unavailable", code: "UNAVAILABLE" });
    expect(error.details).toMatchObject({ exitCode: 4, stderr: "Error: there is no licence\n" });
    expect(error.message).toContain("there is no licence");
  });

  test("because there is no such program says so", async () => {
    const command = ["plico-no-such-program"];
    expect(await failureOf(mcpSource({ name: "far", command }))).toMatchObject({ code: "TOOL_MISSING" });
  });

  test("because there is no such folder says so", async () => {
    const error = await failureOf(mcpSource({ ...sourceOptions(), cwd: "/no/such/folder" }));
    expect(error).toMatchObject({ category: "unavailable", details: { cwd: "/no/such/folder" } });
  });

  test("in time is ended", async () => {
    for (const era of ["legacy", "modern", "auto"] as const) {
      const options = { ...sourceOptions({ onStart: { 1: "silent" } }), era, startTimeout: 200 };
      expect(await failureOf(mcpSource(options))).toMatchObject({ category: "timeout" });
    }
  });

  test("because it speaks another protocol than is wanted says so", async () => {
    const error = await failureOf(mcpSource({ ...sourceOptions({ era: "legacy" }), era: "modern" }));
    expect(error).toMatchObject({ code: "UNAVAILABLE" });
    expect(error.message).toContain("2026-07-28");
    const other = await failureOf(mcpSource({ ...sourceOptions({ era: "modern" }), era: "legacy" }));
    expect(other.category).toBe("not_found");
  });

  test("writes to whoever listens", async () => {
    const lines: string[] = [];
    const options = sourceOptions({ onStart: { 1: "die", 2: "die" } }, { onStderr: (line) => lines.push(line) });
    await failureOf(mcpSource(options));
    expect(new Set(lines)).toEqual(new Set(["Error: there is no licence"]));
  });

  test("is no matter of waiting where it may take for ever", async () => {
    const { call } = await open({}, { startTimeout: Number.POSITIVE_INFINITY });
    expect(await call("echo")).toEqual({ input: {} });
    const long = await open({}, { startTimeout: 2 ** 40, timeout: 2 ** 40, graceMs: 1_000 });
    expect(await long.call("echo")).toEqual({ input: {} });
  });
});

describe("a source that is closed", () => {
  test("ends its server and all calls, and takes no others", async () => {
    const { source, call } = await open();
    const { pid } = await call("pid");
    const hanging = failureOf(call("hang"));
    await source.close();
    expect(isAlive(pid as number)).toBe(false);
    expect(await hanging).toMatchObject({ code: "UNAVAILABLE" });
    expect(await failureOf(call("echo"))).toMatchObject({ code: "UNAVAILABLE", recoverable: false });
    expect(await failureOf(source.refresh())).toMatchObject({ code: "UNAVAILABLE" });
    expect(source.health()).toMatchObject({ status: "closed", restarts: 0 });
  });

  test("may be closed twice, also at once", async () => {
    const { source } = await open();
    await Promise.all([source.close(), source.close()]);
    await source.close();
    expect(source.health().status).toBe("closed");
  });

  test("while its server is started again does not wait for that, and leaves nobody behind", async () => {
    const { source, call } = await open({ onStart: { 2: "silent" } });
    await failureOf(call("die"));
    const waiting = failureOf(call("echo"));
    await until(() => source.health().status === "connecting");
    await within(4_000, source.close());
    expect(await waiting).toMatchObject({ code: "UNAVAILABLE" });
    expect(source.health().status).toBe("closed");
  });

  test("while it waits for its turn to start again, starts nothing", async () => {
    const { source, call } = await open();
    for (let count = 0; count < 4; count++) await failureOf(call("die"));
    const waiting = failureOf(call("echo"));
    // Its turn would have come after a second.
    await within(800, source.close());
    expect(await waiting).toMatchObject({ code: "UNAVAILABLE" });
    expect(source.health()).toMatchObject({ status: "closed", restarts: 3 });
  });

  test("tells nobody of changes any more", async () => {
    const { source, call } = await open();
    let isTold = false;
    source.onChange(() => {
      isTold = true;
    });
    const changing = call("change", { add: ["x"] }).catch(() => {});
    await source.close();
    await changing;
    expect(isTold).toBe(false);
  });

  test("after its server has died is closed, and not started again", async () => {
    const { source, call } = await open();
    await failureOf(call("die"));
    await source.close();
    expect(source.health().status).toBe("closed");
    expect(await failureOf(call("echo"))).toMatchObject({ code: "UNAVAILABLE" });
  });
});

test("a caller does not hear of a server's death that it does not need", async () => {
  const stage = await open();
  await failureOf(stage.call("die"));
  expect(await stage.call("echo", { a: 1 })).toEqual({ input: { a: 1 } });
  expect((await seenBy(stage, "tools/call")).length).toBeGreaterThan(0);
});
