export interface Chance {
  /** A number from 0 up to 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<Item>(list: readonly Item[]): Item;
  shuffle<Item>(list: readonly Item[]): Item[];
}

export function seededChance(seed: number): Chance;
