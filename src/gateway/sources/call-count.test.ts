import { describe, expect, test } from "vitest";
import type { HandlerContext } from "../../registry/context.js";
import type { OperationType } from "../../registry/operation.js";
import { CallCount } from "./call-count.js";
import { madeOperation } from "./fixtures/made-source.js";

const contextOf = (type: OperationType): HandlerContext =>
  ({ spec: madeOperation("one", { type }).spec }) as HandlerContext;

describe("a count of calls", () => {
  test.each([undefined, null, 0, { a: 1 }])("gives %j as the handler does, and is over", async (value) => {
    const calls = new CallCount();
    expect(calls.run(() => value, {}, contextOf("query"))).toBe(value);
    expect(await calls.run(async () => value, {}, contextOf("query"))).toBe(value);
    expect(calls.running).toBe(0);
  });

  test("is over after a failure", async () => {
    const calls = new CallCount();
    const fail = (): never => {
      throw new Error("no");
    };
    expect(() => calls.run(fail, {}, contextOf("query"))).toThrow("no");
    await expect(calls.run(async () => fail(), {}, contextOf("query"))).rejects.toThrow("no");
    expect(() => calls.run(fail, {}, contextOf("subscription"))).toThrow("no");
    await expect(calls.run(async () => fail(), {}, contextOf("subscription"))).rejects.toThrow("no");
    expect(calls.running).toBe(0);
  });

  test("asks what stands in place of a promise once, and counts until it is done", async () => {
    const calls = new CallCount();
    let asked = 0;
    // Builders of queries work each time that they are asked.
    // biome-ignore lint/suspicious/noThenProperty: that is what is tested
    const query = { then: (done: (value: number) => void) => void Promise.resolve(++asked).then(done) };
    const result = calls.run(() => query, {}, contextOf("mutation"));
    expect(calls.running).toBe(1);
    expect([await result, asked, calls.running]).toEqual([1, 1, 0]);
  });

  test("counts a subscription until its values are over", async () => {
    const calls = new CallCount();
    const values = (await calls.run(
      async function* () {
        yield 1;
      },
      {},
      contextOf("subscription"),
    )) as AsyncIterable<number>;
    expect(calls.running).toBe(1);
    for await (const value of values) expect(value).toBe(1);
    expect(calls.running).toBe(0);
  });

  test("waits for the last call, but not for ever", async () => {
    const calls = new CallCount();
    await calls.idle(60_000);
    let end = (): void => {};
    void calls.run(() => new Promise<void>((resolve) => (end = resolve)), {}, contextOf("query"));
    await calls.idle(1);
    expect(calls.running).toBe(1);
    const idle = calls.idle(60_000);
    end();
    await idle;
    expect(calls.running).toBe(0);
  });
});
