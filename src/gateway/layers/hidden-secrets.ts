import { CallError, callErrorData, isCallError } from "../../envelope/call-error.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { Layer } from "../layer.js";
import type { Redactor } from "../redact.js";

export interface HiddenSecretsOptions {
  readonly redactor: () => Redactor;
}

/**
 * What is told about a call has no secrets of the configuration: the words of a command that was run, the address in an
 * error. What a tool itself answers is its own, and stays as it is.
 */
export function hiddenSecrets({ redactor }: HiddenSecretsOptions): Layer {
  return (registry) => ({
    list: () => registry.list(),
    onChange: (listener) => registry.onChange(listener),
    attempt: async (id, input, options) => cleanOutcome(await registry.attempt(id, input, options), redactor()),
    subscribe: (id, input, options) => cleanValues(registry.subscribe(id, input, options), redactor),
  });
}

function cleanOutcome(outcome: Outcome, redactor: Redactor): Outcome {
  const meta = cleanMeta(outcome.meta, redactor);
  if (outcome.ok) return meta === outcome.meta ? outcome : { ...outcome, meta };
  const error = cleanError(outcome.error, redactor);
  return meta === outcome.meta && error === outcome.error ? outcome : { ...outcome, error, meta };
}

/** Only of a script the origin has words of the configuration. */
function cleanMeta<Meta extends OutcomeMeta>(meta: Meta, redactor: Redactor): Meta {
  if (meta.source !== "script") return meta;
  const command = redactor.known(meta.command);
  return command === meta.command ? meta : { ...meta, command };
}

function cleanError<Failure extends Parameters<typeof callErrorData>[0]>(error: Failure, redactor: Redactor): Failure {
  const { data: _, ...told } = callErrorData(error);
  const clean = redactor.known(told) as typeof told;
  if (clean === told) return error;
  const { cause } = error as { readonly cause?: unknown };
  return new CallError({
    ...clean,
    ...(error.data !== undefined && { data: error.data }),
    cause,
  }) as unknown as Failure;
}

/** No generator function, because one that waits for a value cannot be ended. */
function cleanValues(
  values: AsyncGenerator<ResponseEnvelope>,
  redactor: () => Redactor,
): AsyncGenerator<ResponseEnvelope> {
  const cleanResult = (result: IteratorResult<ResponseEnvelope>): IteratorResult<ResponseEnvelope> => {
    if (result.done === true) return result;
    const meta = cleanMeta(result.value.meta, redactor());
    return meta === result.value.meta ? result : { done: false, value: { ...result.value, meta } };
  };
  const refuse = (thrown: unknown): never => {
    throw isCallError(thrown) ? cleanError(thrown, redactor()) : thrown;
  };
  const clean: AsyncGenerator<ResponseEnvelope> = {
    next: () => values.next().then(cleanResult, refuse),
    return: (value) => values.return(value),
    throw: (thrown) => values.throw(thrown).then(cleanResult, refuse),
    [Symbol.asyncIterator]: () => clean,
  };
  return clean;
}
