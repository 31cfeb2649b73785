import type { Implementation } from "@modelcontextprotocol/server";
import type { McpResult } from "../../dialects/mcp-result.js";
import { type Era, SERVER_INFO_KEY } from "../../mcp/keys.js";

/** What an era wants in every result. */
export interface Stamp {
  apply(result: McpResult): McpResult;
  /** The end of a printed result whose `_meta` has nothing but this JSON under `plico`. */
  end(carried: string): string;
}

const LEGACY: Stamp = {
  apply: (result) => result,
  end: (carried) => `,"_meta":{"plico":${carried}}}`,
};

/** From 2026-07-28 on each result says that it is one, and whose. */
function modernStamp(info: Implementation): Stamp {
  const rest = `,"${SERVER_INFO_KEY}":${JSON.stringify(info)}},"resultType":"complete"}`;
  return {
    apply: (result) => ({ ...result, _meta: { [SERVER_INFO_KEY]: info, ...result._meta }, resultType: "complete" }),
    end: (carried) => `,"_meta":{"plico":${carried}${rest}`,
  };
}

export function stampsFor(info: Implementation): Readonly<Record<Era, Stamp>> {
  return { legacy: LEGACY, modern: modernStamp(info) };
}
