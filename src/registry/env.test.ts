import { describe, expect, test, vi } from "vitest";
import { isResponseEnvelope, unwrap } from "../envelope/response-envelope.js";
import type { HandlerContext } from "./context.js";
import { buildEnv, type OperationEnv } from "./env.js";
import { failureOf, operation, thrownBy } from "./fixtures/operations.js";
import type { OperationMap } from "./operation-map.js";
import { OperationRegistry } from "./registry.js";

function makeRegistry(): OperationRegistry<OperationMap> {
  return new OperationRegistry().registerAll([
    operation((input, context) => ({ input, ...told(context) }), { namespace: "a", name: "echo" }),
    operation((input) => input * 2, { namespace: "b", name: "double" }),
    operation(() => [1], { namespace: "b", name: "watch", type: "subscription" }),
    operation(() => [1], { namespace: "c", name: "watch", type: "subscription" }),
    operation(() => "listed", { namespace: "d", name: "users.list" }),
    operation((run, context) => run(context), { name: "run" }),
  ]);
}

function told({ requestId, parentRequestId, deadline, identity, metadata }: HandlerContext): object {
  return { requestId, parentRequestId, deadline, identity, metadata };
}

type CallOptions = Parameters<OperationRegistry["execute"]>[2];

/** What a handler does with its context. */
async function inHandler(
  run: (context: HandlerContext, registry: OperationRegistry<OperationMap>) => unknown,
  options?: CallOptions,
): Promise<unknown> {
  const registry = makeRegistry();
  return unwrap(await registry.execute("test.run", (context: HandlerContext) => run(context, registry), options));
}

function envOf(options: Omit<Parameters<typeof buildEnv>[0], never>): OperationEnv {
  return buildEnv(options) as unknown as OperationEnv;
}

describe("buildEnv", () => {
  test("gives functions by namespace and name, each of which returns an envelope", async () => {
    const answer = await inHandler((context, registry) =>
      envOf({ registry, context })
        ["b"]?.["double"]?.(4)
        .then((e) => [e]),
    );
    const [envelope] = answer as unknown[];
    expect(isResponseEnvelope(envelope)).toBe(true);
    expect(envelope).toMatchObject({ data: 8, meta: { source: "local", operationId: "b.double" } });
  });

  test("leaves subscriptions out", async () => {
    const keys = await inHandler((context, registry) => {
      const env = envOf({ registry, context });
      return Object.keys(env).map((namespace) => [namespace, Object.keys(env[namespace] ?? {})]);
    });
    expect(Object.fromEntries(keys as [string, string[]][])).toMatchObject({
      a: ["echo"],
      b: ["double"],
      d: ["users.list"],
      test: ["run"],
    });
    expect((keys as [string, string[]][]).flatMap(([, names]) => names)).not.toContain("watch");
  });

  test("gives the allowed namespaces only", async () => {
    const keys = (allowedNamespaces?: string[]) =>
      inHandler((context, registry) =>
        Object.keys(envOf({ registry, context, ...(allowedNamespaces && { allowedNamespaces }) })),
      );
    expect(await keys(["a", "none"])).toEqual(["a"]);
    expect(await keys([])).toEqual([]);
    expect(await keys()).toContain("b");
  });

  test("keeps what is not allowed out of reach", async () => {
    const found = await inHandler((context, registry) => {
      const env = envOf({ registry, context, allowedNamespaces: ["a"] });
      return [env["b"], Reflect.get(env, "test"), "d" in env];
    });
    expect(found).toEqual([undefined, undefined, false]);
  });

  test("gives functions that may be taken out", async () => {
    const double = await inHandler(async (context, registry) => {
      const { b } = envOf({ registry, context });
      const { double } = b ?? {};
      return (await double?.(4))?.data;
    });
    expect(double).toBe(8);
  });

  test("gives functions of names with dots", async () => {
    expect(await inHandler(async ({ env }) => (await env["d"]?.["users.list"]?.())?.data)).toBe("listed");
  });

  test("rejects as execute does", async () => {
    const code = await inHandler((context, registry) =>
      failureOf(envOf({ registry, context })["b"]?.["double"]?.(Symbol("x")) as Promise<unknown>).then((e) => e.code),
    );
    expect(code).toBe("EXECUTION_ERROR");
  });

  test("takes a registry of this copy of Plico only", () => {
    expect(thrownBy(() => buildEnv({ registry: {} as never, context: {} as never }))).toBeInstanceOf(TypeError);
  });
});

describe.each([
  ["buildEnv", (context: HandlerContext, registry: OperationRegistry<OperationMap>) => envOf({ registry, context })],
  ["context.env", (context: HandlerContext) => context.env],
])("a nested call by %s", (_, envFor) => {
  const nested = async (options?: CallOptions, own?: CallOptions): Promise<Record<string, unknown>> =>
    (await inHandler(
      async (context, registry) => (await envFor(context, registry)["a"]?.["echo"]?.("in", own))?.data,
      options,
    )) as Record<string, unknown>;

  test("knows its parent and has an id of its own", async () => {
    const { parentRequestId, requestId } = await nested({ requestId: "r1" });
    expect(parentRequestId).toBe("r1");
    expect(requestId).toMatch(/^req_/);
  });

  test("knows its parent also where that was not given an id", async () => {
    const seen = await inHandler(async (context, registry) => [
      context.requestId,
      (await envFor(context, registry)["a"]?.["echo"]?.())?.data.parentRequestId,
    ]);
    const [own, parent] = seen as unknown[];
    expect(parent).toBe(own);
  });

  test("has the deadline of its parent, unless its own is earlier", async () => {
    const now = Date.now();
    const [early, late] = [now + 50_000, now + 90_000];
    expect(await nested()).toMatchObject({ deadline: undefined });
    expect(await nested({ deadline: early })).toMatchObject({ deadline: early });
    expect(await nested({ deadline: early }, { deadline: late })).toMatchObject({ deadline: early });
    expect(await nested({ deadline: late }, { deadline: early })).toMatchObject({ deadline: early });
    expect(await nested({}, { deadline: late })).toMatchObject({ deadline: late });
  });

  test("has metadata of its own and the identity of its parent", async () => {
    const identity = { id: "ada", scopes: [] };
    expect(await nested({ identity, metadata: { a: 1 } }, { metadata: { b: 2 } })).toMatchObject({
      identity,
      metadata: { b: 2 },
    });
    expect(await nested({ metadata: { a: 1 } })).toMatchObject({ metadata: undefined });
  });

  test("ends by a signal of its own as well", async () => {
    const codes = await inHandler(async (context, registry) => {
      const error = await failureOf(
        envFor(context, registry)["a"]?.["echo"]?.(1, { signal: AbortSignal.abort() }) as Promise<unknown>,
      );
      return [error.code, context.signal.aborted];
    });
    expect(codes).toEqual(["ABORTED", false]);
  });

  test("reports its progress to who asks it", async () => {
    const registry = new OperationRegistry().registerAll([
      operation((_, context) => context.progress(1), { name: "inner" }),
      operation((_, context) => envFor(context, registry)["test"]?.["inner"]?.(1, { onProgress: inner })),
    ]) as OperationRegistry<OperationMap>;
    const [inner, outer] = [vi.fn(), vi.fn()];
    await registry.execute("test.run", 1, { onProgress: outer });
    expect(inner).toHaveBeenCalledWith({ progress: 1 });
    expect(outer).not.toHaveBeenCalled();
  });
});

describe("context.env", () => {
  test("is the same object each time it is looked at", async () => {
    const seen = await inHandler((context) => {
      const { env } = context;
      return [env === context.env, env["a"] === context.env["a"]];
    });
    expect(seen).toEqual([true, true]);
  });

  test("knows what was registered before it is looked at", async () => {
    const registry = new OperationRegistry().register(operation((_, { env }) => Object.keys(env)));
    expect(unwrap(await registry.execute("test.run"))).toEqual(["test"]);
    registry.register(operation(() => 1, { namespace: "late" }));
    expect(unwrap(await registry.execute("test.run"))).toEqual(["test", "late"]);
  });
});
