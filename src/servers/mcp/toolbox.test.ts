import { describe, expect, test } from "vitest";
import type { Identity } from "../../registry/access.js";
import { operation, settled } from "../../registry/fixtures/operations.js";
import type { OperationSpec } from "../../registry/operation.js";
import { OperationRegistry } from "../../registry/registry.js";
import type { McpServerOptions } from "./options.js";
import { Toolbox } from "./toolbox.js";

function named(name: string, over: Partial<OperationSpec> = {}) {
  return operation(() => name, { name, ...over });
}

function toolboxOf(registry: OperationRegistry, over: Partial<McpServerOptions> = {}): Toolbox {
  return new Toolbox({ registry, toolNames: "bare", ...over });
}

function namesFor(toolbox: Toolbox, identity?: Identity): string[] {
  return toolbox.list(identity).map(({ name }) => name);
}

const ada: Identity = { id: "ada", scopes: ["read"], resources: { "project:7": ["write"] } };
const bob: Identity = { id: "bob", scopes: ["read"] };

describe("the list of tools", () => {
  test("tells all that an operation says of itself", () => {
    const over: Partial<OperationSpec> = {
      title: "Remove",
      description: "Removes something.",
      type: "mutation",
      version: "2.1.0",
      tags: ["danger"],
      annotations: { destructive: true, idempotent: true, openWorld: false },
      _meta: { "other/key": 1 },
    };
    const registry = new OperationRegistry().register(named("remove", over));
    expect(toolboxOf(registry).list(undefined)).toEqual([
      {
        name: "remove",
        title: "Remove",
        description: "Removes something.",
        inputSchema: { type: "object" },
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
        _meta: {
          "other/key": 1,
          "plico/operation": { id: "test.remove", version: "2.1.0", type: "mutation", tags: ["danger"] },
        },
      },
    ]);
  });

  test("says of queries and subscriptions that they only read, unless they say otherwise", () => {
    const registry = new OperationRegistry().registerAll([
      named("a"),
      named("b", { type: "subscription" }),
      named("c", { annotations: { readOnly: false } }),
    ]);
    const hints = toolboxOf(registry)
      .list(undefined)
      .map(({ annotations }) => annotations?.readOnlyHint);
    expect(hints).toEqual([true, true, false]);
  });

  test("is not spoilt by what JSON cannot hold", () => {
    const cycle: Record<string, unknown> = { big: 1n };
    cycle["self"] = cycle;
    const registry = new OperationRegistry().register(named("a", { _meta: cycle }));
    const [tool] = toolboxOf(registry).list(undefined);
    expect(JSON.parse(JSON.stringify(tool))._meta.big).toBe("1");
  });

  test("tells what is wrong with a schema", () => {
    const inputSchema = { type: "object", properties: { a: { $ref: "#/none" } } };
    const registry = new OperationRegistry().register(named("a", { inputSchema }));
    const [tool] = toolboxOf(registry).list(undefined);
    expect(tool?._meta).toMatchObject({ "plico/operation": { warnings: [{ code: "SCHEMA_UNSUPPORTED" }] } });
  });

  test("leaves out what the filter leaves out, and such a tool is none", () => {
    const registry = new OperationRegistry().registerAll([named("a"), named("b")]);
    const toolbox = toolboxOf(registry, { filter: ({ name }) => name !== "a" });
    expect(namesFor(toolbox)).toEqual(["b"]);
    expect(toolbox.find("a")).toBeUndefined();
  });

  test("has only what the caller may call", () => {
    const project = { resourceType: "project", resourceAction: "write" };
    const registry = new OperationRegistry().registerAll([
      named("open"),
      named("read", { accessControl: { requiredScopes: ["read"] } }),
      named("admin", { accessControl: { requiredScopesAny: ["admin", "root"] } }),
      named("write", { accessControl: { ...project, resourceIdField: "id" } }),
    ]);
    const toolbox = toolboxOf(registry);
    expect(namesFor(toolbox)).toEqual(["open"]);
    expect(namesFor(toolbox, bob)).toEqual(["open", "read"]);
    expect(namesFor(toolbox, ada)).toEqual(["open", "read", "write"]);
    // Whoever calls one all the same is refused by the registry.
    expect(toolbox.find("admin")?.id).toBe("test.admin");
  });

  test("is made once for all who may call the same", () => {
    const registry = new OperationRegistry().register(named("a", { accessControl: { requiredScopes: ["read"] } }));
    const toolbox = toolboxOf(registry);
    expect(toolbox.list(ada)).toBe(toolbox.list(bob));
    expect(toolbox.list(ada)).not.toBe(toolbox.list(undefined));
  });

  test("follows the registry, and tells once for all changes of a turn", async () => {
    const registry = new OperationRegistry().register(named("a")) as OperationRegistry;
    const toolbox = toolboxOf(registry);
    let told = 0;
    toolbox.onChange(() => told++);
    const [before] = toolbox.list(undefined);
    registry.register(named("b"));
    registry.register(named("c"));
    expect(namesFor(toolbox)).toEqual(["a", "b", "c"]);
    expect(toolbox.list(undefined)[0]).toBe(before);
    await settled();
    expect(told).toBe(1);
    registry.unregister("test.a");
    toolbox.close();
    await settled();
    expect(told).toBe(1);
  });

  test("is told to all, whatever one of them does with it", async () => {
    const registry = new OperationRegistry().register(named("a")) as OperationRegistry;
    const toolbox = toolboxOf(registry);
    let told = 0;
    toolbox.onChange(() => {
      throw new Error("broken");
    });
    toolbox.onChange(() => told++);
    registry.register(named("b"));
    await settled();
    expect(told).toBe(1);
  });

  test("is quick for thousands of tools", () => {
    const many = Array.from({ length: 5_000 }, (_, at) => named(`t${at}`));
    const toolbox = toolboxOf(new OperationRegistry().registerAll(many) as OperationRegistry);
    expect(toolbox.list(undefined)).toHaveLength(5_000);
    expect(toolbox.find("t4999")?.id).toBe("test.t4999");
  });
});
