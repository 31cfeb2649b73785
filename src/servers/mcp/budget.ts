import { isContent, isTextBlock } from "../../dialects/content.js";
import type { OutcomeMeta, Success } from "../../envelope/outcome.js";
import { orElse } from "../../json/attempt.js";
import { printJson } from "../../json/printable.js";
import type { JsonRecord } from "../../json/value.js";
import { encodedSize } from "../../results/encoded-size.js";
import { type Preview, previewOf } from "../../results/preview.js";
import { hintsOfPreview, linkToResult } from "../../results/preview-hints.js";
import type { ResultStore } from "../../results/result-store.js";
import { shorteningsOf } from "../../results/shortening.js";
import { hintsOf } from "./hints.js";
import { isSaidStructure } from "./said-content.js";
import type { Tool } from "./tool.js";

export interface BudgetContext {
  readonly budget: number | false;
  /** Who may read the whole. */
  readonly owner: string | undefined;
  readonly results: () => ResultStore;
  readonly report: (error: unknown) => void;
}

/** Whether a model would get more than it wants to see at once. */
export function isOverBudget(tool: Tool, data: unknown, budget: number | false): budget is number {
  if (budget === false || tool.channels === "program") return false;
  if (isContent(data)) return textBytes(data) > budget;
  // What is too deep to be measured has no preview either.
  return orElse(() => encodedSize(data, budget), 0) > budget;
}

/** The beginning of a result, with a link to the whole. Where nothing can be left out or kept, the result as it is. */
export async function withinBudget(
  tool: Tool,
  outcome: Success,
  { budget, owner, results, report }: BudgetContext,
): Promise<Success> {
  const { data } = outcome;
  if (!isOverBudget(tool, data, budget)) return outcome;
  const preview = isContent(data) ? blocksPreview(data, budget) : previewOf(data, optionsFor(tool, budget));
  if (preview === undefined) return outcome;
  try {
    const stored = await results().put(printJson(data), { owner, name: tool.id });
    const hints = hintsOfPreview(preview, stored && linkToResult({ name: tool.id, ...stored }));
    return { ok: true, data: preview.data, meta: withPreview(shownMeta(outcome, preview, budget, hints), hints) };
  } catch (thrown) {
    // The call has succeeded, whatever becomes of the store.
    report(thrown);
    return outcome;
  }
}

function optionsFor({ output }: Tool, bytes: number): Parameters<typeof previewOf>[1] {
  return { bytes, ...(output.data !== undefined && { schema: output.data }) };
}

type PreviewHints = ReturnType<typeof hintsOfPreview>;

/** What a tool behind Plico said to the model beside its data stays, each text up to its share of the budget. */
function shownMeta(
  { data, meta }: Success,
  preview: Preview,
  budget: number,
  { links = [] }: PreviewHints,
): OutcomeMeta {
  if (meta.source !== "mcp" || !isSaidStructure(data, meta)) return hintsOf(meta);
  const blocks = meta.content as unknown as JsonRecord[];
  const shown = textBytes(blocks) > budget ? (blocksPreview(blocks, budget)?.data ?? blocks) : blocks;
  const content = [...(shown as typeof meta.content), ...links];
  return { ...meta, content, structuredContent: preview.data };
}

function withPreview(meta: OutcomeMeta, hints: PreviewHints): OutcomeMeta {
  const links = [...(meta.links ?? []), ...(hints.links ?? [])];
  const warnings = [...(meta.warnings ?? []), ...(hints.warnings ?? [])];
  return { ...meta, ...hints, warnings, ...(links.length > 0 && { links }) };
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
