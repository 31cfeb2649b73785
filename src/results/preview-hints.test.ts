import { describe, expect, test } from "vitest";
import { ResponseHintsSchema } from "../envelope/hints.js";
import { check } from "../schema/compile.js";
import { type Preview, previewOf, type Shortening } from "./preview.js";
import { hintsOfPreview, linkToResult } from "./preview-hints.js";

const link = linkToResult({ id: "abc", uri: "plico://results/abc", bytes: 90_000, expiresAt: 0, name: "users.list" });

describe("the hints of a preview", () => {
  test("tell that it is one, what is missing, and where the whole is", () => {
    const data = { rows: Array.from({ length: 1000 }, (_, at) => at), text: "x".repeat(1000) };
    const preview = previewOf(data, { bytes: 200 }) as Preview;
    const hints = hintsOfPreview(preview, link);
    expect(hints).toMatchObject({
      truncated: true,
      warnings: [
        { code: "TRUNCATED", path: "/rows" },
        { code: "TRUNCATED", path: "/text" },
      ],
      links: [{ type: "resource_link", uri: "plico://results/abc", name: "users.list" }],
    });
    const kept = preview.shortened[0]?.kept;
    expect(hints.warnings?.[0]?.message).toContain(`plico://results/abc?pointer=/rows&items=${kept}-`);
    expect(check(ResponseHintsSchema, hints)).toEqual([]);
  });

  test("have no link where the result is not kept", () => {
    const hints = hintsOfPreview({ shortened: [{ path: "", kind: "array", kept: 1, total: 2 }] });
    expect(hints).toEqual({
      truncated: true,
      warnings: [{ code: "TRUNCATED", message: "shows 1 of 2 items", path: "" }],
    });
  });

  test("count the same field of many items as one", () => {
    const shortened = Array.from({ length: 500 }, (_, at): Shortening => {
      return { path: `/rows/${at}/text`, kind: "string", kept: 10, total: 90 };
    });
    expect(hintsOfPreview({ shortened }, link).warnings).toMatchObject([{ path: "/rows/0/text", count: 500 }]);
  });

  test("name twenty places at most, and count the others", () => {
    const shortened = Array.from({ length: 50 }, (_, at): Shortening => {
      return { path: `/field-${at}`, kind: "string", kept: 10, total: 90 };
    });
    const { warnings = [] } = hintsOfPreview({ shortened }, link);
    expect(warnings).toHaveLength(20);
    expect(warnings.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(50);
  });
});
