import { CallError } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { told } from "../json/told.js";
import { answer } from "./answer.js";
import type { ExecuteOptions } from "./call-options.js";
import { CallContext } from "./context.js";
import { endBefore, watchEnd } from "./ending.js";
import type { Entry } from "./entry.js";
import { mapError } from "./map-error.js";
import { acceptInput, invoke, type Pipeline } from "./pipeline.js";

type Result = IteratorResult<ResponseEnvelope, undefined>;

const DONE: Result = { done: true, value: undefined };

/**
 * The values of an operation, each in an envelope. Nothing happens before the first is asked for. Ending it ends the
 * handler's generator, whose `finally` runs; one that is busy waiting for something else is not waited for.
 */
export class Subscription implements AsyncGenerator<ResponseEnvelope, undefined, undefined> {
  readonly #pipeline: Pipeline;
  readonly #entry: Entry;
  readonly #input: unknown;
  readonly #options: ExecuteOptions;
  #context: CallContext | undefined;
  #source: AsyncIterator<unknown> | undefined;
  #isOver = false;
  /** What has ended it, until the consumer was told. */
  #untold: CallError | undefined;
  #stopWatching: () => void = () => {};
  /** Lets go of what is being waited for. */
  #release: (() => void) | undefined;
  /** Values are taken one after the other, as from a generator. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(pipeline: Pipeline, entry: Entry, input: unknown, options: ExecuteOptions = {}) {
    this.#pipeline = pipeline;
    this.#entry = entry;
    this.#input = input;
    this.#options = options;
  }

  next(): Promise<Result> {
    const taken = this.#last.then(() => this.#take());
    this.#last = taken.catch(() => undefined);
    return taken;
  }

  async return(): Promise<Result> {
    // The consumer itself has ended it, and need not be told.
    const ended = this.#end(new CallError({ category: "aborted", message: "The subscription was ended." }));
    this.#untold = undefined;
    await ended;
    return DONE;
  }

  async throw(thrown: unknown): Promise<Result> {
    await this.return();
    throw thrown;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #take(): Promise<Result> {
    try {
      const envelope = this.#isOver ? undefined : await this.#nextEnvelope();
      if (envelope !== undefined) return { done: false, value: envelope };
    } catch (thrown) {
      await this.#end(mapError(thrown, this.#entry.id, this.#entry.spec.errorSchemas));
    }
    return this.#rest();
  }

  /** The next value; `undefined` where there is none, because the source or the subscription has ended. */
  async #nextEnvelope(): Promise<ResponseEnvelope | undefined> {
    if (this.#source === undefined) await this.#orEnd(this.#open());
    // A source that always has a value leaves no timer the time to ring.
    const late = endBefore(this.#options);
    if (late !== undefined && this.#source !== undefined) throw late;
    const taken = this.#source === undefined || this.#isOver ? undefined : await this.#orEnd(this.#source.next());
    if (taken === undefined) return undefined;
    if (taken.done !== true) return answer(this.#entry, this.#context as CallContext, taken.value);
    this.#isOver = true;
    this.#stopWatching();
    return undefined;
  }

  /** What is left after the end: the reason, once. */
  #rest(): Result {
    const error = this.#untold;
    this.#untold = undefined;
    if (error !== undefined) throw error;
    return DONE;
  }

  async #open(): Promise<void> {
    const { onStart, ...options } = this.#options;
    const end = (error: CallError): void => void this.#end(error);
    if (onStart === undefined) this.#stopWatching = watchEnd(options, end);
    else onStart(end);
    const input = await acceptInput(this.#pipeline, this.#entry, this.#input, options, false);
    const early = onStart === undefined ? endBefore(options) : undefined;
    if (early !== undefined) throw early;
    if (this.#isOver) return;
    const context = new CallContext(this.#entry, input, options, this.#pipeline.makeEnv);
    this.#context = context;
    const { spec, id } = this.#entry;
    const result = await invoke(this.#pipeline, this.#entry, context);
    const source = spec.type === "subscription" ? iteratorOf(result, id) : iteratorOf([result], id);
    // The consumer may have gone meanwhile.
    if (this.#isOver) await close(source);
    else this.#source = source;
  }

  /** What the work gives, or `undefined` where the subscription ends first. */
  #orEnd<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#release = () => resolve(undefined);
      const done = (): void => {
        this.#release = undefined;
      };
      work.then(done, done);
      work.then(resolve, reject);
    });
  }

  /** Ends once. The one who asks for a value, now or next, is told why. */
  async #end(error: CallError): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#untold = error;
    this.#stopWatching();
    this.#context?.end(error);
    const closing = this.#source === undefined ? undefined : close(this.#source);
    // A busy generator ends when it comes back from where it is, if ever.
    if (this.#release === undefined) await closing;
    else this.#release();
  }
}

async function close(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.();
  } catch {
    // It has ended with an error of its own, which no one waits for.
  }
}

function iteratorOf(result: unknown, id: string): AsyncIterator<unknown> {
  if (typeof result === "object" && result !== null) {
    if (Symbol.asyncIterator in result) return (result as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    if (Symbol.iterator in result) return inTurn(result as Iterable<unknown>);
  }
  throw new CallError({
    category: "internal",
    message: `The handler of the subscription ${id} returned ${told(result)}. Return an async iterable, such as an async generator.`,
  });
}

/** As `for await` does, the promises of a plain iterable are awaited. */
async function* inTurn(values: Iterable<unknown>): AsyncGenerator<unknown> {
  yield* values;
}
