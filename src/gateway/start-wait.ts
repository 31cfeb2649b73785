import type { LoadedConfig } from "./config/loaded-config.js";

/** Milliseconds that whoever needs a source waits for it to start. */
export function startWaitOf({ config }: LoadedConfig): number {
  const { mcp } = config.servers ?? {};
  return (typeof mcp === "object" ? mcp.startWaitMs : undefined) ?? 2_000;
}
