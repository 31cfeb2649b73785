/** Milliseconds. JavaScript takes a longer time for none at all. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;

/** Rings once. What is longer than a timer can be is no limit that anybody waits for. */
export function startTimer(ms: number | undefined, ring: () => void): ReturnType<typeof setTimeout> | undefined {
  return ms === undefined || ms > LONGEST_TIMER ? undefined : setTimeout(ring, ms);
}
