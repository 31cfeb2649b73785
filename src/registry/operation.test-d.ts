import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import Type from "typebox";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { CallErrorData } from "../envelope/call-error.js";
import { localEnvelope, type ResponseEnvelope } from "../envelope/response-envelope.js";
import { client } from "./client.js";
import type { HandlerContext } from "./context.js";
import { buildEnv } from "./env.js";
import { defineOperation } from "./operation.js";
import { OperationRegistry } from "./registry.js";

declare const context: HandlerContext;

const rest = { version: "1.0.0", description: "" } as const;

const add = defineOperation({
  ...rest,
  namespace: "math",
  name: "add",
  type: "query",
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
  outputSchema: Type.Number(),
  errorSchemas: {
    OVERFLOW: { details: Type.Object({ limit: Type.Number() }) },
    UNLUCKY: {},
  },
  handler: ({ a, b }) => a + b,
});

const list = defineOperation({
  ...rest,
  namespace: "users",
  name: "list",
  type: "query",
  inputSchema: { type: "object", properties: { limit: { type: "integer" } } },
  outputSchema: {
    type: "array",
    items: { type: "object", properties: { id: { type: "integer" }, name: { type: "string" } }, required: ["id"] },
  },
  handler: ({ limit = 10 }) => [{ id: limit }],
});

const parse = defineOperation({
  ...rest,
  namespace: "text",
  name: "parse",
  type: "mutation",
  inputSchema: z.object({ text: z.string().transform(Number), size: z.int().default(5) }),
  outputSchema: z.object({ ok: z.boolean() }),
  handler: ({ text, size }) => ({ ok: text > size }),
});

const measure = defineOperation({
  ...rest,
  namespace: "text",
  name: "measure",
  type: "query",
  inputSchema: toStandardJsonSchema(v.object({ text: v.string() })),
  outputSchema: toStandardJsonSchema(v.object({ length: v.number() })),
  handler: async ({ text }) => ({ length: text.length }),
});

const judge = defineOperation({
  ...rest,
  namespace: "text",
  name: "judge",
  type: "query",
  inputSchema: type({ n: "string.numeric.parse" }),
  outputSchema: type({ kind: "'odd' | 'even'" }),
  handler: ({ n }): { kind: "odd" | "even" } => ({ kind: n % 2 === 0 ? "even" : "odd" }),
});

const watch = defineOperation({
  ...rest,
  namespace: "users",
  name: "watch",
  type: "subscription",
  inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  outputSchema: Type.String(),
  async *handler({ id }) {
    yield `${id}`;
  },
});

const registry = new OperationRegistry().registerAll([add, list, parse, measure, judge, watch]);

describe("registry.execute", () => {
  test("knows the output of each kind of schema", () => {
    expectTypeOf(registry.execute("math.add", { a: 1, b: 2 })).toEqualTypeOf<Promise<ResponseEnvelope<number>>>();
    expectTypeOf(registry.execute("users.list", {})).toEqualTypeOf<
      Promise<ResponseEnvelope<{ id: number; name?: string }[]>>
    >();
    expectTypeOf(registry.execute("text.parse", { text: "1" })).toEqualTypeOf<
      Promise<ResponseEnvelope<{ ok: boolean }>>
    >();
    expectTypeOf(registry.execute("text.measure", { text: "1" })).toEqualTypeOf<
      Promise<ResponseEnvelope<{ length: number }>>
    >();
    expectTypeOf(registry.execute("text.judge", { n: "1" })).toEqualTypeOf<
      Promise<ResponseEnvelope<{ kind: "odd" | "even" }>>
    >();
  });

  test("refuses an id that is not known", () => {
    // @ts-expect-error there is no such operation
    registry.execute("math.sub", { a: 1, b: 2 });
  });

  test("refuses a wrong input", () => {
    // @ts-expect-error b is a number
    registry.execute("math.add", { a: 1, b: "2" });
    // @ts-expect-error b is missing
    registry.execute("math.add", { a: 1 });
    // @ts-expect-error c is not known
    registry.execute("math.add", { a: 1, b: 2, c: 3 });
    // @ts-expect-error limit is a number
    registry.execute("users.list", { limit: "5" });
    // @ts-expect-error text is a text before it is parsed
    registry.execute("text.parse", { text: 1 });
    // @ts-expect-error text is a text
    registry.execute("text.measure", { text: 1 });
    // @ts-expect-error n is a text before it is parsed
    registry.execute("text.judge", { n: 1 });
  });

  test("refuses a missing input, and lets an optional one be left out", () => {
    // @ts-expect-error the input is missing
    registry.execute("math.add");
    // @ts-expect-error the input is missing
    registry.execute("text.measure");
    registry.execute("users.list");
    registry.execute("users.list", undefined, { deadline: 1 });
  });

  test("takes the options of a call and no others", () => {
    registry.execute("math.add", { a: 1, b: 2 }, { deadline: 1, signal: AbortSignal.abort(), requestId: "r" });
    // @ts-expect-error there is no such option
    registry.execute("math.add", { a: 1, b: 2 }, { timeout: 5 });
  });
});

describe("registry.attempt", () => {
  test("knows data, and the details of the errors that are declared", async () => {
    const outcome = await registry.attempt("math.add", { a: 1, b: 2 });
    if (outcome.ok) expectTypeOf(outcome.data).toEqualTypeOf<number>();
    else {
      expectTypeOf(outcome.error).toExtend<CallErrorData>();
      type Declared = Extract<typeof outcome.error, { code: "OVERFLOW" }>;
      expectTypeOf<Declared["details"]>().toEqualTypeOf<{ limit: number }>();
    }
  });

  test("narrows the details on the code", async () => {
    const outcome = await registry.attempt("math.add", { a: 1, b: 2 });
    if (!outcome.ok && outcome.error.code === "OVERFLOW") {
      expectTypeOf(outcome.error.details).toEqualTypeOf<{ limit: number }>();
    }
  });

  test("refuses what execute refuses", () => {
    // @ts-expect-error there is no such operation
    registry.attempt("math.sub");
    // @ts-expect-error b is missing
    registry.attempt("math.add", { a: 1 });
  });
});

describe("registry.subscribe", () => {
  test("knows the values", async () => {
    for await (const envelope of registry.subscribe("users.watch", { id: 1 })) {
      expectTypeOf(envelope).toEqualTypeOf<ResponseEnvelope<string>>();
    }
    for await (const { data } of registry.subscribe("math.add", { a: 1, b: 2 })) {
      expectTypeOf(data).toEqualTypeOf<number>();
    }
  });

  test("refuses a wrong input", () => {
    // @ts-expect-error id is a number
    registry.subscribe("users.watch", { id: "1" });
    // @ts-expect-error the input is missing
    registry.subscribe("users.watch");
  });
});

describe("an untyped registry", () => {
  test("takes any id and any input", () => {
    const untyped = new OperationRegistry();
    expectTypeOf(untyped.execute("any.thing")).resolves.toHaveProperty("data");
    untyped.execute("any.thing", { a: 1 }, { deadline: 1 });
    untyped.subscribe("any.thing", 5);
    untyped.getSpec("any.thing");
  });

  test("stays one when specs are registered", () => {
    const untyped = new OperationRegistry().registerSpec(add.spec);
    untyped.execute("math.add", { a: 1 });
  });
});

describe("register", () => {
  test("adds to what is known", () => {
    const both = new OperationRegistry().register(add).register(list);
    expectTypeOf(both.execute("math.add", { a: 1, b: 2 })).resolves.toEqualTypeOf<ResponseEnvelope<number>>();
    both.execute("users.list");
    // @ts-expect-error it is not registered
    both.execute("text.parse", { text: "" });
  });

  test("lets a typed registry stand where any is wanted", () => {
    expectTypeOf(registry).toExtend<OperationRegistry>();
  });
});

describe("buildEnv", () => {
  const env = buildEnv({ registry, context });

  test("knows the functions by namespace and name, and no subscription", () => {
    expectTypeOf(env.math.add({ a: 1, b: 2 })).toEqualTypeOf<Promise<ResponseEnvelope<number>>>();
    expectTypeOf(env.text.judge({ n: "1" })).resolves.toEqualTypeOf<ResponseEnvelope<{ kind: "odd" | "even" }>>();
    env.users.list();
    expectTypeOf<keyof typeof env.users>().toEqualTypeOf<"list">();
    expectTypeOf<keyof typeof env>().toEqualTypeOf<"math" | "users" | "text">();
  });

  test("refuses a wrong input, and options that are the parent's to say", () => {
    // @ts-expect-error b is missing
    env.math.add({ a: 1 });
    // @ts-expect-error a nested call has the identity of its parent
    env.math.add({ a: 1, b: 2 }, { identity: { id: "root", scopes: [] } });
    // @ts-expect-error there is no such operation
    env.math.sub;
  });
});

describe("client", () => {
  const made = client(registry);

  test("gives data, envelopes, outcomes and pages with their types", () => {
    expectTypeOf(made.math.add({ a: 1, b: 2 })).toEqualTypeOf<Promise<number>>();
    expectTypeOf(made.math.add.envelope({ a: 1, b: 2 })).toEqualTypeOf<Promise<ResponseEnvelope<number>>>();
    expectTypeOf(made.users.list.pages({}, { maxPages: 5 })).toEqualTypeOf<
      AsyncGenerator<ResponseEnvelope<{ id: number; name?: string }[]>, void, undefined>
    >();
    expectTypeOf(made.users.list()).resolves.toEqualTypeOf<{ id: number; name?: string }[]>();
  });

  test("knows the details of declared errors", async () => {
    const outcome = await made.math.add.attempt({ a: 1, b: 2 });
    if (!outcome.ok && outcome.error.code === "OVERFLOW") {
      expectTypeOf(outcome.error.details).toEqualTypeOf<{ limit: number }>();
    }
  });

  test("gives subscriptions as generators of data", () => {
    expectTypeOf(made.users.watch({ id: 1 })).toEqualTypeOf<AsyncGenerator<string, void, undefined>>();
    // @ts-expect-error a subscription has no pages
    made.users.watch.pages;
  });

  test("refuses wrong names and inputs", () => {
    // @ts-expect-error there is no such namespace
    made.maths;
    // @ts-expect-error the input is missing
    made.math.add();
    // @ts-expect-error b is a number
    made.math.add.attempt({ a: 1, b: "2" });
  });
});

describe("defineOperation", () => {
  const spec = { ...rest, namespace: "a", name: "b", inputSchema: Type.Object({ n: Type.Number() }) } as const;

  test("has the id as a literal", () => {
    expectTypeOf(add.id).toEqualTypeOf<"math.add">();
    expectTypeOf(add.spec.type).toEqualTypeOf<"query">();
  });

  test("infers what the handler takes: of a Standard Schema what it makes of the input", () => {
    defineOperation({
      ...spec,
      type: "query",
      inputSchema: z.object({ n: z.string().transform(Number), size: z.int().default(5) }),
      outputSchema: true,
      handler: (input, given) => {
        expectTypeOf(input).toEqualTypeOf<{ n: number; size: number }>();
        expectTypeOf(given).toEqualTypeOf<HandlerContext>();
      },
    });
  });

  test("lets a handler return data or an envelope, at once or later", () => {
    const outputSchema = Type.Number();
    defineOperation({ ...spec, type: "query", outputSchema, handler: () => 1 });
    defineOperation({ ...spec, type: "query", outputSchema, handler: async () => 1 });
    defineOperation({ ...spec, type: "query", outputSchema, handler: () => localEnvelope(1, "a.b") });
    defineOperation({ ...spec, type: "query", outputSchema, handler: async () => localEnvelope(1, "a.b") });
    defineOperation({ ...spec, type: "query", outputSchema: Type.Void(), handler: () => {} });
    defineOperation({ ...spec, type: "query", outputSchema: {}, handler: () => {} });
  });

  test("lets a handler return literals and tuples as its output schema has them, without as const", () => {
    const kinds = z.object({ kind: z.enum(["odd", "even"]) });
    defineOperation({
      ...spec,
      type: "query",
      outputSchema: kinds,
      handler: ({ n }) => ({ kind: n > 1 ? "odd" : "even" }),
    });
    defineOperation({ ...spec, type: "query", outputSchema: kinds, handler: async () => ({ kind: "odd" }) });
    const pair = Type.Tuple([Type.String(), Type.Number()]);
    defineOperation({ ...spec, type: "query", outputSchema: pair, handler: async ({ n }) => ["a", n] });
  });

  test("refuses a handler that returns something else", () => {
    const outputSchema = Type.Number();
    // @ts-expect-error a number is wanted
    defineOperation({ ...spec, type: "query", outputSchema, handler: () => "1" });
    // @ts-expect-error a number is wanted
    defineOperation({ ...spec, type: "query", outputSchema, handler: async () => localEnvelope("1", "a.b") });
    // @ts-expect-error an iterable is wanted
    defineOperation({ ...spec, type: "subscription", outputSchema, handler: () => 1 });
  });

  test("lets a subscription be any iterable of its values", () => {
    const outputSchema = Type.Number();
    defineOperation({ ...spec, type: "subscription", outputSchema, handler: () => [1, 2] });
    defineOperation({
      ...spec,
      type: "subscription",
      outputSchema,
      async *handler() {
        yield 1;
        yield localEnvelope(2, "a.b");
      },
    });
  });

  test("refuses a type that there is none of", () => {
    // @ts-expect-error there is no such type
    defineOperation({ ...spec, type: "event", outputSchema: true, handler: () => 1 });
    // @ts-expect-error there is no such policy
    defineOperation({ ...spec, type: "query", output: "loose", outputSchema: true, handler: () => 1 });
  });
});
