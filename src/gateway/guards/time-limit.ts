import { CallError } from "../../envelope/call-error.js";
import { isThenable } from "../../json/attempt.js";
import { startTimer } from "../../json/longest-timer.js";
import { type HandlerContext, whenEnded } from "../../registry/context.js";
import type { EnvCallOptions, OperationEnv, OperationFunction } from "../../registry/env.js";
import type { AnyHandler } from "../../registry/operation.js";

/** The handler's result, or a `TIMEOUT` after so many milliseconds, whether the handler listens to its signal or not. */
export function withinTime(handler: AnyHandler, input: unknown, context: HandlerContext, ms: number): unknown {
  const limited = new LimitedContext(context, ms);
  const result = handler(input, limited);
  if (!isThenable(result)) return result;
  return new Promise((resolve, reject) => {
    let unwatch = (): void => {};
    const stop = (): void => {
      clearTimeout(timer);
      unwatch();
    };
    const end = (error: CallError): void => {
      stop();
      limited.end(error);
      reject(error);
    };
    const timer = startTimer(ms, () => end(timedOut(context.operationId, ms)));
    unwatch = whenEnded(context, end);
    Promise.resolve(result).finally(stop).then(resolve, reject);
  });
}

/** The context of a call, with an end of its own. */
class LimitedContext implements HandlerContext {
  readonly #context: HandlerContext;
  readonly deadline: number;
  #controller: AbortController | undefined;
  #ended: CallError | undefined;
  #env: OperationEnv | undefined;

  constructor(context: HandlerContext, ms: number) {
    this.#context = context;
    this.deadline = Math.min(Date.now() + ms, context.deadline ?? Number.POSITIVE_INFINITY);
  }

  end(error: CallError): void {
    this.#ended ??= error;
    this.#controller?.abort(this.#ended);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#ended !== undefined) this.#controller.abort(this.#ended);
    return this.#controller.signal;
  }

  get env(): OperationEnv {
    this.#env ??= endingWith(this.signal, this.#context.env);
    return this.#env;
  }

  get operationId(): string {
    return this.#context.operationId;
  }

  get spec(): HandlerContext["spec"] {
    return this.#context.spec;
  }

  get input(): unknown {
    return this.#context.input;
  }

  get requestId(): string {
    return this.#context.requestId;
  }

  get parentRequestId(): string | undefined {
    return this.#context.parentRequestId;
  }

  get identity(): HandlerContext["identity"] {
    return this.#context.identity;
  }

  get idempotencyKey(): string | undefined {
    return this.#context.idempotencyKey;
  }

  get metadata(): HandlerContext["metadata"] {
    return this.#context.metadata;
  }

  get warn(): HandlerContext["warn"] {
    return this.#context.warn;
  }

  get page(): HandlerContext["page"] {
    return this.#context.page;
  }

  get progress(): HandlerContext["progress"] {
    return this.#context.progress;
  }

  get link(): HandlerContext["link"] {
    return this.#context.link;
  }

  get summary(): HandlerContext["summary"] {
    return this.#context.summary;
  }
}

/** The same operations, whose calls end with the signal too. */
function endingWith(signal: AbortSignal, env: OperationEnv): OperationEnv {
  const within =
    (call: OperationFunction): OperationFunction =>
    (input, options: EnvCallOptions = {}) =>
      call(input, {
        ...options,
        signal: options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
      });
  const limited: Record<string, OperationEnv[string]> = {};
  for (const namespace of Object.keys(env)) {
    const get = (): OperationEnv[string] =>
      Object.fromEntries(Object.entries(env[namespace] ?? {}).map(([name, call]) => [name, within(call)]));
    Object.defineProperty(limited, namespace, { get, enumerable: true });
  }
  return limited;
}

function timedOut(operationId: string, ms: number): CallError {
  return new CallError({
    category: "timeout",
    message: `${operationId} has not answered within ${ms} ms. A longer \`timeout\` of the source waits longer.`,
  });
}
