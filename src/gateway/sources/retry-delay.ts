const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 60_000;

/** Milliseconds until what has failed so often is tried again: ever more, and not for all at the same moment. */
export function retryDelay(failures: number, random: () => number = Math.random): number {
  const delay = Math.min(FIRST_DELAY * 2 ** (failures - 1), LONGEST_DELAY);
  return delay * (1 - random() / 4);
}
