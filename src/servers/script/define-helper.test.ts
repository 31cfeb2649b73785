import { describe, expect, test } from "vitest";
import { OperationRegistry } from "../../registry/registry.js";
import { defineHelper } from "./define-helper.js";

const triage = defineHelper({
  name: "triage",
  version: "1.0.0",
  inputSchema: { type: "object", properties: { fails: { type: "string" } } },
  outputSchema: { type: "object", properties: { rows: { type: "integer" } } },
  errorSchemas: { NO_DISK: { category: "unavailable" } },
  run({ input, agent, skip, summary }) {
    summary(`for ${agent}`);
    if (input.fails === "skip") skip("journal", "gone");
    else if (input.fails !== undefined) throw new Error(input.fails);
    return { rows: 1, extra: true };
  },
});

const registry = new OperationRegistry().register(triage);

describe("a helper in a registry", () => {
  test("is an operation whose data is normalised", async () => {
    const { data, meta } = await registry.execute("helper.triage", {}, { metadata: { agent: "codex" } });
    expect(data).toEqual({ rows: 1 });
    expect(meta).toMatchObject({ source: "local", operationId: "helper.triage", summary: "for codex" });
  });

  test("tells what it skipped", async () => {
    const { data, meta } = await registry.execute("helper.triage", { fails: "skip" }, { requestId: "r" });
    expect(data).toEqual({ rows: 1 });
    expect(meta.skippedSources).toEqual([{ source: "journal", reason: "gone" }]);
    expect(meta.warnings?.map(({ code }) => code)).toEqual(["SOURCES_SKIPPED", "OUTPUT_STRIPPED"]);
    expect(meta.requestId).toBe("r");
  });

  test.each([
    ["NO_DISK: it is full", { code: "NO_DISK", category: "unavailable", message: "it is full" }],
    ["FILE_NOT_FOUND: a.txt", { code: "FILE_NOT_FOUND", category: "not_found", message: "a.txt" }],
    ["it broke", { code: "EXECUTION_ERROR", category: "execution", message: "it broke" }],
  ])("fails with %s", async (fails, error) => {
    expect(await registry.attempt("helper.triage", { fails })).toMatchObject({ ok: false, error });
  });

  test("gets the defaults of the fields that are not given, and nothing in place of those that are", async () => {
    const inputs: unknown[] = [];
    const list = defineHelper({
      name: "list",
      version: "1.0.0",
      inputSchema: {
        type: "object",
        properties: { limit: { type: ["integer", "null"], default: 5 }, tags: { type: "array", default: ["a"] } },
      },
      run: ({ input }) => void inputs.push(input),
    });
    const lists = new OperationRegistry().register(list);
    await lists.execute("helper.list", undefined);
    await lists.execute("helper.list", { limit: null, tags: [] });
    expect(inputs).toEqual([
      { limit: 5, tags: ["a"] },
      { limit: null, tags: [] },
    ]);
  });

  test("refuses what no helper has", () => {
    const good = { name: "a", version: "1.0.0", run: () => 1 };
    for (const wrong of [
      undefined,
      { ...good, name: undefined },
      { ...good, version: "1" },
      { ...good, version: "01.0.0" },
      { ...good, run: 1 },
      { ...good, colour: "red" },
      { ...good, name: "a b" },
      { ...good, inputSchema: 1 },
    ])
      expect(() => defineHelper(wrong as typeof good)).toThrow(expect.objectContaining({ code: "INVALID_OPERATION" }));
  });
});
