import { CallError, callErrorFrom, isCallError } from "../envelope/call-error.js";
import { orElse } from "../json/attempt.js";
import { isRecord } from "../json/value.js";
import type { CallOptions } from "./call-options.js";

/** The longest time that a timer takes; a later deadline is looked at again then. */
const LONGEST = 2 ** 31 - 1;

/** Calls back once, when the caller aborts or the deadline passes. What is given back takes it back. */
export function watchEnd({ signal, deadline }: CallOptions, end: (error: CallError) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  const finish = (error: CallError): void => {
    if (isOver) return;
    stop();
    end(error);
  };
  const onAbort = (): void => finish(abortedBy(signal as AbortSignal));
  const arm = (): void => {
    const left = (deadline ?? 0) - Date.now();
    if (!(left > 0)) finish(timeout());
    else timer = setTimeout(arm, Math.min(left, LONGEST));
  };
  if (signal?.aborted === true) queueMicrotask(onAbort);
  else signal?.addEventListener("abort", onAbort);
  if (deadline !== undefined) timer = setTimeout(arm, Math.min(Math.max(0, deadline - Date.now()), LONGEST));
  return stop;
}

/** The end that has come already, before anything was begun. */
export function endBefore({ signal, deadline }: CallOptions): CallError | undefined {
  if (signal?.aborted === true) return abortedBy(signal);
  // What is no number is no time that is still to come.
  return deadline !== undefined && !(deadline > Date.now()) ? timeout() : undefined;
}

function timeout(): CallError {
  return new CallError({ category: "timeout", message: "The deadline of the call has passed." });
}

/** What a signal says: `AbortSignal.timeout` is a time-out, everything else an abort. */
export function abortedBy(signal: AbortSignal): CallError {
  const { reason } = signal;
  if (isCallError(reason)) return callErrorFrom(reason);
  const name = orElse(() => (isRecord(reason) ? reason["name"] : undefined), undefined);
  if (name === "TimeoutError")
    return new CallError({ category: "timeout", message: "The call timed out.", cause: reason });
  const why = typeof reason === "string" ? `: ${reason}` : ".";
  return new CallError({ category: "aborted", message: `The call was aborted${why}`, cause: reason });
}
