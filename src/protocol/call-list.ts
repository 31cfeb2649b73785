/** Something that can stand in a list. */
export interface Listed<T> {
  before: T | undefined;
  after: T | undefined;
  /** When it is its turn; 0 where it stands in no list. */
  turn: number;
}

/** Calls in the order of their turns, each taken out in no time: an array would hold those that have long ended. */
export class CallList<T extends Listed<T>> {
  #first: T | undefined;
  #last: T | undefined;

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  /** Adds one whose turn, from 1, is not before that of the last. */
  add(call: T, turn: number): void {
    call.turn = turn;
    call.before = this.#last;
    if (this.#last === undefined) this.#first = call;
    else this.#last.after = call;
    this.#last = call;
  }

  delete(call: T): void {
    if (call.turn === 0) return;
    const { before, after } = call;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    call.turn = 0;
    call.before = call.after = undefined;
  }

  /** The first one whose turn has come. */
  takeDue(turn: number): T | undefined {
    const call = this.#first;
    if (call === undefined || call.turn > turn) return undefined;
    this.delete(call);
    return call;
  }
}
