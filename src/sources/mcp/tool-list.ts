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

/** More pages than any server has; one that never ends is cut there. */
const MAX_PAGES = 1_000;

/** All tools of a server. One that cannot be used does not keep the others out. */
export async function listTools(connection: Connection, timeout: number): Promise<ToolList> {
  const deadline = Date.now() + timeout;
  const tools: RawTool[] = [];
  const warnings: Warning[] = [];
  if (!connection.hasTools) return { tools, warnings, freshUntil: undefined };
  const seen = new Set<string>();
  let ttl: number | undefined;
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const page = await connection.request({
      method: "tools/list",
      encode: connection.encoder.request("tools/list", params),
      timeout: Math.max(1, deadline - Date.now()),
    });
    if (!isRecord(page) || !Array.isArray(page["tools"]))
      throw invalidAnswer(
        `answered tools/list with ${told(isRecord(page) ? page["tools"] : page)} in place of tools`,
        page,
      );
    for (const tool of page["tools"]) {
      if (isRecord(tool) && isString(tool["name"]) && tool["name"] !== "") tools.push(tool as RawTool);
      else
        warnings.push({
          code: "TOOL_UNUSABLE",
          message: `A tool has no name: ${told(isRecord(tool) ? tool["name"] : tool)}`,
        });
    }
    ttl = typeof page["ttlMs"] === "number" ? Math.min(ttl ?? Number.POSITIVE_INFINITY, page["ttlMs"]) : ttl;
    cursor = isString(page["nextCursor"]) && page["nextCursor"] !== "" ? page["nextCursor"] : undefined;
    const isEndless = cursor !== undefined && (seen.has(cursor) || seen.size >= MAX_PAGES || Date.now() >= deadline);
    if (isEndless) {
      warnings.push({ code: "TOOLS_CUT", message: "The server's list of tools does not end; what came is used." });
      cursor = undefined;
    } else if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return {
    tools: unique(tools, warnings),
    warnings,
    freshUntil: ttl === undefined || ttl <= 0 ? undefined : Date.now() + ttl,
  };
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
