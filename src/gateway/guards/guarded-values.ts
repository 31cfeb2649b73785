import { isRecord } from "../../json/value.js";

/** Hears how a subscription goes. */
export interface ValuesWatch {
  /** The first value has come, or the values have ended without one. */
  began(): void;
  /** They failed before the first value came. */
  failed(thrown: unknown): void;
  /** No more will come: they have ended or failed, or nobody wants them. Only the first time counts. */
  over(): void;
}

/** The values of a handler, watched. What is no iterable is given back as it is: the registry says what is wrong with it. */
export function guardedValues(result: unknown, watch: ValuesWatch): unknown {
  const iterator = iteratorOf(result);
  if (iterator !== undefined) return new GuardedValues(iterator, watch);
  watch.began();
  watch.over();
  return result;
}

function iteratorOf(result: unknown): AsyncIterator<unknown> | undefined {
  if (!isRecord(result) && !Array.isArray(result)) return undefined;
  if (Symbol.asyncIterator in result) return (result as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  return Symbol.iterator in result ? inTurn(result as Iterable<unknown>) : undefined;
}

async function* inTurn(values: Iterable<unknown>): AsyncGenerator<unknown> {
  yield* values;
}

class GuardedValues implements AsyncIterableIterator<unknown> {
  readonly #values: AsyncIterator<unknown>;
  readonly #watch: ValuesWatch;
  #hasBegun = false;

  constructor(values: AsyncIterator<unknown>, watch: ValuesWatch) {
    this.#values = values;
    this.#watch = watch;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<unknown>> {
    try {
      const taken = await this.#values.next();
      this.#begin();
      if (taken.done === true) this.#watch.over();
      return taken;
    } catch (thrown) {
      if (!this.#hasBegun) this.#watch.failed(thrown);
      this.#watch.over();
      throw thrown;
    }
  }

  /** Those who are busy end when they come back from where they are; their place is free at once. */
  async return(): Promise<IteratorResult<unknown>> {
    this.#watch.over();
    return (await this.#values.return?.()) ?? { done: true, value: undefined };
  }

  #begin(): void {
    if (!this.#hasBegun) this.#watch.began();
    this.#hasBegun = true;
  }
}
