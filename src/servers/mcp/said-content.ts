import { isTextBlock } from "../../dialects/content.js";
import type { OutcomeMeta } from "../../envelope/outcome.js";
import { orElse } from "../../json/attempt.js";
import { isEqual } from "../../json/value.js";

/** What a tool behind Plico said in its blocks, where that still goes with the data. */
export function saidWith(data: unknown, meta: OutcomeMeta): unknown[] | undefined {
  if (meta.source !== "mcp") return undefined;
  const { content, structuredContent } = meta;
  if (structuredContent !== undefined) return isSaidStructure(data, meta) ? content : undefined;
  return isEqual(data, content) || content.some((block) => isJsonOf(block, data)) ? content : undefined;
}

/** Whether the data is the structure that the tool gave. */
export function isSaidStructure(data: unknown, meta: OutcomeMeta): boolean {
  return meta.source === "mcp" && meta.structuredContent !== undefined && isEqual(data, meta.structuredContent);
}

/** Whether the data was read from this text. */
function isJsonOf(block: unknown, data: unknown): boolean {
  if (!isTextBlock(block) || !/^\s*[[{]/.test(block.text)) return false;
  return isEqual(
    orElse(() => JSON.parse(block.text), undefined),
    data,
  );
}
