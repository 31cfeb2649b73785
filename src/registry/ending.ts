import { CallError, callErrorFrom, isCallError } from "../envelope/call-error.js";
import { orElse } from "../json/attempt.js";
import { LONGEST_TIMER } from "../json/longest-timer.js";
import { told } from "../json/told.js";
import { isRecord } from "../json/value.js";
import { AbortWatch } from "./abort-watch.js";
import type { ExecuteOptions } from "./call-options.js";

/** Many calls often share one signal. */
const ABORTS = new AbortWatch<(signal: AbortSignal) => void>((onAbort, signal) => onAbort(signal));

/** Calls back once, when a caller aborts or the deadline passes. What is given back takes it back. */
export function watchEnd(options: ExecuteOptions, end: (error: CallError) => void): () => void {
  const { deadline } = options;
  const signals = signalsOf(options);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    clearTimeout(timer);
    for (const signal of signals) ABORTS.delete(signal, onAbort);
  };
  const finish = (error: CallError): void => {
    if (isOver) return;
    stop();
    end(error);
  };
  const onAbort = (signal: AbortSignal): void => finish(abortedBy(signal));
  const arm = (): void => {
    const left = (deadline ?? 0) - Date.now();
    if (!(left > 0)) finish(timeout());
    else timer = setTimeout(arm, Math.min(left, LONGEST_TIMER));
  };
  for (const signal of signals) {
    // Of what is no signal `endBefore` tells.
    if (typeof signal.addEventListener !== "function") continue;
    if (signal.aborted) queueMicrotask(() => onAbort(signal));
    else ABORTS.add(signal, onAbort);
  }
  if (deadline !== undefined) timer = setTimeout(arm, Math.min(Math.max(0, deadline - Date.now()), LONGEST_TIMER));
  return stop;
}

function signalsOf({ signal, parentSignal }: ExecuteOptions): AbortSignal[] {
  return [signal, parentSignal].filter((one) => one !== undefined);
}

/** The end that has come already, before anything was begun. */
export function endBefore(options: ExecuteOptions): CallError | undefined {
  const { deadline } = options;
  for (const signal of signalsOf(options)) {
    if (typeof signal?.addEventListener !== "function") return noSignal(signal);
    if (signal.aborted) return abortedBy(signal);
  }
  // What is no number is no time that is still to come.
  return deadline !== undefined && !(deadline > Date.now()) ? timeout() : undefined;
}

function noSignal(given: unknown): CallError {
  return new CallError({
    category: "validation",
    message: `The option signal must be an AbortSignal, not ${told(given)}.`,
  });
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
