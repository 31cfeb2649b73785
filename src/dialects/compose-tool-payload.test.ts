import { describe, expect, test } from "vitest";
import { composeToolPayload, type ToolResponseMeta } from "./compose-tool-payload.js";
import { text } from "./fixtures/envelope-block.js";
import { toolResponse } from "./tool-response.js";

const META: ToolResponseMeta = { status: "ok", summary: "Found 2 matches" };
const LINK = { type: "resource_link", uri: "docs://match/1", name: "Full excerpt" } as const;

describe("composeToolPayload", () => {
  test("puts headline, details, additional text and links in that order", () => {
    const meta = { ...META, details: ["first", "second"] };
    const { content } = composeToolPayload({ meta, data: {}, additionalText: ["more", "most"], resourceLinks: [LINK] });
    expect(content).toEqual([text("✅ Found 2 matches"), ...["first", "second", "more", "most"].map(text), LINK]);
  });

  test.each([
    ["ok", "✅"],
    ["error", "❌"],
    ["info", "ℹ️"],
    ["warn", "⚠️"],
  ] as const)("heads status %s with %s and a space", (status, emoji) => {
    const { content } = composeToolPayload({ meta: { status, summary: "So it is" }, data: {} });
    expect(content).toEqual([text(`${emoji} So it is`)]);
  });

  test("skips blank entries in the text and keeps them in the envelope", () => {
    const meta = { ...META, details: ["", "one", " \n\t"] };
    const { content, structuredContent } = composeToolPayload({ meta, data: {}, additionalText: ["", "two", " "] });
    expect(content.slice(1)).toEqual([text("one"), text("two")]);
    expect(structuredContent.meta.details).toEqual(meta.details);
  });

  test("leaves the details out of the text where asked", () => {
    const meta = { ...META, details: ["first"] };
    const { content, structuredContent } = composeToolPayload({ meta, data: {}, omitMetaDetails: true });
    expect(content).toHaveLength(1);
    expect(structuredContent.meta.details).toEqual(["first"]);
  });

  test("never shows next steps, token usage, rate limit or truncation as text", () => {
    const hints = {
      nextSteps: ["go on"],
      tokenUsage: { inline: 1, total: 2 },
      rateLimit: { remaining: 0, resetSeconds: 3 },
      truncated: true,
    };
    const { content, structuredContent } = composeToolPayload({ meta: { ...META, ...hints }, data: {} });
    expect(content).toEqual([text("✅ Found 2 matches")]);
    expect(structuredContent.meta).toEqual({ ...META, ...hints });
  });

  test("says isError for the status error, unless told otherwise", () => {
    const error = { ...META, status: "error" } as const;
    expect(composeToolPayload({ meta: META, data: {} }).isError).toBe(false);
    expect(composeToolPayload({ meta: error, data: {} }).isError).toBe(true);
    expect(composeToolPayload({ meta: error, data: {}, isError: false }).isError).toBe(false);
    expect(composeToolPayload({ meta: META, data: {}, isError: true }).isError).toBe(true);
  });

  test("passes data and links on untouched", () => {
    const data = { rows: [null, 0, ""] };
    const { content, structuredContent } = composeToolPayload({ meta: META, data, resourceLinks: [LINK] });
    expect(structuredContent.data).toBe(data);
    expect(content.at(-1)).toBe(LINK);
  });

  test("makes a result that breaks no rule of tool-response", () => {
    const meta = { ...META, details: ["a"], nextSteps: [] };
    expect(toolResponse.validate(composeToolPayload({ meta, data: null, resourceLinks: [LINK] }))).toEqual([]);
  });
});
