import type { CallError } from "../../envelope/call-error.js";
import { CallContext, type HandlerContext } from "../../registry/context.js";

/** What a failed call tells of its source: that it does not work, that it does, or nothing. */
export type Blame = "broken" | "works" | "unknown";

const FAULTS: ReadonlySet<string> = new Set(["network", "unavailable", "timeout"]);

/** Unavailability that Plico itself made, here or in a gateway behind, and programs that are not installed. */
const NOT_ITS_FAULT: ReadonlySet<string> = new Set(["CIRCUIT_OPEN", "QUEUE_FULL", "TOOL_MISSING"]);

/** A caller that has waited for less was in a hurry, which says nothing of the source. */
const PATIENCE_MS = 5_000;

export function blameFor(error: CallError, context: HandlerContext, ranMs: number): Blame {
  const { category, code, recoverable } = error;
  if (category === "aborted") return "unknown";
  if (!FAULTS.has(category)) return "works";
  if (NOT_ITS_FAULT.has(code) || !recoverable) return "unknown";
  return category === "timeout" && hasEnded(context) && ranMs < PATIENCE_MS ? "unknown" : "broken";
}

/** Whether the caller waits no longer. */
export function hasEnded(context: HandlerContext): boolean {
  return context instanceof CallContext ? context.ended !== undefined : context.signal.aborted;
}
