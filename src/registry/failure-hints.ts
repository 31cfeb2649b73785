import type { CallError } from "../envelope/call-error.js";
import type { ResponseHints } from "../envelope/hints.js";

const HINTS = new WeakMap<CallError, ResponseHints>();

/** What was said before a call failed. */
export function hintsOfFailure(error: CallError): ResponseHints | undefined {
  return HINTS.get(error);
}

/** Keeps what was said before a call failed, beside the error: `attempt` gives both. */
export function keepHints(error: CallError, hints: ResponseHints | undefined): CallError {
  if (hints === undefined || Object.keys(hints).length === 0) return error;
  const before = HINTS.get(error);
  const warnings = [...(before?.warnings ?? []), ...(hints.warnings ?? [])];
  HINTS.set(error, { ...before, ...hints, ...(warnings.length > 0 && { warnings }) });
  return error;
}
