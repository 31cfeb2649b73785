import { isContent } from "../../dialects/content.js";
import type { McpResult } from "../../dialects/mcp-result.js";
import { toolEnvelopeV1 } from "../../dialects/tool-envelope-v1.js";
import { toolResponse } from "../../dialects/tool-response.js";
import { callErrorData } from "../../envelope/call-error.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import type { JsonPointer } from "../../json/pointer.js";
import { printJson } from "../../json/printable.js";
import { hintsOf } from "./hints.js";
import type { Tool } from "./tool.js";

/** `{ meta: { status, summary, … }, data }` as structure, its headline and the data as text. */
export function toolResponseResult({ channels }: Tool, outcome: Outcome): McpResult {
  const served = withHints(outcome, hintsOf(outcome.meta));
  const wire = toolResponse.write(served).wire as unknown as McpResult;
  const told = served.ok ? [...wire.content, ...dataBlocks(served.data)] : wire.content;
  const { structuredContent, ...rest } = wire;
  if (channels === "model") return forPlico({ ...rest, content: told }, served, wire.content.length);
  const content = channels === "program" ? wire.content.slice(0, 1) : told;
  return forPlico({ ...wire, content }, served, "/structuredContent/data");
}

/** A text for people, and `__ENVELOPE_V1__:` with all of it for programs. */
export function toolEnvelopeResult({ id, channels }: Tool, outcome: Outcome): McpResult {
  const { timestamp } = outcome.meta;
  const hints = hintsOf(outcome.meta);
  const served = withHints(outcome, hints);
  const timed = withHints(outcome, { ...hints, ...(timestamp !== undefined && { timestamp }) });
  const wire = toolEnvelopeV1.write(timed, { tool: id }).wire as McpResult;
  if (!served.ok)
    return forPlico({ ...wire, content: wire.content.slice(0, channels === "model" ? 1 : 2) }, served, "");
  const [text, block] = wire.content;
  const links = hints.links ?? [];
  if (channels === "program") return forPlico({ ...wire, content: [text, block, ...links] }, served, "/content/1/text");
  const [first, ...others] = hints.summary === undefined ? dataBlocks(served.data) : [text, ...dataBlocks(served.data)];
  if (channels === "model")
    return forPlico({ ...wire, content: [first, ...others, ...links] }, served, hints.summary === undefined ? 0 : 1);
  // Without a summary the first text is Plico's own, and may be anything.
  return forPlico({ ...wire, content: [first, block, ...others, ...links] }, served, "/content/1/text");
}

/**
 * Carries what these layouts cannot say, so that Plico reads the same outcome from each of them. The data is not sent
 * again: it is at this place, or it is the JSON in this block.
 */
function forPlico(result: McpResult, { meta, ...outcome }: Outcome, place: JsonPointer | number): McpResult {
  const hints = Object.keys(meta).length === 0 ? {} : { meta };
  if (!outcome.ok) {
    const absent = outcome.error.data === undefined ? { absent: ["data"] } : {};
    return { ...result, _meta: { plico: { error: outcome.error, ...absent, ...hints } } };
  }
  const at = typeof place === "string" ? place : `/content/${place}/text`;
  const isRead = typeof place === "string" || (typeof outcome.data !== "string" && !isContent(outcome.data));
  const carried = { ...(isRead && { at }), ...hints };
  return Object.keys(carried).length === 0 ? result : { ...result, _meta: { plico: carried } };
}

/** The data as a model sees it. */
function dataBlocks(data: unknown): readonly unknown[] {
  if (isContent(data)) return data;
  return [{ type: "text", text: typeof data === "string" ? data : printJson(data) }];
}

function withHints(outcome: Outcome, meta: OutcomeMeta): Outcome {
  return outcome.ok ? { ok: true, data: outcome.data, meta } : { ok: false, error: callErrorData(outcome.error), meta };
}
