import { afterEach, describe, expect, test, vi } from "vitest";
import { CallError, isCallError } from "../envelope/call-error.js";
import { httpEnvelope, isResponseEnvelope, localEnvelope, mcpEnvelope, unwrap } from "../envelope/response-envelope.js";
import { failureOf, operation, registryOf, settled, thrownBy } from "./fixtures/operations.js";
import { OperationRegistry } from "./registry.js";

const POINT = {
  type: "object",
  properties: { x: { type: "integer" }, y: { type: "integer" }, label: { type: "string" } },
  required: ["x", "y"],
};

afterEach(() => {
  vi.useRealTimers();
});

describe("the flow of execute", () => {
  test("1. looks up spec and handler: an unknown id is OPERATION_NOT_FOUND", async () => {
    const error = await failureOf(registryOf(() => 1).execute("test.rum"));
    expect(error).toMatchObject({ code: "OPERATION_NOT_FOUND", category: "not_found", nextTool: "test.run" });
  });

  test("1. looks up spec and handler: a spec without a handler is UNAVAILABLE", async () => {
    const registry = new OperationRegistry().registerSpec(operation(() => 1).spec);
    const error = await failureOf(registry.execute("test.run"));
    expect(error).toMatchObject({ code: "UNAVAILABLE", category: "unavailable" });
  });

  test("2. validates the input: VALIDATION_ERROR with one issue a field, and the handler does not run", async () => {
    const handler = vi.fn();
    const error = await failureOf(
      registryOf(handler, { inputSchema: POINT }).execute("test.run", { x: "1", label: 2 }),
    );
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", category: "validation", recoverable: true });
    expect(error.issues?.map(({ path }) => path).sort()).toEqual(["/label", "/x", "/y"]);
    expect(handler).not.toHaveBeenCalled();
  });

  test("3. awaits the result of the handler, which gets the input as it was given", async () => {
    const input = { x: 1, y: 2, extra: true };
    const handler = vi.fn(async ({ x, y }: { x: number; y: number }) => x + y);
    expect(unwrap(await registryOf(handler, { inputSchema: POINT }).execute("test.run", input))).toBe(3);
    expect(handler.mock.calls[0]?.[0]).toBe(input);
  });

  test.each([
    ["local", localEnvelope({ x: 1 }, "other.op")],
    ["http", httpEnvelope([1], { statusCode: 200, headers: {}, contentType: "application/json" })],
    ["mcp", mcpEnvelope({ x: 1 }, { isError: false, content: [] })],
  ])("4. passes a %s envelope through by identity and does not ask whose it is", async (_, envelope) => {
    const copy = structuredClone(envelope);
    expect(await registryOf(() => envelope).execute("test.run")).toBe(envelope);
    expect(await registryOf(async () => envelope).execute("test.run")).toBe(envelope);
    expect(envelope).toEqual(copy);
  });

  test("5. wraps any other result in a local envelope with the operation's id and the time", async () => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
    expect(await registryOf(() => ({ x: 1 })).execute("test.run")).toEqual({
      data: { x: 1 },
      meta: { source: "local", operationId: "test.run", timestamp: 1_700_000_000_000 },
    });
  });

  test("5. takes the time when it wraps, not when the call began", async () => {
    vi.useFakeTimers({ now: 1000 });
    const registry = registryOf(() => new Promise((resolve) => setTimeout(resolve, 500)));
    const [{ meta }] = await Promise.all([registry.execute("test.run"), vi.advanceTimersByTimeAsync(500)]);
    expect(meta).toMatchObject({ timestamp: 1500 });
  });

  test("6. validates envelope.data against outputSchema and only warns, never throws", async () => {
    const registry = registryOf(() => ({ x: "many" }), { outputSchema: POINT });
    const { data, meta } = await registry.execute("test.run");
    expect(data).toEqual({ x: "many" });
    expect(meta.warnings?.map(({ code, path }) => [code, path])).toEqual([
      ["OUTPUT_MISMATCH", "/y"],
      ["OUTPUT_MISMATCH", "/x"],
    ]);
  });

  test("6. validates envelope.data and not the envelope: outputSchema is about business data", async () => {
    const envelope = localEnvelope({ x: 1, y: 2 }, "test.run");
    const { meta } = await registryOf(() => envelope, { outputSchema: POINT }).execute("test.run");
    expect(meta.warnings).toBeUndefined();
  });

  test("7. returns the envelope, which isResponseEnvelope tells, also after JSON", async () => {
    const envelope = await registryOf(() => [1]).execute("test.run");
    expect(isResponseEnvelope(envelope)).toBe(true);
    expect(isResponseEnvelope(JSON.parse(JSON.stringify(envelope)))).toBe(true);
  });
});

test("unwrap is the simple path for who needs no metadata", async () => {
  expect(unwrap(await registryOf(() => ({ x: 1 })).execute("test.run"))).toEqual({ x: 1 });
});

describe("isResponseEnvelope is the sole detection mechanism", () => {
  test.each([
    ["data without meta", { data: 1 }],
    ["an unknown source", { data: 1, meta: { source: "ftp" } }],
    ["a known source without its fields", { data: 1, meta: { source: "http" } }],
    ["meta without data", { meta: { source: "local", operationId: "a.b", timestamp: 1 } }],
  ])("%s is data like any other", async (_, result) => {
    const { data, meta } = await registryOf(() => result).execute("test.run");
    expect(data).toBe(result);
    expect(meta).toMatchObject({ source: "local", operationId: "test.run" });
  });

  test("an envelope within data stays where it is", async () => {
    const inner = localEnvelope(1, "a.b");
    expect(unwrap(await registryOf(() => [inner]).execute("test.run"))).toEqual([inner]);
  });
});

describe("local handlers have no envelope overhead: they return raw values", () => {
  test.each([
    ["undefined", undefined],
    ["null", null],
    ["0", 0],
    ["the empty text", ""],
    ["false", false],
    ["NaN", Number.NaN],
    ["an empty list", []],
  ])("%s stays what it is", async (_, value) => {
    for (const registry of [registryOf(() => value), registryOf(async () => value)]) {
      const envelope = await registry.execute("test.run");
      expect(envelope).toHaveProperty("data");
      expect(envelope.data).toBe(value);
      expect(await registry.attempt("test.run")).toMatchObject({ ok: true, data: value });
    }
  });

  test("data that needs no change is the same object", async () => {
    const data = { x: 1, y: 2 };
    expect(unwrap(await registryOf(() => data, { outputSchema: POINT }).execute("test.run"))).toBe(data);
  });
});

describe("the order of the checks", () => {
  const accessControl = { requiredScopes: ["use"] };
  const identity = { id: "ada", scopes: ["use"] };
  const past = { deadline: Date.now() - 1 };

  test("a missing handler comes before access", async () => {
    const registry = new OperationRegistry().registerSpec(operation(() => 1, { accessControl }).spec);
    expect(await failureOf(registry.execute("test.run"))).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("access comes before the input, so that a stranger learns nothing of the schema", async () => {
    const registry = registryOf(() => 1, { accessControl, inputSchema: POINT });
    const error = await failureOf(registry.execute("test.run", {}));
    expect(error).toMatchObject({ code: "ACCESS_DENIED" });
    expect(error.issues).toBeUndefined();
  });

  test("the input comes before the deadline and the signal", async () => {
    const registry = registryOf(() => 1, { accessControl, inputSchema: POINT });
    const options = { ...past, identity, signal: AbortSignal.abort() };
    expect(await failureOf(registry.execute("test.run", {}, options))).toMatchObject({ code: "VALIDATION_ERROR" });
    expect(await failureOf(registry.execute("test.run", { x: 1, y: 1 }, options))).toMatchObject({ code: "ABORTED" });
  });

  test("the deadline comes before the middleware", async () => {
    const middleware = vi.fn();
    const registry = registryOf(() => 1, {}, { middleware: [middleware] });
    expect(await failureOf(registry.execute("test.run", 1, past))).toMatchObject({ code: "TIMEOUT" });
    expect(middleware).not.toHaveBeenCalled();
  });
});

describe("what a handler may return and throw", () => {
  test("a thenable is awaited, also one whose then gives nothing back", async () => {
    const thenable = {
      // biome-ignore lint/suspicious/noThenProperty: it is one
      then: (resolve: (value: unknown) => void) => resolve(5),
    };
    const answer = registryOf(() => thenable).execute("test.run");
    expect(answer).toBeInstanceOf(Promise);
    expect(unwrap(await answer)).toBe(5);
  });

  test("a thenable that rejects is a failure", async () => {
    const thenable = {
      // biome-ignore lint/suspicious/noThenProperty: it is one
      then: (_: unknown, reject: (reason: unknown) => void) => reject(new Error("no")),
    };
    expect(await failureOf(registryOf(() => thenable).execute("test.run"))).toMatchObject({ code: "EXECUTION_ERROR" });
  });

  test("what a sync handler throws rejects and is not thrown at the caller", async () => {
    const registry = registryOf(() => {
      throw new Error("no");
    });
    expect(thrownBy(() => registry.execute("test.run").catch(() => {}))).toBeUndefined();
    expect(await failureOf(registry.execute("test.run"))).toMatchObject({ code: "EXECUTION_ERROR" });
  });

  test.each([
    [
      "at once",
      () => ({
        get x() {
          throw new Error("secret");
        },
      }),
    ],
    [
      "later",
      async () => ({
        get x() {
          throw new Error("secret");
        },
      }),
    ],
  ])("data that cannot be looked at is passed on with a warning when it comes %s", async (_, handler) => {
    const { meta } = await registryOf(handler, { outputSchema: POINT }).execute("test.run");
    expect(meta.warnings).toMatchObject([{ code: "OUTPUT_MISMATCH" }]);
    expect(JSON.stringify(meta)).not.toContain("secret");
  });

  test("a CallError is thrown as it is", async () => {
    const error = new CallError({ category: "conflict", code: "TAKEN", message: "Taken." });
    const registry = registryOf(() => Promise.reject(error));
    expect(await failureOf(registry.execute("test.run"))).toBe(error);
  });
});

describe("attempt", () => {
  test("gives the data and the meta of the envelope", async () => {
    const envelope = localEnvelope(5, "test.run");
    expect(await registryOf(() => envelope).attempt("test.run")).toEqual({ ok: true, ...envelope });
  });

  test.each([
    ["an unknown operation", "test.none", "OPERATION_NOT_FOUND"],
    ["a bad input", "test.run", "VALIDATION_ERROR"],
  ])("%s is an outcome", async (_, id, code) => {
    const outcome = await registryOf(() => 1, { inputSchema: POINT }).attempt(id, {}, { requestId: "r1" });
    expect(outcome).toMatchObject({ ok: false, error: { code }, meta: { requestId: "r1" } });
  });

  test("a throwing handler is an outcome whose error is a CallError", async () => {
    const outcome = await registryOf(() => Promise.reject("no")).attempt("test.run");
    expect(!outcome.ok && isCallError(outcome.error)).toBe(true);
    expect(outcome.meta).toEqual({});
  });

  test("an isError envelope is no exception to execute and a failure to attempt", async () => {
    const content = [{ type: "text" as const, text: "The disk is full." }];
    const envelope = mcpEnvelope(content, { isError: true, content });
    const registry = registryOf(() => envelope);
    expect(await registry.execute("test.run")).toBe(envelope);
    expect(await registry.attempt("test.run")).toMatchObject({
      ok: false,
      error: { code: "TOOL_ERROR", category: "execution", data: content },
      meta: { source: "mcp", isError: true },
    });
  });
});

describe("two calls at the same time", () => {
  test("share nothing about the call", async () => {
    const gates: (() => void)[] = [];
    const registry = registryOf(async (input, context) => {
      context.warn(`of ${input}`);
      context.summary(`${input}`);
      await new Promise<void>((resolve) => gates.push(resolve));
      return [input, context.requestId, context.identity?.id, context.metadata];
    });
    const calls = ["a", "b"].map((name) =>
      registry.execute("test.run", name, { requestId: name, identity: { id: name, scopes: [] }, metadata: { name } }),
    );
    await settled();
    for (const open of gates.reverse()) open();
    const answers = await Promise.all(calls);
    for (const [at, name] of ["a", "b"].entries()) {
      expect(answers[at]?.data).toEqual([name, name, name, { name }]);
      expect(answers[at]?.meta).toMatchObject({
        requestId: name,
        summary: name,
        warnings: [{ message: `of ${name}` }],
      });
      expect(answers[at]?.meta.warnings).toHaveLength(1);
    }
  });

  test("do not learn each other's request id from an envelope that the handler keeps", async () => {
    const kept = localEnvelope(1, "test.run");
    const registry = registryOf(() => kept);
    const first = await registry.execute("test.run", 1, { requestId: "first" });
    expect(first).toBe(kept);
    expect(first.meta.requestId).toBeUndefined();
    expect((await registry.execute("test.run", 1, { requestId: "second" })).meta.requestId).toBeUndefined();
  });
});

test("attempt keeps what the handler said before it failed", async () => {
  const registry = registryOf((_, context) => {
    context.warn("The journal was skipped.");
    throw new Error("no");
  });
  const outcome = await registry.attempt("test.run", 1, { requestId: "7" });
  expect(outcome.meta).toMatchObject({ requestId: "7", warnings: [{ message: "The journal was skipped." }] });
});
