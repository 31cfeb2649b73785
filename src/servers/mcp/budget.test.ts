import { describe, expect, test } from "vitest";
import type { McpResult } from "../../dialects/mcp-result.js";
import { mcpResult } from "../../dialects/mcp-result.js";
import { CallError } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import { createResultStore } from "../../results/result-store.js";
import type { Core } from "./core.js";
import { refusalOf } from "./fixtures/strict-client.js";
import { coreOf, ROWS, toolOf } from "./fixtures/tools.js";
import type { McpLayout } from "./options.js";
import type { Tool } from "./tool.js";

const LOCAL = { source: "local", operationId: "test.run", timestamp: 1 } as const;
const many = { rows: Array.from({ length: 10_000 }, (_, at) => at) };

function success(data: unknown): Outcome {
  return { ok: true, data, meta: LOCAL };
}

async function printed(core: Core, tool: Tool, outcome: Outcome, budget?: number | false): Promise<McpResult> {
  return JSON.parse(await core.print(tool, outcome, { era: "legacy", budget, owner: "ada" }));
}

describe("a result over the budget", () => {
  test("is over what a function says of its operation and of what came, else over the usual one", async () => {
    const core = coreOf({ budget: ({ name }, outcome) => (name === "run" && outcome.ok ? 500 : undefined) });
    const sizeOf = async (name: string): Promise<number> => {
      const result = await printed(core, toolOf({ name, outputSchema: ROWS }), success(many));
      return JSON.stringify(result.structuredContent).length;
    };
    expect(await sizeOf("run")).toBeLessThanOrEqual(500);
    expect(await sizeOf("other")).toBeGreaterThan(10_000);
  });

  test("becomes a preview that matches its schema, and a link to the whole", async () => {
    const core = coreOf({ budget: 500 });
    const tool = toolOf({ outputSchema: ROWS });
    const result = await printed(core, tool, success(many));
    expect(JSON.stringify(result.structuredContent).length).toBeLessThanOrEqual(500);
    expect(refusalOf(tool, result)).toBeUndefined();
    expect(result.content).toEqual([
      { type: "text", text: JSON.stringify(result.structuredContent) },
      { type: "text", text: expect.stringContaining("of 10000 items; read on: plico://results/") },
      expect.objectContaining({ type: "resource_link", uri: expect.stringMatching(/^plico:\/\/results\//) }),
    ]);
    const reading = mcpResult.read(result);
    expect(reading).toMatchObject({ outcome: { meta: { truncated: true, warnings: [{ code: "TRUNCATED" }] } } });
    const { uri } = result.content[2] as { uri: string };
    const whole = await core.results.read(uri, { owner: "ada" });
    expect(JSON.parse(whole.text)).toEqual(many);
    await expect(core.results.read(uri, { owner: "eve" })).rejects.toMatchObject({ category: "not_found" });
    await core.close();
  });

  test.each<[McpLayout]>([["tool-response"], ["tool-envelope-v1"]])(
    "has its link in the layout %s too",
    async (layout) => {
      const core = coreOf({ budget: 500 });
      const result = await printed(core, toolOf({ outputSchema: ROWS }, layout), success(many));
      expect(result.content.some((block) => (block as { type: string }).type === "resource_link")).toBe(true);
      expect(JSON.stringify(result).length).toBeLessThan(4_000);
      await core.close();
    },
  );

  test("is sent whole for programs, and where the server or the caller wants no budget", async () => {
    const core = coreOf({ budget: 500 });
    const open = coreOf({ budget: false });
    const whole = [
      await printed(core, toolOf({ outputSchema: ROWS }, "plain", "program"), success(many)),
      await printed(core, toolOf({ outputSchema: ROWS }), success(many), false),
      await printed(open, toolOf({ outputSchema: ROWS }), success(many)),
    ];
    for (const { structuredContent } of whole) expect(structuredContent).toEqual(many);
    await Promise.all([core.close(), open.close()]);
  });

  test("is cut where the caller wants less than the server", async () => {
    const core = coreOf();
    const { structuredContent } = await printed(core, toolOf(), success({ rows: many.rows.slice(0, 1_000) }), 100);
    expect(JSON.stringify(structuredContent).length).toBeLessThanOrEqual(100);
    await core.close();
  });

  test("keeps its images, and has its texts cut", async () => {
    const core = coreOf({ budget: 500 });
    const image = { type: "image", data: "a".repeat(2_000), mimeType: "image/png" };
    const blocks = [{ type: "text", text: "x".repeat(5_000) }, image, { type: "text", text: "short" }];
    const { content } = await printed(core, toolOf(), success(blocks));
    expect(content).toEqual([
      { type: "text", text: expect.stringMatching(/^x{100,300}…/) },
      image,
      { type: "text", text: "short" },
      { type: "text", text: expect.stringContaining("of 5000 characters") },
      expect.objectContaining({ type: "resource_link" }),
    ]);
    await core.close();
  });

  test("keeps what a tool behind Plico said to the model beside it", async () => {
    const core = coreOf({ budget: 500 });
    const content = [{ type: "text", text: "sum" } as const];
    const meta = { source: "mcp", isError: false, content, structuredContent: many, _meta: { "x/y": 1 } } as const;
    const result = await printed(core, toolOf({ outputSchema: ROWS }), { ok: true, data: many, meta });
    expect(result.content).toEqual([
      ...content,
      { type: "text", text: expect.stringContaining("of 10000 items") },
      expect.objectContaining({ type: "resource_link" }),
    ]);
    expect(JSON.stringify(result.structuredContent).length).toBeLessThanOrEqual(500);
    expect(result._meta).toMatchObject({ "x/y": 1, plico: { meta: { truncated: true } } });
    await core.close();
  });

  test("is never an error", async () => {
    const core = coreOf({ budget: 100 });
    const error = new CallError({ category: "execution", message: "m".repeat(1_000), data: many });
    const result = await printed(core, toolOf(), { ok: false, error, meta: {} });
    expect(result.structuredContent).toMatchObject({ error: { data: many } });
    await core.close();
  });

  test("is sent whole where it cannot be kept, and the user of the server hears why", async () => {
    const broken = new Error("full");
    const errors: unknown[] = [];
    const results = createResultStore();
    results.put = () => Promise.reject(broken);
    const core = coreOf({ budget: 500, results, onError: (error) => errors.push(error) });
    const { structuredContent, isError } = await printed(core, toolOf({ outputSchema: ROWS }), success(many));
    expect([structuredContent, isError, errors]).toEqual([many, undefined, [broken]]);
    await results.close();
  });

  test("is told without a link where it is too large to be kept", async () => {
    const results = createResultStore({ maxEntryBytes: 10 });
    const core = coreOf({ budget: 500, results });
    const result = await printed(core, toolOf(), success(many));
    expect(result.content).toMatchObject([{ type: "text" }, { type: "text" }]);
    await core.close();
    await results.close();
  });
});
