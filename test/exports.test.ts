import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../", import.meta.url);
const { exports, bin } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

interface Paths {
  readonly types: string;
  readonly default: string;
  /** For CommonJS, where it has a file of its own. */
  readonly require?: Omit<Paths, "require">;
}

const entries = Object.entries(exports as Record<string, unknown>).filter(
  (entry): entry is [string, Paths] => typeof entry[1] === "object",
);

describe("the exports of the package", () => {
  test.each(entries)("%s has its code and its types", (_, { require, ...paths }) => {
    const all = [...Object.values(paths), ...Object.values(require ?? {})];
    expect(all.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });

  test.each(entries)("%s can be imported and exports by name only", async (_, paths) => {
    const names = Object.keys(await import(new URL(paths.default, root).href));
    expect(names.length).toBeGreaterThan(0);
    expect(names).not.toContain("default");
  });

  test("every public shape has its JSON Schema", async () => {
    const names = Object.keys(await import(new URL(exports["."].default, root).href));
    const shapes =
      "ResponseEnvelope ResponseMeta LocalResponseMeta HTTPResponseMeta MCPResponseMeta ScriptResponseMeta MCPContentBlock ResponseHints Warning Outcome CallError Issue Deprecation Pagination RateLimit TokenUsage WorkflowEnvelopePayload McpErrorPayload RecommendationItem SkillArtifact ToolResponseMeta";
    expect(shapes.split(" ").filter((shape) => !names.includes(`${shape}Schema`))).toEqual([]);
  });

  test("the command exists", () => {
    expect(existsSync(new URL(bin.plico, root))).toBe(true);
  });
});
