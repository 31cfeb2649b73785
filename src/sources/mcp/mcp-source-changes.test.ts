import { afterEach, describe, expect, test, vi } from "vitest";
import { failureOf } from "../../registry/fixtures/operations.js";
import { open, type Stage, seenBy, tidyUp, until } from "./fixtures/stdio.js";

tidyUp();

afterEach(() => {
  vi.useRealTimers();
});

function has({ registry }: Stage, name: string): boolean {
  return registry.getSpec(`far.${name}`) !== undefined;
}

describe.each(["legacy", "modern"] as const)("the tools of a server of the %s era", (era) => {
  test("come and go while a call is running", async () => {
    const stage = await open({ era });
    const echo = stage.registry.get("far.echo");
    const held = stage.call("hold");
    await stage.call("change", { add: ["new one", "other"] });
    await until(() => has(stage, "other"));
    const [fresh] = stage.registry.list().filter(({ _meta }) => JSON.stringify(_meta).includes("new one"));
    expect(await stage.call(fresh?.name ?? "", { a: 1 })).toEqual({ input: { a: 1 } });
    await stage.call("change", { remove: ["other"] });
    await until(() => !has(stage, "other"));
    expect(await failureOf(stage.call("other"))).toMatchObject({ code: "OPERATION_NOT_FOUND" });
    expect(stage.registry.get("far.echo")).toBe(echo);
    await stage.call("release");
    expect(await held).toEqual({ released: true });
    expect(stage.source.health().tools).toBe(stage.source.operations.length);
  });

  test("are asked for once more when many changes come while they are asked for", async () => {
    const stage = await open({ era });
    const before = (await seenBy(stage, "tools/list")).length;
    await Promise.all(Array.from({ length: 30 }, (_, at) => stage.call("change", { add: [`tool${at}`] })));
    await until(() => has(stage, "tool29"));
    await stage.call("echo");
    const after = (await seenBy(stage, "tools/list")).length;
    expect(after - before).toBeLessThan(10);
  });

  test("that did not change tell nobody", async () => {
    const stage = await open({ era });
    let count = 0;
    stage.source.onChange(() => {
      count += 1;
    });
    await stage.call("change", {});
    await stage.source.refresh();
    expect(count).toBe(0);
    await stage.call("change", { add: ["x"] });
    await until(() => has(stage, "x"));
    expect(count).toBe(1);
  });

  test("are asked for again when somebody asks", async () => {
    const stage = await open({ era });
    await stage.call("change", { add: ["silent"], isSilent: true });
    expect(has(stage, "silent")).toBe(false);
    await stage.source.refresh();
    expect(has(stage, "silent")).toBe(true);
  });

  test("are asked for again at the next call when they are no longer fresh", async () => {
    const stage = await open({ era, ttlMs: 60_000 });
    await stage.call("change", { add: ["later"], isSilent: true });
    await stage.call("echo");
    expect(has(stage, "later")).toBe(false);
    expect(await seenBy(stage, "tools/list")).toHaveLength(1);
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
    await stage.call("echo");
    vi.useRealTimers();
    await until(() => has(stage, "later"));
    expect((await seenBy(stage, "tools/list")).length).toBeLessThanOrEqual(3);
  });
});

test("a server that says with each list that it has changed is not asked for ever", async () => {
  for (const era of ["legacy", "modern"] as const) {
    const stage = await open({ era, isNoisy: true });
    await stage.call("change", {});
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await seenBy(stage, "tools/list")).length).toBeLessThan(20);
    // What it says after that counts all the same.
    await stage.call("change", { add: ["late"] });
    await until(() => has(stage, "late"));
  }
});

test("a listener that throws harms neither the source nor the others", async () => {
  const stage = await open();
  let isTold = false;
  stage.source.onChange(() => {
    throw new Error("no");
  });
  stage.source.onChange(() => {
    isTold = true;
  });
  await stage.call("change", { add: ["x"] });
  await until(() => isTold && has(stage, "x"));
});

test("what a registry refuses of a server's new tools is no end of the source", async () => {
  const stage = await open();
  const { spec, handler } = stage.source.operations[0] ?? expect.fail("there is none");
  stage.registry.register({ id: "far.mine", spec: { ...spec, name: "mine" }, handler });
  await stage.call("change", { add: ["mine"] });
  await until(async () => (await seenBy(stage, "tools/list")).length > 1);
  expect(stage.registry.getHandler("far.mine")).toBe(handler);
  expect(await stage.call("echo", { a: 1 })).toEqual({ input: { a: 1 } });
  expect(stage.source.health().status).toBe("ready");
});
