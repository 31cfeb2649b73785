import Type from "typebox";
import { describe, expectTypeOf, test } from "vitest";
import { OperationRegistry } from "../../registry/registry.js";
import { defineHelper } from "./define-helper.js";
import { runHelper } from "./run-helper.js";

const triage = defineHelper({
  name: "triage",
  version: "1.0.0",
  inputSchema: Type.Object({ count: Type.Integer(), who: Type.Optional(Type.String()) }),
  outputSchema: { type: "object", properties: { rows: { type: "integer" } }, required: ["rows"] },
  run: async ({ input }) => {
    expectTypeOf(input).toEqualTypeOf<{ count: number; who?: string }>();
    return { rows: input.count };
  },
});

const plain = defineHelper({ name: "plain", namespace: "own", version: "1.0.0", run: () => ({ anything: 1 }) });

const many = defineHelper({
  name: "many",
  version: "1.0.0",
  type: "subscription",
  outputSchema: { type: "integer" },
  async *run() {
    yield 1;
  },
});

describe("the types of a helper", () => {
  test("flow into a registry", async () => {
    const registry = new OperationRegistry().registerAll([triage, plain, many]);
    const { data } = await registry.execute("helper.triage", { count: 1 });
    expectTypeOf(data.rows).toEqualTypeOf<number>();
    // @ts-expect-error the count is missing
    void registry.execute("helper.triage", {});
    expectTypeOf((await registry.execute("own.plain")).data).toBeUnknown();
    for await (const envelope of registry.subscribe("helper.many")) expectTypeOf(envelope.data).toBeNumber();
  });

  test("are those of the schemas", () => {
    expectTypeOf(plain.id).toEqualTypeOf<"own.plain">();
    const bad = { name: "bad", version: "1.0.0", outputSchema: { type: "integer" } } as const;
    // @ts-expect-error the answer is a number
    defineHelper({ ...bad, run: () => "text" });
    void runHelper(({ input }) => input.a.toFixed(), {
      inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    });
  });
});
