/** Choices that a seed decides: the same seed chooses the same. */
export function seededChance(seed) {
  let state = seed >>> 0;
  /** mulberry32: a number from 0 up to 1. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least, most) => least + Math.floor(next() * (most - least + 1));
  const pick = (list) => list[between(0, list.length - 1)];
  const shuffle = (list) => {
    const left = [...list];
    return list.map(() => left.splice(between(0, left.length - 1), 1)[0]);
  };
  return { next, between, pick, shuffle };
}
