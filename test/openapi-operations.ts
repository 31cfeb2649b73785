import Type from "typebox";
import * as z from "zod";
import { CallError } from "../src/envelope/call-error.js";
import { defineOperation } from "../src/registry/operation.js";
import type { AnyOperation } from "../src/registry/operation-map.js";
import { OperationRegistry } from "../src/registry/registry.js";

const about = { version: "1.2.3", type: "query", description: "For tests." } as const;

const add = defineOperation({
  ...about,
  namespace: "math",
  name: "add",
  title: "Add",
  tags: ["sums"],
  annotations: { readOnly: true, idempotent: true },
  inputSchema: {
    type: "object",
    properties: { a: { type: "number", examples: [2] }, b: { type: "number" } },
    required: ["a", "b"],
    additionalProperties: false,
  },
  outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
  handler: ({ a, b }) => ({ sum: a + b }),
});

const double = defineOperation({
  ...about,
  namespace: "math",
  name: "double",
  inputSchema: Type.Object({ value: Type.Number() }),
  outputSchema: Type.Number(),
  handler: ({ value }) => value * 2,
});

const User = z.object({ id: z.string(), name: z.string().min(2), age: z.int().min(0).optional() });

const getUser = defineOperation({
  ...about,
  namespace: "users",
  name: "get",
  http: { method: "GET", path: "/users/{id}" },
  inputSchema: z.object({
    id: z.string().describe("Whose"),
    fields: z.array(z.string()).optional(),
    limit: z.int().optional(),
    filter: z.object({ from: z.string() }).optional(),
  }),
  outputSchema: z.object({ user: User, asked: z.unknown() }),
  errorSchemas: {
    USER_NOT_FOUND: { description: "There is no such user.", details: z.object({ id: z.string() }) },
    USER_LOCKED: { category: "conflict" },
    BAD_ID: { category: "validation", description: "The id is not one." },
  },
  handler: ({ id, ...asked }) => {
    if (id === "nobody")
      throw new CallError({ category: "not_found", code: "USER_NOT_FOUND", message: "None.", details: { id } });
    return { user: { id, name: "Ada" }, asked };
  },
});

const putUser = defineOperation({
  ...about,
  type: "mutation",
  namespace: "users",
  name: "put",
  http: { method: "PUT", path: "/users/{userId}" },
  accessControl: { requiredScopes: ["users:write"] },
  inputSchema: z.object({ userId: z.string(), name: z.string(), friends: z.array(z.string()).default([]) }),
  outputSchema: User,
  handler: ({ userId, name }) => ({ id: userId, name }),
});

const removeUser = defineOperation({
  ...about,
  type: "mutation",
  namespace: "users",
  name: "remove",
  annotations: { destructive: true },
  http: { method: "DELETE", path: "/users/{user}" },
  _meta: { deprecated: true, big: 1n, like: { $ref: "./other.yaml" } },
  inputSchema: { type: "object", properties: { user: { type: "string" } }, required: ["user"] },
  outputSchema: { type: "null" },
  handler: () => null,
});

const otherRemove = defineOperation({
  ...about,
  type: "mutation",
  namespace: "users",
  name: "remove-again",
  http: { method: "DELETE", path: "/users/{it}" },
  inputSchema: { type: "object", properties: { it: { type: "string" } } },
  outputSchema: true,
  handler: () => "done",
});

const ticks = defineOperation({
  ...about,
  type: "subscription",
  namespace: "clock",
  name: "ticks",
  http: { method: "GET", path: "/ticks" },
  inputSchema: { type: "object", properties: { count: { type: "integer", minimum: 1 } } },
  outputSchema: { type: "integer" },
  *handler({ count = 1 }) {
    for (let at = 0; at < count; at++) yield at;
  },
});

const Tree = Type.Cyclic(
  { Tree: Type.Object({ name: Type.String(), children: Type.Array(Type.Ref("Tree")) }) },
  "Tree",
);
const Person = z.object({
  name: z.string(),
  get friends() {
    return z.array(Person);
  },
});

/** Schemas of all kinds, each as the input and the output of an operation that gives back what it gets. */
const SCHEMAS: Readonly<Record<string, object | boolean>> = {
  anything: true,
  nothing: { type: "null" },
  "a/b.c": { type: "string", format: "email" },
  "up/../down": { type: "object", properties: {} },
  "a.b/c": { type: "array", items: { type: "string" } },
  tree: Tree,
  holder: Type.Object({ tree: Tree, other: Type.Optional(Tree) }),
  person: Person,
  people: z.object({ first: Person.meta({ id: "Person" }), others: z.array(Person) }),
  linked: { $ref: "#/$defs/node", $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } } },
  self: { type: "object", properties: { next: { $ref: "#" }, parts: { $ref: "#/properties/next" } } },
  anchored: {
    $id: "https://x.test/root",
    properties: { a: { $ref: "#a" } },
    $defs: { a: { $anchor: "a", type: "string" } },
  },
  identified: {
    type: "object",
    properties: { a: { $ref: "https://x.test/b" } },
    $defs: { b: { $id: "https://x.test/b", type: "string" } },
  },
  dynamic: { $dynamicAnchor: "node", type: "object", properties: { next: { $dynamicRef: "#node" } } },
  union: { oneOf: [{ type: "object", properties: { kind: { const: "a" } } }, { type: "string" }] },
  discriminated: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("circle"), radius: z.number() }),
    z.object({ kind: z.literal("square"), side: z.number() }),
  ]),
  tuple: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
  old: { $schema: "http://json-schema.org/draft-04/schema#", type: "number", minimum: 1, exclusiveMinimum: true },
  nullable: { type: "object", properties: { a: { type: "string", nullable: true } } },
  broken: { type: "object", properties: { a: { $ref: "#/none" }, b: { type: "text" }, c: { pattern: "(?i)a" } } },
  strange: {
    type: "object",
    title: 5,
    frobnicate: true,
    discriminator: "kind",
    xml: "x",
    externalDocs: 1,
    "x-mine": { deep: [1] },
    "x-theirs": { $ref: "./file.yaml" },
    properties: {
      $ref: { type: "string" },
      never: false,
      any: true,
      data: { enum: [1, { $ref: "data" }] },
      big: { type: "integer", default: 10n },
      "a b/c~d": { type: "string", deprecated: "yes", examples: "none" },
    },
    patternProperties: { "^x-": { not: true } },
    dependentRequired: { any: ["data"] },
    required: ["any"],
  },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  conditional: { type: "object", if: { required: ["a"] }, then: { required: ["b"] }, else: false },
  composed: {
    allOf: [{ $ref: "#/$defs/a" }, { properties: { b: { type: "integer" } } }],
    $defs: { a: { type: "object", required: ["a"], properties: { a: { const: "x" } } } },
  },
  dated: z.object({ at: z.date(), when: z.iso.datetime() }),
};

const ofSchemas = Object.entries(SCHEMAS).map(
  ([name, schema]): AnyOperation => ({
    id: `kinds.${name}`,
    spec: { ...about, namespace: "kinds", name, inputSchema: schema, outputSchema: schema, output: "check" },
    handler: (input: unknown) => input,
  }),
);

const onRoutes = Object.entries(SCHEMAS).flatMap(([name, schema], at) =>
  (["GET", "POST"] as const).map((method): AnyOperation => {
    const http = { method, path: `/kinds/${at}/{a}` };
    const spec = {
      ...about,
      namespace: "routes",
      name: `${name}-${method}`,
      inputSchema: schema,
      outputSchema: true,
      http,
    };
    return { id: `routes.${spec.name}`, spec, handler: (input: unknown) => input };
  }),
);

const unready: AnyOperation = {
  id: "kinds.unready",
  spec: {
    ...about,
    namespace: "kinds",
    name: "unready",
    get inputSchema(): object {
      throw new Error("it is not there");
    },
    outputSchema: true,
    get _meta(): Record<string, unknown> {
      throw new Error("it is not there");
    },
  },
  handler: () => 1,
};

/** Operations that are hard to describe, beside plain ones. */
export function openApiOperations(): readonly AnyOperation[] {
  return [add, double, getUser, putUser, removeUser, otherRemove, ticks, ...ofSchemas, ...onRoutes, unready];
}

export function openApiRegistry(): OperationRegistry {
  const registry = new OperationRegistry();
  registry.registerAll(openApiOperations());
  return registry;
}
