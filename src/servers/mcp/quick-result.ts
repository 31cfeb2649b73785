import { isContent } from "../../dialects/content.js";
import type { MCPResponseMeta } from "../../envelope/origin.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import { isRecord } from "../../json/value.js";
import type { Stamp } from "./stamp.js";
import type { Tool } from "./tool.js";

const SAID = '{"meta":{"source":"mcp"}}';
const PLAIN = '{"added":["/content"]}';
const WRAPPED = '{"added":["/content"],"wrapped":true}';

/**
 * The printed result of most calls, the same as the long way would make it: plain data in both channels, with nothing to
 * be said about it. The data is put into JSON once; everything around it is only added.
 */
export function quickResult(tool: Tool, outcome: Outcome, budget: number | false, stamp: Stamp): string | undefined {
  if (!outcome.ok || !isQuick(tool)) return undefined;
  const { data } = outcome;
  if (outcome.meta.source === "mcp") return passedOn(tool, data, outcome.meta, budget, stamp);
  if (!isBare(outcome.meta)) return undefined;
  const { output } = tool;
  if (Array.isArray(data) && isContent(data)) return undefined;
  if (output.data !== undefined && !output.data.accepts(data)) return undefined;
  const json = jsonOf(data);
  if (json === undefined || (budget !== false && isOver(json, budget))) return undefined;
  const text = JSON.stringify(typeof data === "string" ? data : json);
  const head = `{"content":[{"type":"text","text":${text}}],"structuredContent":`;
  const wraps = output.isWrapped || json.charCodeAt(0) !== OPENING_BRACE;
  return wraps ? `${head}{"result":${json}}${stamp.end(WRAPPED)}` : `${head}${json}${stamp.end(PLAIN)}`;
}

/** What a tool behind Plico gave as structure, with the blocks that it said beside it. */
function passedOn(
  { output }: Tool,
  data: unknown,
  meta: MCPResponseMeta,
  budget: number | false,
  stamp: Stamp,
): string | undefined {
  const { structuredContent, content } = meta;
  if (data !== structuredContent || !isRecord(data) || output.isWrapped || countOf(meta) !== 4) return undefined;
  if (output.data !== undefined && !output.data.accepts(data)) return undefined;
  const json = jsonOf(data);
  const blocks = jsonOf(content);
  if (json === undefined || blocks === undefined) return undefined;
  if (budget !== false && (isOver(json, budget) || isOver(blocks, budget))) return undefined;
  return `{"content":${blocks},"structuredContent":${json}${stamp.end(SAID)}`;
}

const OPENING_BRACE = 0x7b;

function isQuick({ layout, channels }: Tool): boolean {
  return layout === "plain" && channels === "both";
}

/** Whether the meta has a local origin and nothing else. */
function isBare(meta: OutcomeMeta): boolean {
  return meta.source === "local" && countOf(meta) === 3;
}

function countOf(record: object): number {
  let count = 0;
  for (const _ in record) count++;
  return count;
}

/** What cannot be JSON at all, as it is, goes the long way, which makes some of it. */
function jsonOf(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}

/** A character has at most three bytes for each unit of its text. */
function isOver(json: string, budget: number): boolean {
  return json.length * 3 > budget && Buffer.byteLength(json) > budget;
}
