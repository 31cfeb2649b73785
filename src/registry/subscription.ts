import { CallError } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { told } from "../json/told.js";
import { answer } from "./answer.js";
import type { CallOptions } from "./call-options.js";
import { CallContext } from "./context.js";
import { endBefore, watchEnd } from "./ending.js";
import type { Entry } from "./entry.js";
import { mapError } from "./map-error.js";
import { acceptInput, invoke, type Pipeline } from "./pipeline.js";

type Result = IteratorResult<ResponseEnvelope, undefined>;
type Source = AsyncIterator<unknown> | Iterator<unknown>;

const DONE: Result = { done: true, value: undefined };

/**
 * The values of an operation, each in an envelope. Nothing happens before the first is asked for. Ending it ends the
 * handler's generator, whose `finally` runs; one that is busy waiting for something else is not waited for.
 */
export class Subscription implements AsyncGenerator<ResponseEnvelope, undefined, undefined> {
  readonly #pipeline: Pipeline;
  readonly #entry: Entry;
  readonly #input: unknown;
  readonly #options: CallOptions;
  #context: CallContext | undefined;
  #source: Source | undefined;
  #isOver = false;
  #isBusy = false;
  /** The consumer itself has ended it, which is no error to it. */
  #isReturned = false;
  #stopWatching: () => void = () => {};
  /** Lets go of what is being waited for. */
  #release: () => void = () => {};
  /** Values are taken one after the other, as from a generator. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(pipeline: Pipeline, entry: Entry, input: unknown, options: CallOptions = {}) {
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
    this.#isReturned = true;
    await this.#end(new CallError({ category: "aborted", message: "The subscription was ended." }));
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
    if (this.#isOver) return DONE;
    try {
      this.#source ??= await this.#open();
      const taken = await this.#nextOf(this.#source);
      if (taken.done !== true) return { done: false, value: this.#wrap(taken.value) };
      this.#isOver = true;
      this.#stopWatching();
      return DONE;
    } catch (thrown) {
      if (this.#isReturned) return DONE;
      const error = this.#failure(thrown);
      await this.#end(error);
      throw error;
    }
  }

  async #open(): Promise<Source> {
    const entry = this.#entry;
    const options = this.#options;
    const input = await acceptInput(this.#pipeline, entry, this.#input, options, false);
    const early = endBefore(options);
    if (early !== undefined) throw early;
    const { onStart, ...others } = options;
    const context = new CallContext(entry, input, others, this.#pipeline.makeEnv);
    const end = (error: CallError): void => void this.#end(error);
    this.#context = context;
    if (onStart === undefined) this.#stopWatching = watchEnd(options, end);
    else onStart(end);
    const result = await invoke(this.#pipeline, entry, context);
    return entry.spec.type === "subscription" ? iteratorOf(result, entry.id) : [result][Symbol.iterator]();
  }

  /** The next value of the source. Throws the reason when the caller ends it meanwhile. */
  #nextOf(source: Source): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.#isBusy = true;
      this.#release = () => reject(this.#context?.ended);
      Promise.resolve(source.next())
        .then(resolve, reject)
        .finally(() => {
          this.#isBusy = false;
        });
    });
  }

  #wrap(value: unknown): ResponseEnvelope {
    return answer(this.#entry, this.#context as CallContext, value);
  }

  #failure(thrown: unknown): CallError {
    const { id, spec } = this.#entry;
    return this.#context?.ended ?? mapError(thrown, id, spec.errorSchemas);
  }

  async #end(error: CallError): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWatching();
    this.#context?.end(error);
    const closing = this.#close();
    // A busy generator ends when it comes back from where it is, if ever.
    if (this.#isBusy) this.#release();
    else await closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#source?.return?.();
    } catch {
      // It has ended with an error of its own, which no one waits for.
    }
  }
}

function iteratorOf(result: unknown, id: string): Source {
  if (typeof result === "object" && result !== null) {
    if (Symbol.asyncIterator in result) return (result as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    if (Symbol.iterator in result) return (result as Iterable<unknown>)[Symbol.iterator]();
  }
  throw new CallError({
    category: "internal",
    message: `The handler of the subscription ${id} returned ${told(result)}. Return an async iterable, such as an async generator.`,
  });
}
