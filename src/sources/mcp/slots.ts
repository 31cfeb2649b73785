import { unavailable } from "./errors.js";

const WIDTH = 2 ** 16;

/**
 * Things in flight by a number that is given to them. A `Map` rebuilds itself for every few that come and go, and its old
 * insides live until the next large collection; here a place is used again, with another number.
 */
export class Slots<T> {
  readonly #places: (T | undefined)[] = [];
  readonly #numbers: number[] = [];
  readonly #free: number[] = [];
  #turn: number;
  #size = 0;

  /** Numbers start beyond `first`. */
  constructor(first: number) {
    this.#turn = Math.ceil(first / WIDTH);
  }

  get size(): number {
    return this.#size;
  }

  /** Keeps what `make` makes of its number. */
  add(make: (number: number) => T): T {
    const place = this.#free.pop() ?? this.#places.length;
    if (place >= WIDTH) throw unavailable(`More than ${WIDTH} calls of one source are in flight`);
    const number = this.#turn++ * WIDTH + place;
    const value = make(number);
    this.#places[place] = value;
    this.#numbers[place] = number;
    this.#size += 1;
    return value;
  }

  get(number: number): T | undefined {
    const place = number % WIDTH;
    return this.#numbers[place] === number ? this.#places[place] : undefined;
  }

  delete(number: number): T | undefined {
    const value = this.get(number);
    if (value === undefined) return undefined;
    const place = number % WIDTH;
    this.#places[place] = undefined;
    this.#numbers[place] = -1;
    this.#free.push(place);
    this.#size -= 1;
    return value;
  }

  values(): T[] {
    return this.#places.filter((value) => value !== undefined);
  }
}
