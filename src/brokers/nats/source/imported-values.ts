import { callErrorFrom } from "../../../envelope/call-error.js";
import type { ResponseEnvelope } from "../../../envelope/response-envelope.js";
import { type HandlerContext, whenEnded } from "../../../registry/context.js";
import { Attempts } from "./attempts.js";
import { requestIdOf, requestOptions, shownError, type Target } from "./call-target.js";

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
    const attempts = new Attempts(this.#target);
    for (;;) {
      try {
        const step = await this.#values.next();
        attempts.tell(this.#context);
        return step;
      } catch (thrown) {
        const error = callErrorFrom(thrown);
        const next = this.#isEnded ? undefined : attempts.after(error);
        if (next === undefined) {
          attempts.tell(this.#context);
          throw shownError(error);
        }
        this.#values = this.#open(next);
      }
    }
  }

  #open(address: string): AsyncGenerator<ResponseEnvelope, void, undefined> {
    const options = requestOptions(this.#context, this.#requestId, address);
    return this.#target.caller.map.subscribe(this.#target.id, this.#input, options);
  }
}
