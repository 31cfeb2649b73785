import { describe, expect, test, vi } from "vitest";
import { CallError } from "../envelope/call-error.js";
import { localEnvelope, unwrap } from "../envelope/response-envelope.js";
import { failureOf, operation, registryOf, settled } from "./fixtures/operations.js";
import type { AnyHandler, OperationSpec } from "./operation.js";
import type { OperationMap } from "./operation-map.js";
import type { Middleware } from "./pipeline.js";
import type { OperationRegistry } from "./registry.js";

function within(
  middleware: readonly Middleware[],
  handler: AnyHandler = (input) => input,
  over: Partial<OperationSpec> = {},
): OperationRegistry<OperationMap> {
  return registryOf(handler, over, { middleware });
}

describe("middleware", () => {
  test("runs around the handler, the first outermost", async () => {
    const events: string[] = [];
    const noting =
      (name: string): Middleware =>
      async (_, next) => {
        events.push(`${name} in`);
        const result = await next();
        events.push(`${name} out`);
        return result;
      };
    const registry = within([noting("a"), noting("b")], () => {
      events.push("handler");
      return 1;
    });
    expect(unwrap(await registry.execute("test.run"))).toBe(1);
    expect(events).toEqual(["a in", "b in", "handler", "b out", "a out"]);
  });

  test("gets the context of the call, which the handler gets too", async () => {
    const contexts: unknown[] = [];
    const registry = within(
      [
        (context, next) => {
          contexts.push(context);
          context.warn("from outside");
          return next();
        },
      ],
      (input, context) => {
        contexts.push(context);
        return input;
      },
    );
    const { meta } = await registry.execute("test.run", 5, { requestId: "r1" });
    expect(contexts[0]).toBe(contexts[1]);
    expect(contexts[0]).toMatchObject({ operationId: "test.run", requestId: "r1", input: 5 });
    expect(meta.warnings).toHaveLength(1);
  });

  test("may give the next another input", async () => {
    const registry = within([(_, next) => next(2), (context, next) => next([context.input])]);
    expect(unwrap(await registry.execute("test.run", 1))).toEqual([1]);
    const added: Middleware = async (_, next) => next({ ...((await next()) as object), added: true });
    expect(unwrap(await within([added]).execute("test.run", { a: 1 }))).toEqual({ a: 1, added: true });
  });

  test.each([null, 0, "", false])("may give the next the input %j", async (input) => {
    expect(unwrap(await within([(_, next) => next(input)]).execute("test.run", 1))).toBe(input);
  });

  test("that gives the next nothing leaves the input as the one before it made it", async () => {
    const registry = within([(_, next) => next(2), (_, next) => next()]);
    expect(unwrap(await registry.execute("test.run", 1))).toBe(2);
  });

  test("may change the result, which is then wrapped and normalised", async () => {
    const outputSchema = { type: "object", properties: { a: { type: "integer" } } };
    const registry = within([async (_, next) => ({ ...((await next()) as object), extra: 1 })], () => ({ a: 1 }), {
      outputSchema,
    });
    const { data, meta } = await registry.execute("test.run");
    expect(data).toEqual({ a: 1 });
    expect(meta.warnings).toMatchObject([{ code: "OUTPUT_STRIPPED", path: "/extra" }]);
  });

  test("gets what the handler returned, raw or an envelope", async () => {
    const seen: unknown[] = [];
    const envelope = localEnvelope(1, "test.run");
    const registry = within(
      [
        async (_, next) => {
          const result = await next();
          seen.push(result);
          return result;
        },
      ],
      (wrapped) => (wrapped ? envelope : 1),
    );
    await registry.execute("test.run", false);
    expect(await registry.execute("test.run", true)).toBe(envelope);
    expect(seen).toEqual([1, envelope]);
  });

  test("may answer itself, and the handler does not run", async () => {
    const handler = vi.fn();
    expect(unwrap(await within([() => "cached"], handler).execute("test.run"))).toBe("cached");
    expect(handler).not.toHaveBeenCalled();
  });

  test.each([
    [
      "at once",
      () => {
        throw new Error("secret");
      },
    ],
    ["later", () => Promise.reject(new Error("secret"))],
    [
      "after the handler",
      async (_: unknown, next: () => Promise<unknown>) => {
        await next();
        throw new Error("secret");
      },
    ],
  ])("that throws %s fails the call without telling the text", async (_, middleware) => {
    const error = await failureOf(within([middleware as Middleware]).execute("test.run"));
    expect(error).toMatchObject({ code: "EXECUTION_ERROR" });
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  test("may throw a CallError, or a code that the operation declares", async () => {
    const error = new CallError({ category: "rate_limit", message: "Slow down." });
    expect(
      await failureOf(
        within([
          () => {
            throw error;
          },
        ]).execute("test.run"),
      ),
    ).toBe(error);
    const registry = within(
      [
        () => {
          throw new Error("BUSY");
        },
      ],
      undefined,
      { errorSchemas: { BUSY: {} } },
    );
    expect(await failureOf(registry.execute("test.run"))).toMatchObject({ code: "BUSY" });
  });

  test("may catch what the handler throws, at once or later, as it was thrown", async () => {
    const own = new Error("mine");
    const caught: Middleware = (_, next) => next().catch((thrown: unknown) => [thrown]);
    const handlers = [
      () => {
        throw own;
      },
      () => Promise.reject(own),
    ];
    for (const handler of handlers) expect(unwrap(await within([caught], handler).execute("test.run"))).toEqual([own]);
  });

  test("may call next again, which runs the handler again", async () => {
    let runs = 0;
    const retry: Middleware = (_, next) => next().catch(() => next());
    const registry = within([retry], () => {
      runs++;
      if (runs === 1) throw new Error("flaky");
      return runs;
    });
    expect(unwrap(await registry.execute("test.run"))).toBe(2);
  });

  test("runs once for a subscription", async () => {
    const seen = vi.fn((_: unknown, next: () => Promise<unknown>) => next());
    const registry = within(
      [seen as Middleware],
      async function* () {
        yield 1;
        yield 2;
      },
      { type: "subscription" },
    );
    const found: unknown[] = [];
    for await (const { data } of registry.subscribe("test.run")) found.push(data);
    expect(found).toEqual([1, 2]);
    expect(seen).toHaveBeenCalledTimes(1);
  });

  test("does not run for a call that is refused", async () => {
    const seen = vi.fn();
    const registry = within([seen], undefined, { inputSchema: { type: "integer" } });
    await failureOf(registry.execute("test.run", "x"));
    await failureOf(registry.execute("test.none", "x"));
    expect(seen).not.toHaveBeenCalled();
  });

  test("runs for nested calls, each with its own context", async () => {
    const ids: string[] = [];
    const noting: Middleware = (context, next) => {
      ids.push(context.operationId);
      return next();
    };
    const registry = within([noting], (_, { env }) => env["test"]?.["inner"]?.()).register(
      operation(() => 1, { name: "inner" }),
    );
    await registry.execute("test.run");
    expect(ids).toEqual(["test.run", "test.inner"]);
  });

  test("that does not wait for next leaves no one with its failure", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    try {
      const registry = within(
        [
          (_, next) => {
            void next();
            return "early";
          },
        ],
        () => Promise.reject(new Error("late")),
      );
      expect(unwrap(await registry.execute("test.run"))).toBe("early");
      await settled();
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off("unhandledRejection", unhandled);
    }
  });
});

test("a handler does not run in a call that ended while middleware was in the way", async () => {
  const handler = vi.fn();
  let go = (): void => {};
  const wait = new Promise<void>((resolve) => {
    go = resolve;
  });
  const late: Middleware = async (_context, next) => {
    await wait;
    return next();
  };
  const controller = new AbortController();
  const registry = registryOf(handler, {}, { middleware: [late] });
  const call = failureOf(registry.execute("test.run", 1, { signal: controller.signal }));
  controller.abort();
  expect(await call).toMatchObject({ code: "ABORTED" });
  go();
  await wait;
  expect(handler).not.toHaveBeenCalled();
});
