import { describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import { operation } from "../../registry/fixtures/operations.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { Moment } from "./fixtures/moments.js";
import { SERVERS } from "./fixtures/served.js";

const KEY = { "idempotency-key": "key-1" };

/** Counts how often it is run. */
function counter(over: Parameters<typeof operation>[1] = {}): { runs: () => number; mutation: AnyOperation } {
  let runs = 0;
  const mutation = operation((input) => ({ run: ++runs, input }), { type: "mutation", ...over });
  return { runs: () => runs, mutation };
}

describe.each(SERVERS)("a request with an Idempotency-Key to %s", (_, serve) => {
  test("is run once, and its first answer is given again", async () => {
    const { runs, mutation } = counter();
    const { call } = await serve([mutation]);
    const first = await call("test.run", { a: 1, b: 2 }, KEY);
    const second = await call("test.run", { b: 2, a: 1 }, { "idempotency-key": '"key-1"' });
    expect(runs()).toBe(1);
    expect(second).toMatchObject({ status: 200, text: first.text });
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(second.headers.get("idempotency-replayed")).toBe("true");
  });

  test("is run once where two come together", async () => {
    const ready = new Moment();
    let runs = 0;
    const slow = operation(
      async () => {
        await ready.come;
        return ++runs;
      },
      { type: "mutation" },
    );
    const { call } = await serve([slow]);
    const both = [call("test.run", {}, KEY), call("test.run", {}, KEY)];
    ready.now();
    const [first, second] = await Promise.all(both);
    expect(runs).toBe(1);
    expect(first?.text).toBe(second?.text);
  });

  test("is another where the key, the operation or the caller is another", async () => {
    const { runs, mutation } = counter();
    const other = counter({ name: "other" });
    const { call } = await serve([mutation, other.mutation], {
      authorize: ({ headers }) => ({ id: String(headers["authorization"]), scopes: [] }),
    });
    await call("test.run", {}, { ...KEY, authorization: "ada" });
    await call("test.run", {}, { ...KEY, authorization: "bob" });
    await call("test.run", {}, { "idempotency-key": "key-2", authorization: "ada" });
    await call("test.other", {}, { ...KEY, authorization: "ada" });
    expect([runs(), other.runs()]).toEqual([3, 1]);
  });

  test("tells its operation the key, which no other caller's request can have", async () => {
    const seen: unknown[] = [];
    const mutation = operation((_, { idempotencyKey }) => void seen.push(idempotencyKey), { type: "mutation" });
    const { call } = await serve([mutation], {
      authorize: ({ headers: { authorization: id } }) => (typeof id === "string" ? { id, scopes: [] } : undefined),
    });
    for (const [key, authorization] of [["key-1"], ["b/c", "a"], ["c", "a/b"]] as const)
      await call("test.run", {}, { "idempotency-key": key, ...(authorization !== undefined && { authorization }) });
    expect(seen).toEqual(["key-1", "a/b/c", "a%2Fb/c"]);
  });

  test("is refused where the key stands for another input", async () => {
    const { runs, mutation } = counter();
    const { call } = await serve([mutation]);
    await call("test.run", { a: 1 }, KEY);
    const { status, body } = await call("test.run", { a: 2 }, KEY);
    expect(status).toBe(422);
    expect(body).toMatchObject({ data: { error_code: "IDEMPOTENCY_KEY_REUSED" } });
    expect(runs()).toBe(1);
  });

  test.each(["", "a b", "é", '"open', "x".repeat(256)])("is refused with the key %j", async (key) => {
    const { runs, mutation } = counter();
    const { call } = await serve([mutation]);
    for (const accept of ["application/json", "text/event-stream"])
      expect((await call("test.run", {}, { "idempotency-key": key, accept })).status).toBe(400);
    expect(runs()).toBe(0);
  });

  test("is run again where its failure may pass, and not where it will not", async () => {
    let runs = 0;
    const failing = operation(
      ({ category }: { category: string }) => {
        throw new CallError({ category, message: `run ${++runs}` });
      },
      { type: "mutation" },
    );
    const { call } = await serve([failing]);
    for (const [category, most] of [
      ["unavailable", 2],
      ["conflict", 3],
    ] as const) {
      const headers = { "idempotency-key": category };
      await call("test.run", { category }, headers);
      await call("test.run", { category }, headers);
      expect(runs).toBe(most);
    }
  });

  test("is run once as a stream too, whatever came first", async () => {
    const { runs, mutation } = counter();
    const { call } = await serve([mutation]);
    const stream = { ...KEY, accept: "text/event-stream" };
    const first = await call("test.run", { a: 1 }, stream);
    const again = await call("test.run", { a: 1 }, stream);
    const document = await call("test.run", { a: 1 }, KEY);
    expect(runs()).toBe(1);
    expect(again.text).toBe(first.text);
    expect(first.text).toBe(`event: value\ndata: ${document.text}\n\nevent: end\ndata: {}\n\n`);
    const reused = await call("test.run", { a: 2 }, stream);
    expect(reused.text).toMatch(/^event: failure\ndata: .*IDEMPOTENCY_KEY_REUSED.*\n\n$/);
  });

  test("means nothing to a query", async () => {
    const { runs, mutation } = counter({ type: "query" });
    const { call } = await serve([mutation]);
    await call("test.run", {}, KEY);
    await call("test.run", {}, KEY);
    expect(runs()).toBe(2);
  });

  test("works on a route of the operation's own", async () => {
    const { runs, mutation } = counter({ http: { method: "PUT", path: "/rows/{id}" } });
    const { send } = await serve([mutation]);
    const first = await send("PUT", "/rows/1", { a: 1 }, KEY);
    expect(await send("PUT", "/rows/1", { a: 1 }, KEY)).toMatchObject({ text: first.text });
    // The place is a part of the input.
    expect((await send("PUT", "/rows/2", { a: 1 }, KEY)).status).toBe(422);
    expect(runs()).toBe(1);
  });

  test("with an input that is nested too deep is refused, as without", async () => {
    const { runs, mutation } = counter();
    const { ask } = await serve([mutation]);
    const body = "[".repeat(100_000) + "]".repeat(100_000);
    for (const headers of [{}, KEY]) {
      const init = { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
      const { status } = await ask("/operations/test.run", init);
      expect([400, 413]).toContain(status);
    }
    expect(runs()).toBe(0);
  });
});
