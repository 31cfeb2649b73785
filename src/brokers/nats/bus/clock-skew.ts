/** What a request says of its time, in the clock of its caller. */
export interface SentTimes {
  readonly deadline: number;
  readonly sentAt: number;
}

/**
 * A deadline in the receiver's clock. Where the clocks agree within `maxSkewMs` it is the caller's own; where they do
 * not, what the caller had left when it sent the request counts, so that no clock kills calls or lets them live on.
 */
export function deadlineHere({ deadline, sentAt }: SentTimes, now: number, maxSkewMs: number): number {
  const latest = now + (deadline - sentAt);
  return Math.min(latest, Math.max(deadline, latest - maxSkewMs));
}

/** Whether the caller has taken the call for lost by now. */
export function isGivenUp(sentAt: number, heartbeat: number, now: number, maxSkewMs: number): boolean {
  return now - sentAt > 3 * heartbeat + maxSkewMs;
}

const FRESH_MS = 60_000;

/** Whether a signed request is recent: an old one may be another's copy. */
export function isFresh(sentAt: number, now: number, maxSkewMs: number): boolean {
  return Math.abs(now - sentAt) <= FRESH_MS + maxSkewMs;
}
