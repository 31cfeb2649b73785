import { callErrorFrom } from "../../../envelope/call-error.js";
import type { ResponseEnvelope } from "../../../envelope/response-envelope.js";
import type { Recover } from "../../../protocol/pending-call.js";
import { type HandlerContext, whenEnded } from "../../../registry/context.js";
import type { AnyHandler, OperationSpec } from "../../../registry/operation.js";
import { Attempts } from "./attempts.js";
import { type Caller, type Draft, requestIdOf, requestOptions, shownError, Target } from "./call-target.js";
import { ImportedValues } from "./imported-values.js";

/** The handler of an operation that is called on NATS. */
export function importedHandler(spec: OperationSpec, caller: Caller): AnyHandler {
  const target = new Target(spec, caller);
  if (spec.type === "subscription") {
    return (input, context) => {
      target.check();
      return new ImportedValues(target, input, context);
    };
  }
  return (input, context) => {
    target.check();
    return new ImportedCall(target, input, context).begin();
  };
}

class ImportedCall {
  readonly #target: Target;
  readonly #input: unknown;
  readonly #context: HandlerContext;
  readonly #requestId: string;
  readonly #options: Draft;
  #isEnded = false;

  constructor(target: Target, input: unknown, context: HandlerContext) {
    const { map, ids } = target.caller;
    this.#target = target;
    this.#input = input;
    this.#context = context;
    this.#requestId = requestIdOf(context, ids);
    this.#options = requestOptions(context, this.#requestId, target.address);
    whenEnded(context, ({ category }) => {
      this.#isEnded = true;
      map.abort(this.#requestId, category);
    });
  }

  begin(): Promise<ResponseEnvelope> {
    return this.#call(this.#target.address, (thrown) => this.#goOn(thrown));
  }

  #call(address: string, recover?: Recover): Promise<ResponseEnvelope> {
    this.#options.address = address;
    return this.#target.caller.map.call(this.#target.id, this.#input, this.#options, recover);
  }

  async #goOn(thrown: unknown): Promise<ResponseEnvelope> {
    const attempts = new Attempts(this.#target);
    let error = callErrorFrom(thrown);
    for (;;) {
      const next = this.#isEnded ? undefined : attempts.after(error);
      if (next === undefined) break;
      try {
        const envelope = await this.#call(next);
        attempts.tell(this.#context);
        return envelope;
      } catch (thrown) {
        error = callErrorFrom(thrown);
      }
    }
    attempts.tell(this.#context);
    throw shownError(error);
  }
}
