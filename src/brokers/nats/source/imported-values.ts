import { callErrorFrom } from "../../../envelope/call-error.js";
import type { ResponseEnvelope } from "../../../envelope/response-envelope.js";
import { type HandlerContext, whenEnded } from "../../../registry/context.js";
import { mayRepeat, requestIdOf, requestOptions, shownError, type Target, tellAttempts } from "./call-target.js";

type Step = IteratorResult<ResponseEnvelope, void>;

/** The values of a subscription on NATS. Where a worker did not take it, another one is asked. */
export class ImportedValues implements AsyncIterableIterator<ResponseEnvelope> {
  readonly #target: Target;
  readonly #input: unknown;
  readonly #context: HandlerContext;
  readonly #requestId: string;
  #values: AsyncGenerator<ResponseEnvelope, void, undefined>;
  #hasBegun = false;
  #isEnded = false;

  constructor(target: Target, input: unknown, context: HandlerContext) {
    this.#target = target;
    this.#input = input;
    this.#context = context;
    this.#requestId = requestIdOf(context, target.caller.ids);
    this.#values = this.#open(target.address);
    whenEnded(context, ({ category }) => {
      this.#isEnded = true;
      target.caller.map.abort(this.#requestId, category);
    });
  }

  next(): Promise<Step> {
    if (this.#hasBegun) return this.#values.next();
    this.#hasBegun = true;
    return this.#first();
  }

  return(): Promise<Step> {
    this.#isEnded = true;
    return this.#values.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #first(): Promise<Step> {
    const { caller, spec, address } = this.#target;
    const tried = new Set<string>();
    let last = address;
    for (let attempts = 1; ; attempts++) {
      try {
        const step = await this.#values.next();
        tellAttempts(this.#context, attempts);
        return step;
      } catch (thrown) {
        const error = callErrorFrom(thrown);
        const isOver = this.#isEnded || attempts > caller.retries || !mayRepeat(error, spec);
        const next = isOver ? undefined : (this.#target.another(tried) ?? (last === address ? undefined : address));
        if (error.category === "unavailable") caller.onTrouble();
        if (next === undefined) throw shownError(error);
        last = next;
        this.#values = this.#open(next);
      }
    }
  }

  #open(address: string): AsyncGenerator<ResponseEnvelope, void, undefined> {
    const options = requestOptions(this.#context, this.#requestId, address);
    return this.#target.caller.map.subscribe(this.#target.id, this.#input, options);
  }
}
