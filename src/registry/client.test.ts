import { describe, expect, test, vi } from "vitest";
import type { Pagination } from "../envelope/hints.js";
import { mcpEnvelope, type ResponseEnvelope } from "../envelope/response-envelope.js";
import type { CallOptions } from "./call-options.js";
import { type ClientCall, type ClientSubscription, client } from "./client.js";
import { failureOf, operation, settled } from "./fixtures/operations.js";
import type { AnyHandler, OperationSpec } from "./operation.js";
import type { AnyOperation } from "./operation-map.js";
import { OperationRegistry } from "./registry.js";

type Call = ClientCall<AnyOperation>;

function callOf(handler: AnyHandler, over: Partial<OperationSpec> = {}, options?: CallOptions): Call {
  return clientOf(handler, over, options) as Call;
}

function streamOf(handler: AnyHandler, options?: CallOptions): ClientSubscription<AnyOperation> {
  return clientOf(handler, { type: "subscription" }, options) as ClientSubscription<AnyOperation>;
}

function clientOf(handler: AnyHandler, over: Partial<OperationSpec>, options?: CallOptions): unknown {
  const made = client(new OperationRegistry().register(operation(handler, over)), options);
  return (made as unknown as Record<string, Record<string, unknown>>)["test"]?.["run"];
}

const failing = () => {
  const content = [{ type: "text" as const, text: "The disk is full." }];
  return mcpEnvelope(content, { isError: true, content });
};

describe("client", () => {
  test("gives the data of an operation", async () => {
    expect(await callOf((input: number) => input * 2)(4)).toBe(8);
  });

  test.each([undefined, null, 0, "", false])("gives %j where that is the data", async (data) => {
    expect(await callOf(() => data)()).toBe(data);
  });

  test("gives the envelope as execute does", async () => {
    expect(await callOf(() => 1).envelope()).toMatchObject({ data: 1, meta: { source: "local" } });
    expect(await callOf(failing).envelope()).toMatchObject({ meta: { isError: true } });
  });

  test("rejects with a CallError, also where a tool itself says that it failed", async () => {
    expect(await failureOf(callOf(() => Promise.reject(new Error("no")))())).toMatchObject({ code: "EXECUTION_ERROR" });
    expect(await failureOf(callOf(failing)())).toMatchObject({ code: "TOOL_ERROR", category: "execution" });
  });

  test("attempts without rejecting", async () => {
    expect(await callOf(() => 5).attempt()).toMatchObject({ ok: true, data: 5 });
    expect(await callOf(failing).attempt()).toMatchObject({ ok: false, error: { code: "TOOL_ERROR" } });
    const errorSchemas = { EMPTY: { category: "not_found" } };
    const outcome = await callOf(() => Promise.reject(new Error("EMPTY")), { errorSchemas }).attempt();
    expect(outcome).toMatchObject({ ok: false, error: { code: "EMPTY", category: "not_found" } });
  });

  test("gives functions that may be taken out", async () => {
    const { envelope, attempt, pages } = callOf(() => 1);
    expect(await envelope()).toMatchObject({ data: 1 });
    expect(await attempt()).toMatchObject({ data: 1 });
    for await (const { data } of pages()) expect(data).toBe(1);
  });

  test("is not trusted", async () => {
    const call = callOf(() => 1, { accessControl: { requiredScopes: ["read"] } });
    expect(await failureOf(call())).toMatchObject({ code: "ACCESS_DENIED" });
    expect(await call({}, { identity: { id: "ada", scopes: ["read"] } })).toBe(1);
  });

  test("has the operations that the registry had when it was made", async () => {
    const registry = new OperationRegistry().register(operation(() => 1));
    const made = client(registry) as unknown as Record<string, unknown>;
    registry.register(operation(() => 1, { namespace: "late" }));
    expect(Object.keys(made)).toEqual(["test"]);
  });

  test("is not taken for a promise", async () => {
    const made = client(new OperationRegistry().register(operation(() => 1)));
    expect(await Promise.resolve(made)).toBe(made);
  });
});

describe("the options of a client", () => {
  const common = { identity: { id: "ada", scopes: [] }, metadata: { from: "client" } };
  const told: AnyHandler = (_, { identity, metadata, requestId }) => ({ identity, metadata, requestId });

  test("are those of every call", async () => {
    const call = callOf(told, {}, common);
    expect(await call()).toMatchObject(common);
    expect(await call.envelope()).toMatchObject({ data: common });
    expect(await call.attempt()).toMatchObject({ data: common });
    expect((await call.pages().next()).value).toMatchObject({ data: common });
  });

  test("are overridden by those of a call, one by one", async () => {
    expect(await callOf(told, {}, common)({}, { requestId: "r1", metadata: { from: "call" } })).toEqual({
      identity: common.identity,
      metadata: { from: "call" },
      requestId: "r1",
    });
  });

  test("are those of a subscription too", async () => {
    const values = streamOf((_, { metadata }) => [metadata], common);
    for await (const value of values()) expect(value).toEqual(common.metadata);
  });
});

describe("pages", () => {
  /** Gives the pages in order, each with its pagination, and notes what it was asked for. */
  function paged(
    paginations: readonly (Pagination | undefined)[],
    asked: unknown[] = [],
    inputSchema: object | boolean = true,
  ): Call {
    return callOf(
      (input, context) => {
        const pagination = paginations[asked.length];
        asked.push(input);
        if (pagination !== undefined) context.page(pagination);
        return asked.length;
      },
      { inputSchema },
    );
  }

  async function all(pages: AsyncIterable<ResponseEnvelope>): Promise<unknown[]> {
    const found: unknown[] = [];
    for await (const { data } of pages) found.push(data);
    return found;
  }

  test("follow meta.pagination.cursor and keep the rest of the input", async () => {
    const asked: unknown[] = [];
    const call = paged([{ cursor: "b" }, { cursor: "c", hasMore: true }, {}], asked);
    expect(await all(call.pages({ size: 10 }))).toEqual([1, 2, 3]);
    expect(asked).toEqual([{ size: 10 }, { size: 10, cursor: "b" }, { size: 10, cursor: "c" }]);
  });

  test.each<[string, Pagination | undefined]>([
    ["has no pagination", undefined],
    ["has no cursor", { hasMore: true }],
    ["has a null cursor", { cursor: null }],
    ["has a null cursor and says that there is more", { cursor: null, hasMore: true }],
    ["says that there is no more", { cursor: "b", hasMore: false }],
  ])("end with a page that %s", async (_, pagination) => {
    expect(await all(paged([pagination, {}]).pages())).toEqual([1]);
  });

  test("follow an empty text, which is a cursor", async () => {
    const asked: unknown[] = [];
    expect(await all(paged([{ cursor: "" }, {}], asked).pages())).toEqual([1, 2]);
    expect(asked).toEqual([undefined, { cursor: "" }]);
  });

  test("put the cursor where they are told", async () => {
    const asked: unknown[] = [];
    await all(paged([{ cursor: "b" }, {}], asked).pages({ cursor: "kept" }, { cursorField: "after" }));
    expect(asked).toEqual([{ cursor: "kept" }, { cursor: "kept", after: "b" }]);
  });

  test.each<[field: string, schema: object, sent: unknown]>([
    ["starting_after", { type: "string" }, "2"],
    ["page", { type: "integer" }, 2],
  ])("put the cursor into %s where that is the field of the input", async (field, schema, sent) => {
    const asked: unknown[] = [];
    await all(paged([{ cursor: "2" }, {}], asked, { properties: { [field]: schema, limit: {} } }).pages({ limit: 5 }));
    expect(asked).toEqual([{ limit: 5 }, { limit: 5, [field]: sent }]);
  });

  test("fail where a cursor comes for the second time", async () => {
    const call = paged([{ cursor: "b" }, { cursor: "c" }, { cursor: "b" }]);
    const found: unknown[] = [];
    const run = async () => {
      for await (const { data } of call.pages()) found.push(data);
    };
    expect(await failureOf(run())).toMatchObject({ code: "CURSOR_LOOP", category: "execution" });
    expect(found).toEqual([1, 2, 3]);
  });

  test("fail where the first page leads to itself", async () => {
    const call = paged([{ cursor: "a" }, { cursor: "a" }, { cursor: "a" }]);
    const found: unknown[] = [];
    const run = async () => {
      for await (const { data } of call.pages({ cursor: "a" })) found.push(data);
    };
    expect(await failureOf(run())).toMatchObject({ code: "CURSOR_LOOP" });
    expect(found).toEqual([1]);
  });

  test.each([
    [0, []],
    [1, [1]],
    [2, [1, 2]],
    [9, [1, 2, 3]],
  ])("are at most as many as maxPages %d says", async (maxPages, expected) => {
    expect(await all(paged([{ cursor: "b" }, { cursor: "c" }, {}]).pages({}, { maxPages }))).toEqual(expected);
  });

  test("are asked for one by one", async () => {
    const asked: unknown[] = [];
    const pages = paged([{ cursor: "b" }, { cursor: "c" }], asked).pages();
    await settled();
    expect(asked).toHaveLength(0);
    await pages.next();
    await settled();
    expect(asked).toHaveLength(1);
    await pages.return();
    expect(await pages.next()).toEqual({ done: true, value: undefined });
    expect(asked).toHaveLength(1);
  });

  test("end with ABORTED when the signal is aborted on the way", async () => {
    const controller = new AbortController();
    const pages = paged([{ cursor: "b" }, {}]).pages({}, { signal: controller.signal });
    await pages.next();
    controller.abort();
    expect(await failureOf(pages.next())).toMatchObject({ code: "ABORTED" });
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });

  test("fail with a page on which a tool itself says that it failed", async () => {
    expect(await failureOf(callOf(failing).pages().next())).toMatchObject({ code: "TOOL_ERROR" });
  });

  test("do not hand their own options to the operation", async () => {
    const asked: unknown[] = [];
    await all(paged([{}], asked).pages({}, { cursorField: "after", maxPages: 3 }));
    expect(asked).toEqual([{}]);
  });
});

describe("a subscription of a client", () => {
  test("gives data", async () => {
    const found: unknown[] = [];
    for await (const value of streamOf(() => [1, undefined, null])()) found.push(value);
    expect(found).toEqual([1, undefined, null]);
  });

  test("is lazy", async () => {
    const handler = vi.fn(() => [1]);
    const values = streamOf(handler)();
    await settled();
    expect(handler).not.toHaveBeenCalled();
    await values.return();
    expect(handler).not.toHaveBeenCalled();
  });

  test("that is broken off runs the handler's finally", async () => {
    const events: string[] = [];
    const values = streamOf(async function* () {
      try {
        yield 1;
        yield 2;
      } finally {
        events.push("finally");
      }
    });
    for await (const _ of values()) break;
    expect(events).toEqual(["finally"]);
  });

  test("that is ended while it waits does not hang", async () => {
    const values = streamOf(async function* (_, { signal }) {
      yield 1;
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    })();
    await values.next();
    const ended = vi.fn();
    values.next().then(ended, ended);
    await settled();
    values.return().then(ended, ended);
    await settled();
    expect(ended).toHaveBeenCalledTimes(2);
  });

  test("rejects with a value on which a tool itself says that it failed, and ends the handler", async () => {
    const events: string[] = [];
    const values = streamOf(async function* () {
      try {
        yield failing();
      } finally {
        events.push("finally");
      }
    })();
    expect(await failureOf(values.next())).toMatchObject({ code: "TOOL_ERROR" });
    expect(events).toEqual(["finally"]);
  });
});
