import { CallError, callErrorData } from "../envelope/call-error.js";
import type { ResponseHints } from "../envelope/hints.js";
import type { OutcomeMeta } from "../envelope/outcome.js";

const SHARED = Symbol.for("plico.failureHints");

type Hints = WeakMap<CallError, OutcomeMeta>;
type World = { [SHARED]?: Hints };

/** Shared with copies of this file in other bundles: an error may be thrown in one and caught in another. */
const HINTS = sharedBy(globalThis as World);

function sharedBy(world: World): Hints {
  world[SHARED] ??= new WeakMap();
  return world[SHARED];
}

/** What was said before a call failed. */
export function hintsOfFailure(error: CallError): OutcomeMeta | undefined {
  return HINTS.get(error);
}

/** Keeps hints, and the origin, beside an error that was made for this one call: `attempt` gives both. */
export function keepHints(error: CallError, hints: OutcomeMeta): CallError {
  if (Object.keys(hints).length > 0) HINTS.set(error, hints);
  return error;
}

/** The error with more hints. A copy: whoever threw it may throw the same one in the next call, of somebody else. */
export function withMoreHints(error: CallError, hints: ResponseHints | undefined): CallError {
  if (hints === undefined) return error;
  const before = HINTS.get(error);
  const warnings = [...(before?.warnings ?? []), ...(hints.warnings ?? [])];
  const copy = new CallError({ ...callErrorData(error), cause: error.cause });
  if (error.stack !== undefined) copy.stack = error.stack;
  return keepHints(copy, { ...before, ...hints, ...(warnings.length > 0 && { warnings }) });
}
