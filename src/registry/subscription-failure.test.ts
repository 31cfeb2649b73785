import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { CallError } from "../envelope/call-error.js";
import { failureOf, operation, registryOf, thrownBy } from "./fixtures/operations.js";
import type { AnyHandler, OperationSpec } from "./operation.js";
import type { OperationMap } from "./operation-map.js";
import { OperationRegistry } from "./registry.js";

const DONE = { done: true, value: undefined };

function streamOf(handler: AnyHandler, over: Partial<OperationSpec> = {}): OperationRegistry<OperationMap> {
  return registryOf(handler, { type: "subscription", ...over });
}

describe("a subscription that fails", () => {
  test("maps what its handler throws, and is over then", async () => {
    const values = streamOf(
      async function* () {
        yield 1;
        throw new Error("EMPTY: nothing left");
      },
      { errorSchemas: { EMPTY: { category: "not_found" } } },
    ).subscribe("test.run");
    await values.next();
    expect(await failureOf(values.next())).toMatchObject({ code: "EMPTY", category: "not_found" });
    expect(await values.next()).toEqual(DONE);
  });

  test.each([
    [
      "before its first value",
      async function* () {
        yield* [];
        throw new Error("secret");
      },
    ],
    [
      "when it is opened",
      () => {
        throw new Error("secret");
      },
    ],
    ["when it is opened later", () => Promise.reject(new Error("secret"))],
    [
      "in the next of an iterator of its own",
      () => ({
        [Symbol.iterator]: () => ({
          next() {
            throw new Error("secret");
          },
        }),
      }),
    ],
    [
      "when it is asked for its iterator",
      () => ({
        [Symbol.asyncIterator]() {
          throw new Error("secret");
        },
      }),
    ],
  ])("%s does not tell the text", async (_, handler) => {
    const error = await failureOf(
      streamOf(handler as AnyHandler)
        .subscribe("test.run")
        .next(),
    );
    expect(error).toMatchObject({ code: "EXECUTION_ERROR" });
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  test("passes a CallError on as it is", async () => {
    const error = new CallError({ category: "rate_limit", message: "Slow down.", retryAfterMs: 5 });
    const values = streamOf(async function* () {
      yield* [];
      throw error;
    }).subscribe("test.run");
    expect(await failureOf(values.next())).toBe(error);
  });

  test.each([undefined, null, 5, "text", {}])(
    "because its handler returned %j, which is no iterable",
    async (result) => {
      expect(
        await failureOf(
          streamOf(() => result)
            .subscribe("test.run")
            .next(),
        ),
      ).toMatchObject({ category: "internal" });
    },
  );

  test("because of a value that its strict schema refuses, ends the handler", async () => {
    const events: string[] = [];
    const values = streamOf(
      async function* () {
        try {
          yield 1;
          yield "two";
          yield 3;
        } finally {
          events.push("finally");
        }
      },
      { outputSchema: { type: "integer" }, output: "strict" },
    ).subscribe("test.run");
    await values.next();
    expect(await failureOf(values.next())).toMatchObject({ code: "OUTPUT_MISMATCH", data: "two" });
    expect(events).toEqual(["finally"]);
    expect(await values.next()).toEqual(DONE);
  });

  test("rejects the first of several that wait, the others are done", async () => {
    const values = streamOf(async function* () {
      yield* [];
      throw new Error("no");
    }).subscribe("test.run");
    const [first, second] = await Promise.allSettled([values.next(), values.next()]);
    expect(first).toMatchObject({ status: "rejected" });
    expect(second).toMatchObject({ status: "fulfilled", value: DONE });
  });
});

describe("a subscription is refused", () => {
  test("by execute and attempt, which answer once", async () => {
    const handler = vi.fn();
    const registry = streamOf(handler);
    expect(await failureOf(registry.execute("test.run"))).toMatchObject({
      code: "IS_SUBSCRIPTION",
      category: "validation",
    });
    expect(await registry.attempt("test.run")).toMatchObject({ ok: false, error: { code: "IS_SUBSCRIPTION" } });
    expect(handler).not.toHaveBeenCalled();
  });

  test("at once for an id that is not known", () => {
    expect(thrownBy(() => streamOf(() => []).subscribe("test.rum"))).toMatchObject({
      code: "OPERATION_NOT_FOUND",
      nextTool: "test.run",
    });
  });

  test("with the first value for an input that is not valid", async () => {
    const handler = vi.fn();
    const inputSchema = { type: "object", properties: { id: { type: "integer" } } };
    const error = await failureOf(streamOf(handler, { inputSchema }).subscribe("test.run", { id: "x" }).next());
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", issues: [{ path: "/id" }] });
    expect(handler).not.toHaveBeenCalled();
  });

  test("for an input that is refused later", async () => {
    const inputSchema = z.string().refine(async () => false);
    const error = await failureOf(
      streamOf(() => [], { inputSchema })
        .subscribe("test.run", "a")
        .next(),
    );
    expect(error).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  test("for a caller without the scope", async () => {
    const registry = streamOf(() => [], { accessControl: { requiredScopes: ["read"] } });
    expect(await failureOf(registry.subscribe("test.run").next())).toMatchObject({ code: "ACCESS_DENIED" });
  });

  test("for an input that is too large", async () => {
    const registry = new OperationRegistry({ limits: { size: 10 } }).register(
      operation(() => [], { type: "subscription" }),
    );
    const error = await failureOf(registry.subscribe("test.run", "x".repeat(99)).next());
    expect(error).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });
});

test("an input that cannot be looked at, and a signal that is none, are the caller's mistakes", async () => {
  const registry = registryOf(() => [1], {
    type: "subscription",
    inputSchema: { properties: { a: { type: "string" } } },
  });
  const input = {
    get a(): string {
      throw new Error("secret");
    },
  };
  const unreadable = await failureOf(registry.subscribe("test.run", input).next());
  expect(unreadable).toMatchObject({ code: "VALIDATION_ERROR" });
  expect(JSON.stringify(unreadable)).not.toContain("secret");
  const unsignalled = registry.subscribe("test.run", {}, { signal: {} as AbortSignal });
  expect(await failureOf(unsignalled.next())).toMatchObject({ category: "validation" });
});
