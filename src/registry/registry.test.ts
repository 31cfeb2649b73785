import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { CallError } from "../envelope/call-error.js";
import { unwrap } from "../envelope/response-envelope.js";
import { failureOf, operation, registryOf, specOf, thrownBy } from "./fixtures/operations.js";
import { defineOperation, type OperationSpec } from "./operation.js";
import { OperationRegistry } from "./registry.js";

/** What a caller in JavaScript may register. */
function registered(over: Readonly<Record<string, unknown>>): unknown {
  return thrownBy(() => registryOf(() => 1, over as Partial<OperationSpec>));
}

function pathsOf(thrown: unknown): string[] {
  expect(thrown).toBeInstanceOf(CallError);
  expect(thrown).toMatchObject({ code: "INVALID_OPERATION", category: "validation" });
  return (thrown as CallError).issues?.map(({ path }) => path) ?? [];
}

describe("defineOperation", () => {
  test("gives the id, the spec without its handler, and the handler", () => {
    const handler = () => 1;
    const { id, spec, handler: given } = defineOperation({ ...specOf(), type: "query", handler });
    expect(id).toBe("test.run");
    expect(spec).toEqual(specOf());
    expect(given).toBe(handler);
  });
});

describe("register", () => {
  test("makes an operation known and gives the registry back", async () => {
    const registry = new OperationRegistry();
    const one = operation(() => 1);
    expect(registry.register(one)).toBe(registry);
    expect(registry.get("test.run")).toMatchObject({ id: "test.run", spec: one.spec, handler: one.handler });
    expect(unwrap(await registry.execute("test.run"))).toBe(1);
  });

  test("takes the id from the spec, whatever the operation calls itself", () => {
    const registry = new OperationRegistry().register({ ...operation(() => 1), id: "other.name" });
    expect(registry.getSpec("test.run")).toBeDefined();
    expect(registry.getSpec("other.name")).toBeUndefined();
  });

  test("refuses a second operation of the same id and keeps the first", async () => {
    const registry = registryOf(() => "first");
    const thrown = thrownBy(() => registry.register(operation(() => "second")));
    expect(thrown).toMatchObject({ name: "CallError", code: "DUPLICATE_OPERATION", category: "conflict" });
    expect(unwrap(await registry.execute("test.run"))).toBe("first");
  });

  test.each([undefined, null, "test.run", 5, []])("refuses %j, which is no operation", (value) => {
    const thrown = thrownBy(() => new OperationRegistry().register(value as never));
    expect(thrown).toMatchObject({ name: "CallError", code: "INVALID_OPERATION" });
  });

  test.each([undefined, null, "text", {}])("refuses the handler %j", (handler) => {
    expect(pathsOf(thrownBy(() => registryOf(handler as never)))).toEqual(["/handler"]);
  });
});

describe("registerAll", () => {
  test("registers all", () => {
    const registry = new OperationRegistry().registerAll([operation(() => 1), operation(() => 2, { name: "walk" })]);
    expect(registry.list().map(({ name }) => name)).toEqual(["run", "walk"]);
  });

  test.each([
    ["one is not valid", operation(() => 1, { version: "one" }), "INVALID_OPERATION"],
    ["two have the same id", operation(() => 1, { name: "new" }), "DUPLICATE_OPERATION"],
    ["one is known already", operation(() => 1, { name: "old" }), "DUPLICATE_OPERATION"],
    ["one has no handler", operation("none" as never, { name: "bad" }), "INVALID_OPERATION"],
  ])("registers none where %s", (_, bad, code) => {
    const registry = new OperationRegistry().register(operation(() => 1, { name: "old" }));
    const thrown = thrownBy(() => registry.registerAll([operation(() => 1, { name: "new" }), bad]));
    expect(thrown).toMatchObject({ name: "CallError", code });
    expect(registry.list().map(({ name }) => name)).toEqual(["old"]);
  });

  test("takes none", () => {
    expect(new OperationRegistry().registerAll([]).list()).toEqual([]);
  });
});

describe("registerSpec and registerHandler", () => {
  test("make an operation together", async () => {
    const registry = new OperationRegistry().registerSpec(specOf());
    expect(registry.getSpec("test.run")).toBeDefined();
    expect(registry.getHandler("test.run")).toBeUndefined();
    expect(await failureOf(registry.execute("test.run"))).toMatchObject({
      code: "UNAVAILABLE",
      category: "unavailable",
    });
    expect(unwrap(await registry.registerHandler("test.run", () => 5).execute("test.run"))).toBe(5);
  });

  test("of a subscription without handler makes subscribe UNAVAILABLE", async () => {
    const registry = new OperationRegistry().registerSpec(specOf({ type: "subscription" }));
    expect(await failureOf(registry.subscribe("test.run").next())).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("refuse a second spec and a second handler", () => {
    const registry = new OperationRegistry().registerSpec(specOf()).registerHandler("test.run", () => 1);
    const duplicate = { name: "CallError", code: "DUPLICATE_OPERATION", category: "conflict" };
    expect(thrownBy(() => registry.registerSpec(specOf()))).toMatchObject(duplicate);
    expect(thrownBy(() => registry.registerHandler("test.run", () => 2))).toMatchObject(duplicate);
  });

  test("refuse a handler of what is not known, with the near name", () => {
    const registry = new OperationRegistry().registerSpec(specOf());
    expect(thrownBy(() => registry.registerHandler("test.runs", () => 1))).toMatchObject({
      code: "OPERATION_NOT_FOUND",
      nextTool: "test.run",
    });
  });

  test.each([undefined, null, 5, {}])("refuse the handler %j, after which a good one may come", (handler) => {
    const registry = new OperationRegistry().registerSpec(specOf());
    expect(pathsOf(thrownBy(() => registry.registerHandler("test.run", handler as never)))).toEqual(["/handler"]);
    expect(thrownBy(() => registry.registerHandler("test.run", () => 1))).toBeUndefined();
  });
});

describe("a spec is refused", () => {
  test.each([undefined, null, "text", []])("when it is %j", (spec) => {
    expect(pathsOf(thrownBy(() => new OperationRegistry().registerSpec(spec as never)))).toEqual([""]);
  });

  test.each(["", "a b", "a.b", "-a", "a/b", "ä", "a".repeat(65), "a\n", 5, null, undefined])(
    "with the namespace %j",
    (namespace) => {
      expect(pathsOf(registered({ namespace }))).toEqual(["/namespace"]);
    },
  );

  test.each(["", "a b", "-a", ".a", "/a", "ä", "a:b", "a".repeat(129), "a\n", 5, null, undefined])(
    "with the name %j",
    (name) => {
      expect(pathsOf(registered({ name }))).toEqual(["/name"]);
    },
  );

  test.each(["__proto__", "constructor", "prototype", "then"])("with the namespace or name %s", (name) => {
    expect(pathsOf(registered({ name }))).toEqual(["/name"]);
    expect(pathsOf(registered({ namespace: name }))).toEqual(["/namespace"]);
  });

  test.each(["", "1", "1.0", "v1.0.0", "1.0.0.0", "1.0.0 ", "latest", 1, undefined])(
    "with the version %j",
    (version) => {
      expect(pathsOf(registered({ version }))).toEqual(["/version"]);
    },
  );

  test.each(["", "Query", "event", 1, undefined, null])("with the type %j", (type) => {
    expect(pathsOf(registered({ type }))).toEqual(["/type"]);
  });

  test.each([
    ["description", undefined],
    ["description", 5],
    ["output", "loose"],
    ["output", null],
    ["tags", "one"],
    ["tags", [1]],
    ["errorSchemas", []],
    ["accessControl", null],
    ["accessControl", ["admin"]],
  ])("with the %s %j", (field, value) => {
    expect(pathsOf(registered({ [field]: value }))).toEqual([`/${field}`]);
  });

  describe.each(["inputSchema", "outputSchema"])("with an %s", (field) => {
    test.each([
      ["absent", undefined],
      ["null", null],
      ["a text", "string"],
      ["a list", []],
      ["a number", 5],
      ["a valibot schema without its converter", v.string()],
    ])("that is %s", (_, schema) => {
      expect(pathsOf(registered({ [field]: schema }))).toEqual([`/${field}`]);
    });
  });

  test.each([
    ["a declaration that is none", { EMPTY: true }, "/errorSchemas/EMPTY"],
    ["details that are no schema", { EMPTY: { details: 5 } }, "/errorSchemas/EMPTY/details"],
    ["a code that needs escaping", { "A/B": null }, "/errorSchemas/A~1B"],
    ["a category that is no text", { EMPTY: { category: 5 } }, "/errorSchemas/EMPTY/category"],
    ["a recoverable that is no boolean", { EMPTY: { recoverable: "yes" } }, "/errorSchemas/EMPTY/recoverable"],
  ])("with %s among its errors", (_, errorSchemas, path) => {
    expect(pathsOf(registered({ errorSchemas }))).toEqual([path]);
  });

  test.each([
    ["an unknown field", { requiredScope: ["admin"] }, "/accessControl/requiredScope"],
    ["a scope that is no list", { requiredScopes: "admin" }, "/accessControl/requiredScopes"],
    ["a scope that is no text", { requiredScopesAny: [5] }, "/accessControl/requiredScopesAny"],
    ["a type that is no text", { resourceType: 5, resourceAction: "read" }, "/accessControl/resourceType"],
    ["a type without an action", { resourceType: "doc" }, "/accessControl"],
    ["an action without a type", { resourceAction: "read" }, "/accessControl"],
    ["an id without a type", { resourceIdField: "id" }, "/accessControl"],
  ])("with %s in its access control, which would leave it open", (_, accessControl, path) => {
    expect(pathsOf(registered({ accessControl }))).toEqual([path]);
  });

  test("with all that is wrong at once", () => {
    const all = { namespace: "", name: "", version: "", type: "", description: 1, inputSchema: 1, outputSchema: 1 };
    expect(pathsOf(registered(all)).sort()).toEqual(
      Object.keys(all)
        .map((field) => `/${field}`)
        .sort(),
    );
  });
});

describe("a spec is taken", () => {
  test.each(["a", "A_b-9", "_a", "9", "a".repeat(64), "toString", "hasOwnProperty"])(
    "with the namespace %s",
    (namespace) => {
      expect(registered({ namespace })).toBeUndefined();
    },
  );

  test.each(["a", "users.list", "users/list", "a".repeat(128), "toString", "valueOf"])("with the name %s", (name) => {
    expect(registered({ name })).toBeUndefined();
  });

  test.each(["0.0.1", "1.2.3-beta.1", "1.2.3+build", "10.20.30"])("with the version %s", (version) => {
    expect(registered({ version })).toBeUndefined();
  });

  test("with a name of Object's own, which is then called like any other", async () => {
    const registry = registryOf((_, { env }) => env["toString"]?.["valueOf"]?.(1)).register(
      operation((input) => [input], { namespace: "toString", name: "valueOf" }),
    );
    expect(unwrap(await registry.execute("test.run"))).toEqual([1]);
  });

  test("with a schema that has a broken part, which is named in its warnings", () => {
    const registry = registryOf(() => 1, { inputSchema: { $ref: "#/none" }, outputSchema: { type: "nothing" } });
    expect(registry.get("test.run")?.warnings.map(({ code }) => code)).toEqual([
      "SCHEMA_UNSUPPORTED",
      "SCHEMA_UNSUPPORTED",
    ]);
  });
});

describe("looking up", () => {
  const registry = new OperationRegistry().registerAll([
    operation(() => 1, { namespace: "a", name: "list", tags: ["x"] }),
    operation(() => 2, { namespace: "b", name: "list", type: "mutation", tags: ["x", "y"] }),
    operation(() => 3, { namespace: "b", name: "users.get", type: "subscription" }),
  ]);

  test("get, getSpec and getHandler give what is known of an id, or nothing", () => {
    expect(registry.get("a.list")?.id).toBe("a.list");
    expect(registry.getSpec("b.users.get")?.type).toBe("subscription");
    expect(registry.getHandler("a.list")?.(0, {} as never)).toBe(1);
    for (const id of ["", "a", "list", "toString", "__proto__", "constructor"]) {
      expect([registry.get(id), registry.getSpec(id), registry.getHandler(id)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
  });

  test("getByName finds an operation by its id, or by its name where only one has it", () => {
    expect(registry.getByName("a.list")?.id).toBe("a.list");
    expect(registry.getByName("users.get")?.id).toBe("b.users.get");
    expect(registry.getByName("list")).toBeUndefined();
    expect(registry.getByName("none")).toBeUndefined();
  });

  test("list gives the specs in their order, of a namespace, a type or a tag", () => {
    const ids = (filter?: Parameters<typeof registry.list>[0]) =>
      registry.list(filter).map(({ namespace, name }) => `${namespace}.${name}`);
    expect(ids()).toEqual(["a.list", "b.list", "b.users.get"]);
    expect(ids({ namespace: "b" })).toEqual(["b.list", "b.users.get"]);
    expect(ids({ type: "query" })).toEqual(["a.list"]);
    expect(ids({ tag: "x" })).toEqual(["a.list", "b.list"]);
    expect(ids({ namespace: "b", tag: "y", type: "mutation" })).toEqual(["b.list"]);
    expect(ids({ namespace: "none" })).toEqual([]);
  });

  test.each([
    ["a.lost", "a.list"],
    ["a.lis", "a.list"],
    ["b.user.get", "b.users.get"],
  ])("an unknown id %s suggests the near %s", async (id, near) => {
    expect(await failureOf(registry.execute(id))).toMatchObject({ code: "OPERATION_NOT_FOUND", nextTool: near });
  });

  test.each(["something.else", "", "x".repeat(100_000), "__proto__"])(
    "an unknown id suggests nothing far",
    async (id) => {
      const error = await failureOf(registry.execute(id));
      expect(error).toMatchObject({ code: "OPERATION_NOT_FOUND", category: "not_found" });
      expect(error).not.toHaveProperty("nextTool");
      expect(error.message.length).toBeLessThan(200);
    },
  );

  test.each([undefined, null, 5, {}, Symbol("id")])("an id that is no text is not found", async (id) => {
    expect(await failureOf(registry.execute(id as never))).toMatchObject({ code: "OPERATION_NOT_FOUND" });
  });

  test("an empty registry finds nothing", async () => {
    expect(await failureOf(new OperationRegistry().execute("a.b"))).toMatchObject({ code: "OPERATION_NOT_FOUND" });
  });
});
