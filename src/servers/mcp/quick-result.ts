import { isContent } from "../../dialects/content.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { Stamp } from "./stamp.js";
import type { Tool } from "./tool.js";

const PLAIN = '{"added":["/content"]}';
const WRAPPED = '{"added":["/content"],"wrapped":true}';

/**
 * The printed result of most calls, the same as the long way would make it: plain data in both channels, with nothing to
 * be said about it. The data is put into JSON once; everything around it is only added.
 */
export function quickResult(tool: Tool, outcome: Outcome, budget: number | false, stamp: Stamp): string | undefined {
  if (!outcome.ok || !isQuick(tool) || !isBare(outcome.meta)) return undefined;
  const { data } = outcome;
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

const OPENING_BRACE = 0x7b;

function isQuick({ layout, channels }: Tool): boolean {
  return layout === "plain" && channels === "both";
}

/** Whether the meta has a local origin and nothing else. */
function isBare(meta: object): boolean {
  let count = 0;
  for (const _ in meta) count++;
  return count === 3 && (meta as { source?: unknown }).source === "local";
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
