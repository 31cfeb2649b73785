import type { CallErrorInit } from "../envelope/call-error.js";
import { pastDeadline, silent, workerLost } from "./failure.js";
import type { Terms } from "./pending.js";

/** A call that ends at its deadline, or by one of two silences. All times are Unix epoch milliseconds, or `Infinity`. */
export interface Timed {
  readonly terms: Terms;
  /** When the operation was silent for too long. */
  silentAt: number;
  /** When something is to be done about the silence of the worker. */
  lostAt: number;
  /** How often that was done since the last sign of life. */
  misses: number;
  /** Whatever comes first. */
  expiresAt: number;
}

/** What is to be done: the call fails, the worker is asked whether it has the call, or nothing. */
export type Verdict = CallErrorInit | "ask" | "wait";

/** After so many heartbeats the worker is asked, and after one more the call fails. */
const ASKED_AFTER = 2;

const NEVER = Number.POSITIVE_INFINITY;

/** When a silence of the operation ends the call that begins now. */
export function silentFromNow({ idleTimeout }: Terms): number {
  return idleTimeout === NEVER ? NEVER : Date.now() + idleTimeout;
}

/** When the worker is asked, if it is silent from now on. */
export function lostFromNow({ heartbeat }: Terms): number {
  return heartbeat === NEVER ? NEVER : Date.now() + ASKED_AFTER * heartbeat;
}

export function expiryOf({ terms: { deadline }, silentAt, lostAt }: Timed): number {
  return silentAt === NEVER && lostAt === NEVER ? deadline : Math.min(deadline, silentAt, lostAt);
}

/** The worker lives. */
export function noteLife(timed: Timed): void {
  timed.misses = 0;
  timed.lostAt = lostFromNow(timed.terms);
  timed.expiresAt = expiryOf(timed);
}

/** What is to be done when the time of a call has come. */
export function judgeSilence(timed: Timed, isSuspended: boolean): Verdict {
  const { deadline, idleTimeout, heartbeat } = timed.terms;
  const now = Date.now();
  if (deadline <= now) return pastDeadline(deadline);
  if (timed.silentAt <= now) return silent(idleTimeout);
  const lateness = now - timed.lostAt;
  timed.lostAt = now + heartbeat;
  timed.expiresAt = expiryOf(timed);
  if (isSuspended) return "wait";
  timed.misses += 1;
  // An answer may be lost although its worker lives.
  if (timed.misses === 1) return "ask";
  // Where the timer itself rings too late, this process stood still, and what came meanwhile has not been read.
  if (timed.misses === 2 && lateness > heartbeat) return "wait";
  return workerLost((ASKED_AFTER + 1) * heartbeat);
}
