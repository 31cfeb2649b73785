import { isContent, isTextBlock } from "../../dialects/content.js";
import type { MCPResourceLink } from "../../envelope/content-block.js";
import type { OutcomeMeta, Success } from "../../envelope/outcome.js";
import { orElse } from "../../json/attempt.js";
import { printJson } from "../../json/printable.js";
import type { JsonRecord } from "../../json/value.js";
import { encodedSize } from "../../results/encoded-size.js";
import { type Preview, previewOf } from "../../results/preview.js";
import { hintsOfPreview } from "../../results/preview-hints.js";
import type { ResultStore } from "../../results/result-store.js";
import { shorteningsOf } from "../../results/shortening.js";
import { hintsOf } from "./hints.js";
import type { Tool } from "./tool.js";

export interface BudgetContext {
  readonly budget: number | false;
  /** Who may read the whole. */
  readonly owner: string | undefined;
  readonly results: () => ResultStore;
}

/** Whether a model would get more than it wants to see at once. */
export function isOverBudget(tool: Tool, data: unknown, budget: number | false): budget is number {
  if (budget === false || tool.channels === "program") return false;
  if (isContent(data)) return textBytes(data) > budget;
  // What is too deep to be measured has no preview either.
  return orElse(() => encodedSize(data, budget), 0) > budget;
}

/** The beginning of a result, with a link to the whole. Where nothing can be left out, the result as it is. */
export async function withinBudget(
  tool: Tool,
  outcome: Success,
  { budget, owner, results }: BudgetContext,
): Promise<Success> {
  const { data, meta } = outcome;
  if (!isOverBudget(tool, data, budget)) return outcome;
  const preview = isContent(data) ? blocksPreview(data, budget) : previewOf(data, optionsFor(tool, budget));
  if (preview === undefined) return outcome;
  const stored = await results().put(printJson(data), { owner, name: tool.name });
  const hints = hintsOfPreview(preview, stored && linkTo(tool, stored));
  return { ok: true, data: preview.data, meta: withPreview(hintsOf(meta), hints) };
}

function optionsFor({ output }: Tool, bytes: number): Parameters<typeof previewOf>[1] {
  return { bytes, ...(output.data !== undefined && { schema: output.data }) };
}

function withPreview(meta: OutcomeMeta, hints: ReturnType<typeof hintsOfPreview>): OutcomeMeta {
  const links = [...(meta.links ?? []), ...(hints.links ?? [])];
  const warnings = [...(meta.warnings ?? []), ...(hints.warnings ?? [])];
  return { ...meta, ...hints, warnings, ...(links.length > 0 && { links }) };
}

function linkTo({ id }: Tool, { uri, bytes }: { uri: string; bytes: number }): MCPResourceLink {
  return {
    type: "resource_link",
    uri,
    name: id,
    title: "The whole result",
    description: `${bytes} bytes of JSON. Read a part of it with ?pointer=/a/b, ?items=0-100 or ?bytes=0-20000.`,
    mimeType: "application/json",
  };
}

/** Texts are cut, each to its share; an image would be none any more. */
function blocksPreview(blocks: readonly JsonRecord[], budget: number): Preview | undefined {
  const share = Math.floor(budget / blocks.filter(isTextBlock).length);
  const data = blocks.map((block) => {
    const shown = isTextBlock(block) ? previewOf(block.text, { bytes: share }) : undefined;
    return shown === undefined ? block : { ...block, text: shown.data };
  });
  const shortened = shorteningsOf(blocks, data);
  return shortened.length === 0 ? undefined : { data, shortened };
}

function textBytes(blocks: readonly JsonRecord[]): number {
  return blocks.reduce((sum, block) => sum + (isTextBlock(block) ? Buffer.byteLength(block.text) : 0), 0);
}
