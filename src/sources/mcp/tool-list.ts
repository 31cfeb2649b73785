import type { Warning } from "../../envelope/warning.js";
import { told } from "../../json/told.js";
import { isRecord, isString, type JsonRecord } from "../../json/value.js";
import type { Connection } from "./connection.js";
import { invalidAnswer } from "./errors.js";

/** A tool as the server describes it. */
export type RawTool = JsonRecord & { readonly name: string };

export interface ToolList {
  readonly tools: readonly RawTool[];
  readonly warnings: readonly Warning[];
  /** Until when the server wants the list to be used, in Unix epoch milliseconds. */
  readonly freshUntil: number | undefined;
}

/** More than any server has: a list that never ends is cut there. */
const MAX_PAGES = 1_000;
const MAX_TOOLS = 20_000;

/** All tools of a server. One that cannot be used does not keep the others out. */
export async function listTools(connection: Connection, timeout: number): Promise<ToolList> {
  if (!connection.hasTools) return { tools: [], warnings: [], freshUntil: undefined };
  const deadline = Date.now() + timeout;
  const listed: unknown[] = [];
  const seen = new Set<string | undefined>();
  let ttl = Number.POSITIVE_INFINITY;
  let cursor: string | undefined;
  while (!seen.has(cursor) && seen.size < MAX_PAGES && listed.length < MAX_TOOLS && Date.now() < deadline) {
    seen.add(cursor);
    const page = await readPage(connection, cursor, deadline - Date.now());
    listed.push(...page.tools);
    ttl = Math.min(ttl, page.ttl);
    cursor = page.next;
    if (cursor === undefined) break;
  }
  const { tools, warnings } = usable(listed);
  return {
    tools,
    warnings: cursor === undefined ? warnings : [...warnings, CUT],
    freshUntil: ttl > 0 && Number.isFinite(ttl) ? Date.now() + ttl : undefined,
  };
}

const CUT: Warning = { code: "TOOLS_CUT", message: "The server's list of tools does not end; what came is used." };

interface Page {
  readonly tools: readonly unknown[];
  readonly next: string | undefined;
  readonly ttl: number;
}

async function readPage({ encoder, request }: Connection, cursor: string | undefined, timeout: number): Promise<Page> {
  const method = "tools/list";
  const encode = encoder.request(method, cursor === undefined ? {} : { cursor });
  const page = await request({ method, encode, timeout: Math.max(1, timeout) });
  if (!isRecord(page) || !Array.isArray(page["tools"])) {
    const found = told(isRecord(page) ? page["tools"] : page);
    throw invalidAnswer(`answered tools/list with ${found} in place of tools`, page);
  }
  const { tools, nextCursor, ttlMs } = page;
  return {
    tools: tools as unknown[],
    next: isString(nextCursor) && nextCursor !== "" ? nextCursor : undefined,
    ttl: typeof ttlMs === "number" ? ttlMs : Number.POSITIVE_INFINITY,
  };
}

function usable(listed: readonly unknown[]): { tools: RawTool[]; warnings: Warning[] } {
  const named = listed.filter(
    (tool): tool is RawTool => isRecord(tool) && isString(tool["name"]) && tool["name"] !== "",
  );
  const count = listed.length - named.length;
  const warnings: Warning[] = count === 0 ? [] : [{ code: "TOOL_UNUSABLE", message: "A tool has no name.", count }];
  return { tools: unique(named, warnings), warnings };
}

/** The server can be asked for only one of those that have the same name. */
function unique(tools: readonly RawTool[], warnings: Warning[]): RawTool[] {
  const byName = new Map<string, RawTool>();
  for (const tool of tools) {
    if (byName.has(tool.name))
      warnings.push({ code: "TOOL_UNUSABLE", message: `There are two tools ${told(tool.name)}; the first is used.` });
    else byName.set(tool.name, tool);
  }
  return [...byName.values()];
}
