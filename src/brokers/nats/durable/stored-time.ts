/**
 * When a server has stored a call, in nanoseconds: copies of one call may be stored within a microsecond, which a number
 * cannot tell.
 */
export type StoredTime = bigint;

const NANOS_PER_MS = 1_000_000n;

/** As an API tells it: `2026-11-16T20:15:37.672123456Z`. */
export function storedTime(timestamp: string): StoredTime {
  const [, seconds = "", fraction = ""] = /^(.*?)(?:\.(\d+))?Z$/.exec(timestamp) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * NANOS_PER_MS + BigInt(fraction.padEnd(9, "0"));
}

/** In milliseconds by the clock here. */
export function ageOf(storedAt: StoredTime): number {
  return Date.now() - Number(storedAt / NANOS_PER_MS);
}
