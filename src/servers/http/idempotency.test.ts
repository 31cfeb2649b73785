import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IdempotencyStore, type KeyedAnswer, type KeyedRequest } from "./idempotency.js";
import type { HttpReply } from "./reply.js";

const LIMITS = { ttlMs: 1000, maxEntries: 100, maxBytes: 10_000 };

function reply(body: string): HttpReply {
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

function request(fields: Partial<KeyedRequest> = {}): KeyedRequest {
  return { owner: "ann", operationId: "shop.buy", key: "k1", fingerprint: "{}", ...fields };
}

/** An operation that counts its runs and is answered by the test. */
function operation() {
  const runs: { answer: (answer: KeyedAnswer) => void; fail: (error: Error) => void }[] = [];
  const make = () => new Promise<KeyedAnswer>((answer, fail) => runs.push({ answer, fail }));
  return { runs, make };
}

const answering = (body: string, isFinal = true) => {
  const done = { runs: 0 };
  const make = async (): Promise<KeyedAnswer> => {
    done.runs += 1;
    return { reply: reply(body), isFinal };
  };
  return Object.assign(make, { done });
};

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("a request with a key", () => {
  test("is run once; later ones get the first answer, marked as a replay", async () => {
    const store = new IdempotencyStore(LIMITS);
    expect(await store.run(request(), answering("one"))).toEqual(reply("one"));
    const again = answering("two");
    const { headers, body, status } = await store.run(request(), again);
    expect([status, body]).toEqual([200, "one"]);
    expect(headers).toEqual({ "content-type": "application/json", "idempotency-replayed": "true" });
    expect(again.done.runs).toBe(0);
  });

  test.each<[what: string, other: Partial<KeyedRequest>]>([
    ["owner", { owner: "bob" }],
    ["owner, who is nobody", { owner: undefined }],
    ["owner of a similar name", { owner: 'ann","shop.buy' }],
    ["operation", { operationId: "shop.sell" }],
    ["key", { key: "k2" }],
  ])("is another with another %s", async (_, other) => {
    const store = new IdempotencyStore(LIMITS);
    await store.run(request(), answering("one"));
    expect(await store.run(request(other), answering("two"))).toEqual(reply("two"));
  });

  test("is refused when the key was used for another input, while it runs and after", async () => {
    const store = new IdempotencyStore(LIMITS);
    const { runs, make } = operation();
    const other = request({ fingerprint: '{"a":1}' });
    const refused = { category: "conflict", code: "IDEMPOTENCY_KEY_REUSED" };
    const first = store.run(request(), make);
    await expect(store.run(other, make)).rejects.toMatchObject(refused);
    runs[0]?.answer({ reply: reply("one"), isFinal: true });
    await first;
    await expect(store.run(other, make)).rejects.toMatchObject(refused);
    expect(runs).toHaveLength(1);
  });

  test("waits for the one that runs, and gets its answer", async () => {
    const store = new IdempotencyStore(LIMITS);
    const { runs, make } = operation();
    const [first, second, third] = [1, 2, 3].map(() => store.run(request(), make));
    await turn();
    expect(runs).toHaveLength(1);
    runs[0]?.answer({ reply: reply("one"), isFinal: true });
    expect((await first)?.headers).not.toHaveProperty("idempotency-replayed");
    for (const waiting of [second, third])
      expect(await waiting).toMatchObject({ body: "one", headers: { "idempotency-replayed": "true" } });
  });
});

describe("an answer that is not final", () => {
  test("lets the next run it again", async () => {
    const store = new IdempotencyStore(LIMITS);
    expect(await store.run(request(), answering("busy", false))).toEqual(reply("busy"));
    expect(await store.run(request({ fingerprint: "[]" }), answering("two"))).toEqual(reply("two"));
  });

  test("lets those that wait run it in their turn, one after the other, until there is a final one", async () => {
    const store = new IdempotencyStore(LIMITS);
    const { runs, make } = operation();
    const all = [1, 2, 3, 4].map(() => store.run(request(), make));
    runs[0]?.answer({ reply: reply("busy"), isFinal: false });
    await turn();
    expect(runs).toHaveLength(2);
    runs[1]?.fail(new Error("broken"));
    await expect(all[1]).rejects.toThrow("broken");
    await turn();
    expect(runs).toHaveLength(3);
    runs[2]?.answer({ reply: reply("done"), isFinal: true });
    expect((await all[0])?.body).toBe("busy");
    expect((await all[2])?.headers).not.toHaveProperty("idempotency-replayed");
    expect(await all[3]).toMatchObject({ body: "done", headers: { "idempotency-replayed": "true" } });
    expect(runs).toHaveLength(3);
  });

  test("is what a thrown error is", async () => {
    const store = new IdempotencyStore(LIMITS);
    const broken = () => {
      throw new Error("at once");
    };
    await expect(store.run(request(), broken)).rejects.toThrow("at once");
    expect(await store.run(request(), answering("two"))).toEqual(reply("two"));
  });
});

describe("the bounds", () => {
  test("end the replays after their time", async () => {
    let now = 0;
    const store = new IdempotencyStore({ ...LIMITS, now: () => now });
    await store.run(request(), answering("one"));
    now = 999;
    expect((await store.run(request(), answering("two"))).body).toBe("one");
    now = 1000;
    expect((await store.run(request(), answering("two"))).body).toBe("two");
  });

  test("forget the oldest of too many", async () => {
    const store = new IdempotencyStore({ ...LIMITS, maxEntries: 2 });
    for (const key of ["k1", "k2", "k3"]) await store.run(request({ key }), answering(key));
    expect((await store.run(request({ key: "k3" }), answering("new"))).body).toBe("k3");
    expect((await store.run(request({ key: "k2" }), answering("new"))).body).toBe("k2");
    expect((await store.run(request({ key: "k1" }), answering("new"))).body).toBe("new");
  });

  test("keep of an answer that is too large that it was given, and give it to those that wait", async () => {
    const store = new IdempotencyStore({ ...LIMITS, maxBytes: 300 });
    const { runs, make } = operation();
    await store.run(request({ key: "small" }), answering("small"));
    const waiting = [store.run(request(), make), store.run(request(), make)];
    runs[0]?.answer({ reply: reply("x".repeat(400)), isFinal: true });
    for (const one of waiting) expect((await one).body).toHaveLength(400);
    const gone = { category: "conflict", code: "IDEMPOTENCY_ANSWER_GONE" };
    await expect(store.run(request(), make)).rejects.toMatchObject(gone);
    await expect(store.run(request({ fingerprint: "[]" }), make)).rejects.toMatchObject({
      code: "IDEMPOTENCY_KEY_REUSED",
    });
    expect((await store.run(request({ key: "small" }), make)).body).toBe("small");
    expect(runs).toHaveLength(1);
  });

  test("forget the oldest answers when all are too large together, and do not run them again", async () => {
    const store = new IdempotencyStore({ ...LIMITS, maxBytes: 700 });
    for (const key of ["k1", "k2", "k3"]) await store.run(request({ key }), answering("x".repeat(200)));
    const again = answering("new");
    await expect(store.run(request({ key: "k1" }), again)).rejects.toMatchObject({ code: "IDEMPOTENCY_ANSWER_GONE" });
    expect((await store.run(request({ key: "k2" }), again)).body).toHaveLength(200);
    expect((await store.run(request({ key: "k3" }), again)).body).toHaveLength(200);
    expect(again.done.runs).toBe(0);
  });

  test("forget the oldest when even the keys are too many", async () => {
    const store = new IdempotencyStore({ ...LIMITS, maxBytes: 100 });
    const keys = Array.from({ length: 50 }, (_, at) => `key-${at}`);
    for (const key of keys) await store.run(request({ key }), answering("x".repeat(100)));
    expect((await store.run(request({ key: "key-0" }), answering("new"))).body).toBe("new");
    await expect(store.run(request({ key: "key-49" }), answering("new"))).rejects.toMatchObject({
      code: "IDEMPOTENCY_ANSWER_GONE",
    });
  });
});

test("whatever comes in whatever order, one key never runs twice at once, nor again after a final answer", async () => {
  const step = fc.oneof(
    fc.record({ does: fc.constant("ask" as const), key: fc.constantFrom("a", "b") }),
    fc.record({ does: fc.constant("answer" as const), isFinal: fc.boolean() }),
    fc.constant({ does: "fail" as const }),
    fc.constant({ does: "turn" as const }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const store = new IdempotencyStore(LIMITS);
      const running: { readonly key: string; end(answer: KeyedAnswer | undefined): void }[] = [];
      const finished = new Set<string>();
      const asked: Promise<unknown>[] = [];
      const ask = (key: string) => {
        const make = () =>
          new Promise<KeyedAnswer>((answer, fail) => {
            expect(running.map((one) => one.key)).not.toContain(key);
            expect(finished).not.toContain(key);
            running.push({ key, end: (made) => (made === undefined ? fail(new Error("fails")) : answer(made)) });
          });
        asked.push(store.run(request({ key }), make).catch((error) => expect(error.message).toBe("fails")));
      };
      const end = (answer: KeyedAnswer | undefined) => {
        const one = running.shift();
        if (answer?.isFinal && one !== undefined) finished.add(one.key);
        one?.end(answer);
      };
      for (const one of steps) {
        if (one.does === "ask") ask(one.key);
        else if (one.does === "answer") end({ reply: reply("done"), isFinal: one.isFinal });
        else if (one.does === "fail") end(undefined);
        else await turn();
      }
      let isDone = false;
      const all = Promise.all(asked).then(() => {
        isDone = true;
      });
      while (!isDone) {
        end({ reply: reply("done"), isFinal: true });
        await turn();
      }
      await all;
    }),
  );
});
