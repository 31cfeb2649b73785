import { isThenable } from "../../json/attempt.js";
import { startTimer } from "../../json/longest-timer.js";
import type { HandlerContext } from "../../registry/context.js";
import type { AnyHandler } from "../../registry/operation.js";
import { guardedValues } from "../guards/guarded-values.js";

/** Counts the calls that run, so that what they use can be closed after the last. */
export class CallCount {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  get running(): number {
    return this.#running;
  }

  /** Runs a handler, and gives what it gives. A subscription runs until its values are over. */
  run(handler: AnyHandler, input: unknown, context: HandlerContext): unknown {
    const over = this.#begin();
    try {
      const result = handler(input, context);
      if (context.spec.type === "subscription") return watched(result, over);
      if (isThenable(result)) return settling(result, over);
      over();
      return result;
    } catch (thrown) {
      over();
      throw thrown;
    }
  }

  /** Until none runs, or so many milliseconds have gone by. */
  idle(milliseconds: number): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = startTimer(milliseconds, done);
      timer?.unref();
      this.#waiting.add(done);
    });
  }

  #begin(): () => void {
    this.#running += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#running -= 1;
      if (this.#running === 0) for (const done of this.#waiting) done();
    };
  }
}

/** What another library gives in place of a promise may do its work each time that it is asked. */
function settling(result: PromiseLike<unknown>, over: () => void): Promise<unknown> {
  const promise = Promise.resolve(result);
  promise.then(over, over);
  return promise;
}

async function watched(result: unknown, over: () => void): Promise<unknown> {
  try {
    return guardedValues(await result, { began() {}, failed() {}, over });
  } catch (thrown) {
    over();
    throw thrown;
  }
}
