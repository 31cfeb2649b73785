import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unwrap } from "../../envelope/response-envelope.js";
import type { OperationSpec } from "../../registry/operation.js";
import { OperationRegistry } from "../../registry/registry.js";
import { keepUnchanged } from "../../registry/source.js";
import { operationsFromTools, type ToolOperations } from "./operation-from-tool.js";
import { envelopeFromResult } from "./result.js";
import type { RawTool } from "./tool-list.js";

const OPTIONS: ToolOperations = { namespace: "far", unfold: true, handlerOf: (tool) => () => tool.name };

function specsOf(tools: readonly RawTool[], over: Partial<ToolOperations> = {}): OperationSpec[] {
  return operationsFromTools(tools, { ...OPTIONS, ...over }).map(({ spec }) => spec);
}

function specOf(tool: Partial<RawTool>, over: Partial<ToolOperations> = {}): OperationSpec {
  const [spec] = specsOf([{ name: "one", ...tool } as RawTool], over);
  return spec ?? expect.fail("there is no operation");
}

function named(...names: string[]): RawTool[] {
  return names.map((name) => ({ name, inputSchema: { type: "object" } }));
}

/** The names of the operations by those of the tools. */
function namesOf(tools: readonly RawTool[]): Record<string, string> {
  return Object.fromEntries(specsOf(tools).map((spec, at) => [tools[at]?.name, spec.name]));
}

const LONG = "x".repeat(140);

describe("the names of operations", () => {
  test.each(["read_file", "a", "A-1", "files/read", "v1.list", "_x", "x".repeat(128)])("keep %s", (name) => {
    expect(namesOf(named(name))).toEqual({ [name]: name });
  });

  test.each(["constructor", "__proto__", "prototype", "then"])("avoid %s, which JavaScript uses itself", (name) => {
    const [spec] = specsOf(named(name));
    expect(spec?.name).not.toBe(name);
    expect(spec?._meta).toMatchObject({ "plico/tool": { name } });
  });

  test("are taken by a registry, each once, and call the tool whose name they are made from", async () => {
    const any = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
      fc.string({ unit: fc.constantFrom("a", "_", " ", ".", "/", "-", "é", "名"), minLength: 1, maxLength: 4 }),
      fc.constantFrom("then", "constructor", "then_tool", "a a", "a_a", "a_a_2", "名前", "別名", "n".repeat(300)),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(any, { maxLength: 20 }), async (names) => {
        const tools = named(...names);
        const operations = operationsFromTools(tools, OPTIONS);
        const registry = new OperationRegistry().registerAll(operations) as OperationRegistry;
        for (const [at, { id, spec }] of operations.entries()) {
          expect(id).toBe(`far.${spec.name}`);
          expect(spec._meta?.["plico/tool"]).toEqual({ name: names[at] });
          expect(unwrap(await registry.execute(id, {}))).toBe(names[at]);
        }
      }),
      { numRuns: 50 },
    );
  });

  const AWKWARD = ["a_b", "a b", "a:b", "名前", "別名", "then", "then_tool", `${LONG}1`, `${LONG}2`];

  test("are the same whatever the order in which the server lists its tools", () => {
    expect(namesOf(named(...[...AWKWARD].reverse()))).toEqual(namesOf(named(...AWKWARD)));
  });

  test("never move to another tool when one goes: whoever keeps the name would call the wrong one", () => {
    const before = namesOf(named(...AWKWARD));
    for (const gone of AWKWARD) {
      const now = namesOf(named(...AWKWARD.filter((name) => name !== gone)));
      const moved = Object.entries(now).filter(([tool, name]) =>
        AWKWARD.some((other) => other !== tool && before[other] === name),
      );
      expect({ gone, moved }).toEqual({ gone, moved: [] });
    }
  });

  test("that need no change are taken away by nobody", () => {
    for (const tools of [named("a b", "a_b"), named("a_b", "a b")]) expect(namesOf(tools)["a_b"]).toBe("a_b");
    expect(namesOf(named("a b", "a_b", "a_b_2"))).toMatchObject({ a_b: "a_b", a_b_2: "a_b_2" });
  });
});

describe("what a tool says of itself", () => {
  test("is carried: title, description and meta", () => {
    const spec = specOf({ title: "One", description: "Does it.", _meta: { "example/a": 0 } });
    expect(spec).toMatchObject({
      namespace: "far",
      name: "one",
      version: "1.0.0",
      title: "One",
      description: "Does it.",
    });
    expect(spec._meta).toEqual({ "example/a": 0, "plico/tool": { name: "one" } });
  });

  test.each<[tool: object, title: string | undefined, description: string]>([
    [{ annotations: { title: "Old" } }, "Old", "Old"],
    [{ title: "New", annotations: { title: "Old" } }, "New", "New"],
    [{ title: 7, description: null, annotations: { title: {} } }, undefined, ""],
    [{ annotations: null, description: "" }, undefined, ""],
    [{ title: "T", description: 0 }, "T", "T"],
  ])("is taken from %j as title %j and description %j", (tool, title, description) => {
    const spec = specOf(tool);
    expect([spec.title, spec.description]).toEqual([title, description]);
  });

  test.each<[annotations: unknown, ours: object, type: string]>([
    [{ readOnlyHint: true }, { readOnly: true }, "query"],
    [{ readOnlyHint: false, destructiveHint: true }, { readOnly: false, destructive: true }, "mutation"],
    [{ idempotentHint: false, openWorldHint: true }, { idempotent: false, openWorld: true }, "mutation"],
    [{ readOnlyHint: "true", idempotentHint: 1, destructiveHint: null }, {}, "mutation"],
    [{ somethingHint: true }, {}, "mutation"],
    [undefined, {}, "mutation"],
    [[], {}, "mutation"],
    ["read-only", {}, "mutation"],
  ])("as annotations %j is %j of a %s", (annotations, ours, type) => {
    const spec = specOf({ annotations });
    expect(spec.annotations).toEqual(ours);
    expect(spec.type).toBe(type);
  });

  test.each<[version: unknown, ours: string]>([
    ["2.1.0", "2.1.0"],
    ["2.0.0-rc.1", "2.0.0-rc.1"],
    ["1.0.0+build.5", "1.0.0+build.5"],
    ["2", "1.0.0"],
    ["", "1.0.0"],
    [2, "1.0.0"],
    ["1.0.0; DROP", "1.0.0"],
  ])("as version %j is %s", (version, ours) => {
    expect(specOf({ _meta: { "plico/operation": { version } } }).version).toBe(ours);
  });

  test.each([null, "x", 7, [], { "plico/operation": null }, { "plico/operation": "x" }])(
    "as meta %j does no harm",
    (_meta) => {
      expect(specOf({ _meta })._meta).toMatchObject({ "plico/tool": { name: "one" } });
    },
  );

  test("cannot pretend to be another tool", () => {
    expect(specOf({ _meta: { "plico/tool": { name: "other" } } })._meta).toEqual({ "plico/tool": { name: "one" } });
  });

  test("goes with the policies of the source", () => {
    expect(specOf({}, { input: "off", output: "strict" })).toMatchObject({ input: "off", output: "strict" });
    expect(specOf({})).not.toHaveProperty("input");
    expect(specOf({})).not.toHaveProperty("output");
  });
});

describe("the schemas of a tool", () => {
  test("are carried as they are, the same objects", () => {
    const inputSchema = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", "x-odd": [1] };
    const outputSchema = { type: "object", properties: { a: { $ref: "#/$defs/gone" } } };
    const spec = specOf({ inputSchema, outputSchema });
    expect(spec.inputSchema).toBe(inputSchema);
    expect(spec.outputSchema).toBe(outputSchema);
  });

  test.each([undefined, null, true, "x", 7, [], { "~standard": null }, { "~standard": { vendor: "evil" } }])(
    "that are %j leave the tool callable",
    async (schema) => {
      const tool = { name: "one", inputSchema: schema, outputSchema: schema };
      const registry = new OperationRegistry().registerAll(operationsFromTools([tool], OPTIONS)) as OperationRegistry;
      expect(unwrap(await registry.execute("far.one", { any: "thing" }))).toBe("one");
      expect(specOf(tool).outputSchema).toBe(true);
    },
  );

  test("of what is in another format's document are those of its data, unless that is not unfolded", () => {
    const data = { type: "array" };
    const meta = { type: "object", properties: { status: {}, summary: {} } };
    const outputSchema = { type: "object", properties: { data, meta } };
    expect(specOf({ outputSchema }).outputSchema).toEqual(data);
    expect(specOf({ outputSchema }, { unfold: false }).outputSchema).toBe(outputSchema);
  });

  test("may be as deep as they like, and keep nobody else out", () => {
    for (const keyword of ["items", "properties", "allOf"]) {
      let deep: object = { type: "string" };
      for (let level = 0; level < 20_000; level++) deep = nested(keyword, deep);
      const meta = { type: "object", properties: { status: {}, summary: {} } };
      const document = { type: "object", properties: { data: deep, meta } };
      const ours = { "plico/operation": { wrapsInput: true, wrapsOutput: true } };
      const tools = [
        { name: "deep", inputSchema: deep, outputSchema: deep },
        { name: "document", outputSchema: document },
        { name: "wrapped", inputSchema: shape({ input: deep }), outputSchema: shape({ result: deep }), _meta: ours },
        { name: "good" },
      ];
      const operations = operationsFromTools(tools, OPTIONS);
      expect(() => new OperationRegistry().registerAll(operations)).not.toThrow();
      expect(() => keepUnchanged(operations, operationsFromTools(tools, OPTIONS))).not.toThrow();
    }
  });

  test.each<[what: string, outputSchema: object, structuredContent: unknown]>([
    ["success and data", shape({ success: {}, data: shape({ rows: {} }) }), { success: true, data: { rows: [1] } }],
    [
      "data and a source of its own",
      shape({ data: shape({ rows: {} }), meta: shape({ source: {} }) }),
      { data: { rows: [1] }, meta: { source: "wikipedia" } },
    ],
    [
      "a status and a summary of its own",
      shape({ data: shape({ rows: {} }), meta: shape({ status: {}, summary: {} }) }),
      { data: { rows: [1] }, meta: { status: 200, summary: "OK" } },
    ],
    ["a result", shape({ result: shape({ rows: {} }) }), { result: { rows: [1] } }],
  ])("of a tool with %s lose nothing of what it answers", async (_, outputSchema, structuredContent) => {
    const handlerOf: ToolOperations["handlerOf"] = () => () =>
      envelopeFromResult({ content: [], structuredContent }, {}, true);
    const operations = operationsFromTools([{ name: "one", outputSchema }], { ...OPTIONS, handlerOf });
    const registry = new OperationRegistry().registerAll(operations) as OperationRegistry;
    expect(unwrap(await registry.execute("far.one", {}))).toEqual(structuredContent);
  });
});

function nested(keyword: string, schema: object): object {
  if (keyword === "items") return { items: schema };
  return keyword === "allOf" ? { allOf: [schema, { $ref: "#" }] } : { properties: { a: schema } };
}

function shape(properties: object): object {
  return { type: "object", properties };
}
