import { describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { Progress } from "../../registry/call-options.js";
import type { HandlerContext } from "../../registry/context.js";
import { operation } from "../../registry/fixtures/operations.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { OperationRegistry } from "../../registry/registry.js";
import { calledOperation } from "./call-operation.js";
import { searchable } from "./searchable.js";

const NUMBERS = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a"],
} as const;

const ADD = operation(({ a, b = 0 }: { a: number; b?: number }) => a + b, {
  namespace: "math",
  name: "add",
  description: "Adds two numbers. And more.",
  inputSchema: NUMBERS,
  errorSchemas: { OVERFLOW: { description: "Too large." } },
});
const SECRET = operation(() => "told", {
  namespace: "vault",
  name: "tell",
  description: "Tells a secret number.",
  accessControl: { requiredScopes: ["vault"] },
});
const COUNT = operation(
  async function* ({ to }: { to: number }) {
    for (let at = 1; at <= to; at++) yield at;
  },
  { namespace: "math", name: "count", type: "subscription", description: "Counts." },
);
const SHOUT = operation((text: string) => text.toUpperCase(), {
  namespace: "text",
  name: "shout",
  inputSchema: { type: "string" },
});

function registryWith(...operations: readonly AnyOperation[]): OperationRegistry {
  return new OperationRegistry().registerAll(operations) as OperationRegistry;
}

const all = registryWith(ADD, SECRET, COUNT, SHOUT);
const found = searchable(all, { mode: "on" });
const ADA = { id: "ada", scopes: ["vault"] };

// biome-ignore lint/suspicious/noExplicitAny: what a tool gives
async function dataOf(name: string, input: unknown, options = {}): Promise<any> {
  const outcome = await found.attempt(`plico.${name}`, input, options);
  if (!outcome.ok) throw outcome.error;
  return outcome.data;
}

describe("many operations", () => {
  test("are three", () => {
    expect(found.list().map(({ name }) => name)).toEqual(["search_operations", "describe_operation", "call_operation"]);
  });

  test("stay what they are where there are few, or nothing is to be searched", () => {
    expect(searchable(all, { above: 4 }).list()).toEqual(all.list());
    expect(searchable(all, { mode: "off", above: 0 })).toBe(all);
    expect(searchable(all, { above: 3 }).list()).toHaveLength(3);
  });

  test("become three and many again as they come and go, which is told", () => {
    const registry = registryWith(ADD);
    const served = searchable(registry, { above: 1 });
    const lengths: number[] = [];
    const stop = served.onChange(() => lengths.push(served.list().length));
    registry.register(COUNT);
    // Of the same namespace: nothing that is listed changes.
    registry.register(operation(() => 1, { namespace: "math", name: "one" }));
    registry.unregisterAll(["math.count", "math.one"]);
    stop();
    registry.register(COUNT);
    expect(lengths).toEqual([3, 1]);
  });

  test("are hinted at by the names of sources that everybody may know of", () => {
    const [search] = found.list();
    expect(search?.description).toContain("math, text");
    expect(search?.description).not.toContain("vault");
    expect(found.list()[0]).toBe(search);
  });
});

describe("search_operations", () => {
  test("gives the best first, with what they take", async () => {
    expect(await dataOf("search_operations", { query: "add number", limit: 1 })).toEqual({
      operations: [{ id: "math.add", type: "query", description: "Adds two numbers.", input: ["a", "b?"] }],
    });
  });

  test("finds an operation by its very id", async () => {
    const { operations } = await dataOf("search_operations", { query: "math.count" });
    expect(operations[0].id).toBe("math.count");
  });

  test("lists the sources where nothing is asked, and what one has", async () => {
    expect(await dataOf("search_operations", {})).toEqual({
      sources: [
        { source: "math", operations: 2 },
        { source: "text", operations: 1 },
      ],
    });
    const { operations } = await dataOf("search_operations", { source: "math" });
    expect(operations.map(({ id }: { id: string }) => id)).toEqual(["math.add", "math.count"]);
  });

  test("tells how many more there are", async () => {
    expect(await dataOf("search_operations", { source: "math", limit: 1 })).toMatchObject({ more: 1 });
  });

  test("says what to do where nothing was found", async () => {
    expect(await dataOf("search_operations", { query: "zzzzz" })).toMatchObject({ operations: [], sources: [{}, {}] });
    const { hint } = await dataOf("search_operations", { query: "add", source: "mth" });
    expect(hint).toContain("math");
  });

  test("shows to each caller what it may call", async () => {
    expect((await dataOf("search_operations", { query: "secret" })).operations).toEqual([]);
    const { operations } = await dataOf("search_operations", { query: "secret" }, { identity: ADA });
    expect(operations).toMatchObject([{ id: "vault.tell" }]);
  });

  test("follows what comes and goes", async () => {
    const registry = registryWith(ADD);
    const served = searchable(registry, { mode: "on" });
    const search = () => served.attempt("plico.search_operations", { query: "count" });
    expect(await search()).toMatchObject({ data: { operations: [] } });
    registry.register(COUNT);
    expect(await search()).toMatchObject({ data: { operations: [{ id: "math.count" }] } });
  });

  test.each([{ limit: 0 }, { limit: 51 }, { query: 5 }])("refuses %j", async (input) => {
    await expect(dataOf("search_operations", input)).rejects.toMatchObject({ category: "validation" });
  });
});

describe("describe_operation", () => {
  test("tells all that a caller has to know, and an example that works", async () => {
    const described = await dataOf("describe_operation", { id: "math.add" });
    expect(described).toMatchObject({ inputSchema: NUMBERS, errors: { OVERFLOW: { category: "execution" } } });
    expect(described).not.toHaveProperty("url");
    expect(await dataOf("call_operation", described.example)).toEqual(expect.any(Number));
  });

  test("shows an input that is no object as it is to be given", async () => {
    const described = await dataOf("describe_operation", { id: "text.shout" });
    expect(described.inputSchema).toMatchObject({ properties: { input: { type: "string" } }, required: ["input"] });
    expect(await dataOf("call_operation", { id: "text.shout", input: { input: "hey" } })).toBe("HEY");
  });

  test.each([
    ["math.ad", "math.add"],
    ["add", "math.add"],
    ["math_count", "math.count"],
  ])("takes %s for a slip", async (id, meant) => {
    const failure = dataOf("describe_operation", { id });
    await expect(failure).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND", nextTool: "search_operations" });
    await expect(failure).rejects.toThrow(meant);
  });

  test("does not know what is not for the caller", async () => {
    await expect(dataOf("describe_operation", { id: "vault.tell" })).rejects.toMatchObject({ category: "not_found" });
    expect(await dataOf("describe_operation", { id: "vault.tell" }, { identity: ADA })).toMatchObject({
      type: "query",
    });
  });
});

describe("call_operation", () => {
  const call = (input: unknown, options = {}) => found.attempt("plico.call_operation", input, options);

  test("gives what the operation gives", async () => {
    const direct = await all.attempt("math.add", { a: 1, b: 2 }, { requestId: "r" });
    const outcome = await call({ id: "math.add", input: { a: 1, b: 2 } }, { requestId: "r" });
    expect(outcome).toEqual({ ...direct, meta: { ...direct.meta, timestamp: expect.any(Number) } });
    expect(calledOperation(outcome)).toBe(ADD.spec);
  });

  test("fails as the operation fails", async () => {
    const direct = await all.attempt("math.add", { a: "x" });
    expect(direct).toMatchObject({ ok: false, error: { category: "validation", issues: [{ path: "/a" }] } });
    expect(await call({ id: "math.add", input: { a: "x" } })).toEqual(direct);
  });

  test("takes an input that was written as a text of JSON", async () => {
    expect(await call({ id: "math.add", input: '{"a":2}' })).toMatchObject({ data: 2 });
  });

  test.each([[undefined], [{}], [{ id: 5 }], [{ id: "math.add", input: "a=1" }], [{ id: "math.add", input: [1] }]])(
    "refuses %j",
    async (input) => {
      expect(await call(input)).toMatchObject({ ok: false, error: { category: "validation" } });
    },
  );

  test("asks who calls", async () => {
    expect(await call({ id: "vault.tell" })).toMatchObject({ error: { category: "authentication" } });
    expect(await call({ id: "vault.tell" }, { identity: ADA })).toMatchObject({ data: "told" });
  });

  test("names no operation that is not for the caller", async () => {
    const failure = dataOf("call_operation", { id: "vault.tel" });
    await expect(failure).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND" });
    await expect(failure).rejects.not.toThrow("vault.tell");
  });

  test("gives on what is refused for another reason than its name", async () => {
    const down = { ok: false, error: new CallError({ category: "unavailable", message: "down" }), meta: {} } as const;
    const served = searchable({ ...found, list: () => all.list(), attempt: async () => down }, { mode: "on" });
    expect(await served.attempt("plico.call_operation", { id: "far.away" })).toBe(down);
  });

  test("collects the values of a subscription, and tells each as progress", async () => {
    const reports: Progress[] = [];
    const onProgress = (progress: Progress): void => void reports.push(progress);
    expect(await call({ id: "math.count", input: { to: 3 } }, { onProgress })).toMatchObject({ data: [1, 2, 3] });
    expect(reports.map(({ progress }) => progress)).toEqual([1, 2, 3]);
  });

  test("carries progress, and the end of the call", async () => {
    const controller = new AbortController();
    const slow = operation((_input, { progress, signal }: HandlerContext) => {
      progress(1, 2);
      controller.abort();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const served = searchable(registryWith(slow), { mode: "on" });
    const reports: Progress[] = [];
    const outcome = await served.attempt(
      "plico.call_operation",
      { id: "test.run" },
      { signal: controller.signal, onProgress: (report) => reports.push(report) },
    );
    expect(outcome).toMatchObject({ ok: false, error: { category: "aborted" } });
    expect(reports).toEqual([{ progress: 1, total: 2 }]);
  });

  test("gives the state of a question back to the operation that asked, and to no other", async () => {
    const asks = (name: string): AnyOperation =>
      operation(
        (_input, { metadata }: HandlerContext) => {
          if (metadata?.["requestState"] !== undefined) return metadata["requestState"];
          throw new CallError({
            category: "execution",
            code: "INPUT_REQUIRED",
            message: "?",
            details: { requestState: "mine" },
          });
        },
        { name },
      );
    const served = searchable(registryWith(asks("one"), asks("other")), { mode: "on" });
    const ask = (name: string, metadata = {}) =>
      served.attempt("plico.call_operation", { id: `test.${name}` }, { metadata });
    const outcome = await ask("one");
    const { requestState } = (outcome as { error: { details: { requestState: string } } }).error.details;
    expect(await ask("one", { requestState })).toMatchObject({ ok: true, data: "mine" });
    expect(await ask("other", { requestState })).toMatchObject({ ok: false, error: { category: "validation" } });
  });

  test("is not taken for an operation of the same id that a gateway behind this one has", async () => {
    const behind = operation(() => "behind", { namespace: "plico", name: "call_operation" });
    const registry = registryWith(behind);
    expect(await searchable(registry).attempt("plico.call_operation", {})).toMatchObject({ data: "behind" });
    const served = searchable(registry, { mode: "on" });
    const input = { id: "plico.call_operation" };
    expect(await served.attempt("plico.call_operation", input)).toMatchObject({ data: "behind" });
  });
});
