import { CallError } from "../envelope/call-error.js";
import { type HandlerContext, whenEnded } from "../registry/context.js";

export interface QueueLimits {
  readonly concurrency: number;
  readonly maxQueue: number;
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (error: CallError) => void;
}

/** Lets so many calls run at the same time, and the others wait for their turn. */
export class CallQueue {
  readonly #limits: QueueLimits;
  readonly #waiting = new Set<Waiting>();
  #running = 0;
  #closed: CallError | undefined;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Settles when it is this call's turn, with what ends it. A call that ends before leaves the queue. */
  async enter(context: HandlerContext): Promise<() => void> {
    if (this.#closed !== undefined) throw copyOf(this.#closed);
    if (this.#running >= this.#limits.concurrency) await this.#turn(context);
    else this.#running += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.#next();
      isOver = true;
    };
  }

  /** Those who wait are refused, and so are all who come. */
  close(error: CallError): void {
    this.#closed = error;
    for (const { refuse } of this.#waiting) refuse(copyOf(error));
  }

  #turn(context: HandlerContext): Promise<void> {
    if (this.#waiting.size >= this.#limits.maxQueue) throw full(context.operationId, this.#limits);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting);
        unwatch();
      };
      const refuse = (error: CallError): void => {
        leave();
        reject(error);
      };
      const begin = (): void => {
        leave();
        resolve();
      };
      const waiting: Waiting = { begin, refuse };
      this.#waiting.add(waiting);
      let unwatch = (): void => {};
      unwatch = whenEnded(context, refuse);
    });
  }

  /** The place goes to the one who has waited longest, if there is one. */
  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) this.#running -= 1;
    else first.begin();
  }
}

/** Each call has an error of its own, beside which more may be kept. */
function copyOf(error: CallError): CallError {
  return new CallError(error.toJSON());
}

function full(operationId: string, { concurrency, maxQueue }: QueueLimits): CallError {
  return new CallError({
    category: "unavailable",
    code: "QUEUE_FULL",
    message: `${operationId} cannot wait for its turn: ${concurrency} calls of its source run, and ${maxQueue} wait already.`,
    recoverable: true,
    suggestedAction: "Call again later, or give the source a higher concurrency or maxQueue.",
    details: { concurrency, maxQueue },
  });
}
