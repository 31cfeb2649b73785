import { describe, expect, test } from "vitest";
import { text } from "./fixtures/envelope-block.js";
import { buildStructuredResponse, buildToolResponse, type LegacyResponseOptions } from "./legacy-tool-response.js";
import { toolResponse } from "./tool-response.js";

const OPTIONS: LegacyResponseOptions = { status: "success", title: "Search" };

function cyclic(): object {
  const value: Record<string, unknown> = { name: "loop" };
  value["self"] = value;
  return value;
}

function fenceOf(content: readonly { type: string; text?: string }[]): string {
  return content.find((block) => block.text?.startsWith("```json\n"))?.text ?? "";
}

describe("buildStructuredResponse", () => {
  test.each([
    ["success", "ok"],
    ["ok", "ok"],
    ["error", "error"],
    ["info", "info"],
    ["warn", "warn"],
  ] as const)("calls the status %s %s", (status, expected) => {
    const { structuredContent, isError } = buildStructuredResponse({ ...OPTIONS, status, data: 1 });
    expect(structuredContent.meta.status).toBe(expected);
    expect(isError).toBe(status === "error");
  });

  test("makes the summary of title and status message, and the details of the sections", () => {
    const options = {
      ...OPTIONS,
      statusMessage: ": 2 found",
      textSections: ["one", "two"],
      nextSteps: ["go on"],
      data: { n: 2 },
    };
    const { content, structuredContent } = buildStructuredResponse(options);
    expect(structuredContent).toEqual({
      meta: { status: "ok", summary: "Search: 2 found", details: ["one", "two"], nextSteps: ["go on"] },
      data: { n: 2 },
    });
    expect(content).toEqual([text("✅ Search: 2 found"), text("one"), text("two")]);
  });

  test("passes usage, limit, links, omission and isError on", () => {
    const link = { type: "resource_link", uri: "docs://1", name: "one" } as const;
    const { content, structuredContent, isError } = buildStructuredResponse({
      ...OPTIONS,
      textSections: ["hidden"],
      tokenUsage: { total: 1 },
      rateLimit: { remaining: 0 },
      resourceLinks: [link],
      omitMetaDetails: true,
      isError: true,
      data: null,
    });
    expect(structuredContent.meta).toMatchObject({
      tokenUsage: { total: 1 },
      rateLimit: { remaining: 0 },
      details: ["hidden"],
    });
    expect(content).toEqual([text("✅ Search"), link]);
    expect(isError).toBe(true);
  });

  test("shows the JSON data in one fenced block after the sections", () => {
    const { content } = buildStructuredResponse({ ...OPTIONS, textSections: ["one"], jsonData: { a: 1 }, data: {} });
    expect(content).toHaveLength(3);
    expect(fenceOf(content)).toBe('```json\n{\n  "a": 1\n}\n```');
  });

  test.each([null, 0, "", false])("shows the JSON data %j too", (jsonData) => {
    const { content } = buildStructuredResponse({ ...OPTIONS, jsonData, data: {} });
    expect(fenceOf(content)).toContain(JSON.stringify(jsonData));
  });

  test("shows no block where there is no JSON data", () => {
    expect(buildStructuredResponse({ ...OPTIONS, data: {} }).content).toHaveLength(1);
  });

  test("cuts the block at the limit, marks it and says truncated", () => {
    const jsonData = "x".repeat(300);
    const { content, structuredContent } = buildStructuredResponse({
      ...OPTIONS,
      jsonData,
      jsonPreviewLimit: 100,
      data: {},
    });
    expect(fenceOf(content).split("\n")[1]).toBe(JSON.stringify(jsonData).slice(0, 100));
    expect(fenceOf(content).split("\n")).toHaveLength(4);
    expect(structuredContent.meta.truncated).toBe(true);
  });

  test("shows 20,000 characters and no more by default", () => {
    const meta = (length: number): unknown =>
      buildStructuredResponse({ ...OPTIONS, jsonData: "x".repeat(length - 2), data: {} }).structuredContent.meta
        .truncated;
    expect(meta(20_000)).toBeUndefined();
    expect(meta(20_001)).toBe(true);
  });

  test("does not take back what the caller says of truncation", () => {
    const meta = (truncated: boolean): unknown =>
      buildStructuredResponse({ ...OPTIONS, truncated, jsonData: 1, data: {} }).structuredContent.meta.truncated;
    expect(meta(true)).toBe(true);
    expect(meta(false)).toBe(false);
  });
});

describe("buildToolResponse", () => {
  test("wraps the arguments as the default payload", () => {
    const { structuredContent } = buildToolResponse({
      ...OPTIONS,
      statusMessage: "!",
      textSections: ["one"],
      nextSteps: ["two"],
    });
    expect(structuredContent.data).toEqual({
      title: "Search",
      statusMessage: "!",
      textSections: ["one"],
      nextSteps: ["two"],
    });
  });

  test("keeps the JSON data and its preview", () => {
    const { data } = buildToolResponse({ ...OPTIONS, jsonData: { a: [1] } }).structuredContent;
    expect(data.jsonData).toEqual({ a: [1] });
    expect(JSON.parse(data.jsonPreview ?? "")).toEqual({ a: [1] });
  });

  test.each([
    ["a cycle", cyclic()],
    ["a BigInt", { big: 10n }],
    ["a BigInt alone", 10n],
    ["a function", () => 1],
    ["a symbol", Symbol("plico")],
    ["a date that is none", { at: new Date(Number.NaN), big: 1n }],
    ["a throwing getter", Object.defineProperty({}, "a", { get: () => expect.unreachable(), enumerable: true })],
    ["a throwing toJSON", { toJSON: () => expect.unreachable() }],
  ])("never throws over %s, and can be sent", (_, jsonData) => {
    const result = buildToolResponse({ ...OPTIONS, jsonData });
    expect(() => JSON.stringify(result)).not.toThrow();
    expect(toolResponse.validate(JSON.parse(JSON.stringify(result)))).toEqual([]);
  });

  test("keeps what a cycle does not touch", () => {
    const { data } = buildToolResponse({ ...OPTIONS, jsonData: { big: 10n, loop: cyclic() } }).structuredContent;
    expect(data.jsonData).toMatchObject({ big: "10", loop: { name: "loop" } });
  });
});
