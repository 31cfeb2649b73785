import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mcpResult } from "../../dialects/mcp-result.js";
import type { OutcomeMeta } from "../../envelope/outcome.js";
import { ROWS, toolOf } from "./fixtures/tools.js";
import { plainResult } from "./plain-layout.js";
import { quickResult } from "./quick-result.js";
import { stampsFor } from "./stamp.js";

const LOCAL: OutcomeMeta = { source: "local", operationId: "test.run", timestamp: 1 };
const STAMPS = stampsFor({ name: "test", version: "1.0.0", title: 'A "test"' });

describe("the short way to a result", () => {
  const tools = [
    toolOf(),
    toolOf({ outputSchema: { type: "object" } }),
    toolOf({
      outputSchema: { anyOf: [{ type: "object" }, { type: "string" }, { type: "array" }, { type: "number" }] },
    }),
  ];

  test.each(["legacy", "modern"] as const)("gives what the long one gives, in the %s era", (era) => {
    let quick = 0;
    fc.assert(
      fc.property(fc.constantFrom(...tools), fc.jsonValue(), (tool, data) => {
        const outcome = { ok: true, data, meta: LOCAL } as const;
        const text = quickResult(tool, outcome, false, STAMPS[era]);
        if (text === undefined) return;
        quick++;
        const long = mcpResult.print(STAMPS[era].apply(plainResult(tool, outcome)));
        expect(JSON.parse(text)).toEqual(JSON.parse(long));
      }),
    );
    expect(quick).toBeGreaterThan(20);
  });

  test.each(["legacy", "modern"] as const)("gives on what a tool said as the long one does, in the %s era", (era) => {
    const block = fc.oneof(
      fc.record({ type: fc.constant("text"), text: fc.string() }),
      fc.record({ type: fc.constant("later"), a: fc.jsonValue() }),
    );
    let quick = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(block), (data, content) => {
        const meta = { source: "mcp", isError: false, content, structuredContent: data } as unknown as OutcomeMeta;
        for (const tool of tools) {
          const text = quickResult(tool, { ok: true, data, meta }, false, STAMPS[era]);
          if (text === undefined) continue;
          quick++;
          const long = mcpResult.print(STAMPS[era].apply(plainResult(tool, { ok: true, data, meta })));
          expect(JSON.parse(text)).toEqual(JSON.parse(long));
        }
      }),
    );
    expect(quick).toBeGreaterThan(100);
  });

  test.each([
    ["another structure", { rows: [] }, {}],
    ["hints", { a: 1 }, { summary: "s" }],
    ["words of its own in `_meta`", { a: 1 }, { _meta: { a: 1 } }],
  ])("is not for a tool's answer with %s", (_, structuredContent, more) => {
    const data = { a: 1 };
    const said = "a" in structuredContent ? data : structuredContent;
    const meta = { source: "mcp", isError: false, content: [], structuredContent: said, ...more } as OutcomeMeta;
    expect(quickResult(toolOf(), { ok: true, data, meta }, false, STAMPS.legacy)).toBeUndefined();
  });

  test.each([
    [
      "a failure",
      toolOf(),
      { ok: false, error: { category: "x", code: "X", message: "", recoverable: false }, meta: {} },
    ],
    ["another layout", toolOf({}, "tool-response"), { ok: true, data: {}, meta: LOCAL }],
    ["one channel", toolOf({}, "plain", "model"), { ok: true, data: {}, meta: LOCAL }],
    ["hints", toolOf(), { ok: true, data: {}, meta: { ...LOCAL, summary: "s" } }],
    ["another origin", toolOf(), { ok: true, data: {}, meta: { source: "http", statusCode: 200, headers: {} } }],
    ["data that does not match", toolOf({ outputSchema: ROWS }), { ok: true, data: {}, meta: LOCAL }],
    ["blocks", toolOf(), { ok: true, data: [{ type: "text", text: "hi" }], meta: LOCAL }],
    ["what JSON cannot hold", toolOf(), { ok: true, data: { big: 1n }, meta: LOCAL }],
  ] as const)("is not for %s", (_, tool, outcome) => {
    expect(quickResult(tool, outcome as never, false, STAMPS.legacy)).toBeUndefined();
  });

  test("is not for more than the budget, in bytes", () => {
    const outcome = { ok: true, data: "ä".repeat(10), meta: LOCAL } as const;
    expect(quickResult(toolOf(), outcome, 22, STAMPS.legacy)).toBeDefined();
    expect(quickResult(toolOf(), outcome, 21, STAMPS.legacy)).toBeUndefined();
  });

  test("wraps what is an object here and none in JSON", () => {
    const outcome = { ok: true, data: new Date(0), meta: LOCAL } as const;
    const text = quickResult(toolOf(), outcome, false, STAMPS.legacy) ?? "";
    expect(JSON.parse(text).structuredContent).toEqual({ result: "1970-01-01T00:00:00.000Z" });
  });
});
