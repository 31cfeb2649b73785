/** Milliseconds. JavaScript takes a longer time for none at all. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;
