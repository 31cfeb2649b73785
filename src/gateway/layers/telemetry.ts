import { callErrorFrom } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { ExecuteOptions } from "../../registry/call-options.js";
import type { Layer } from "../layer.js";
import type { Log } from "../log.js";
import { watchedValues } from "../watched-values.js";
import { type CallSpan, startCallSpan } from "./call-span.js";
import { type OpenTelemetry, openTelemetry } from "./open-telemetry.js";

export interface TelemetryOptions {
  /** Of `plico.json`: OpenTelemetry may be installed there. */
  readonly folder: string;
  readonly log: Log;
  /** The source that brought an operation. */
  readonly sourceOf?: (operationId: string) => { readonly name: string } | undefined;
}

/** A span and metrics for every call where OpenTelemetry is installed; looked for at the first call. */
export function telemetry({ folder, log, sourceOf }: TelemetryOptions): Layer {
  let found: { readonly telemetry: OpenTelemetry | undefined } | undefined;
  const spanOf = (operation: string, options: ExecuteOptions | undefined): CallSpan | undefined => {
    found ??= { telemetry: openTelemetry(folder, log) };
    if (found.telemetry === undefined) return undefined;
    return startCallSpan(found.telemetry, { operation, source: sourceOf?.(operation)?.name, options });
  };
  return (registry) => ({
    list: () => registry.list(),
    onChange: (listener) => registry.onChange(listener),
    attempt(id, input, options) {
      const span = spanOf(id, options);
      if (span === undefined) return registry.attempt(id, input, options);
      return ended(
        span,
        span.run(() => registry.attempt(id, input, span.options)),
      );
    },
    subscribe(id, input, options) {
      const span = spanOf(id, options);
      if (span === undefined) return registry.subscribe(id, input, options);
      return watched(span, () => registry.subscribe(id, input, span.options));
    },
  });
}

async function ended(span: CallSpan, outcome: Promise<Outcome>): Promise<Outcome> {
  try {
    const given = await outcome;
    span.end(given.ok ? undefined : given.error);
    return span.told === undefined ? given : { ...given, meta: { ...span.told, ...given.meta } };
  } catch (thrown) {
    span.end(callErrorFrom(thrown));
    throw thrown;
  }
}

/** The handler begins with the first value, so each is asked for within the span. */
function watched(span: CallSpan, subscribe: () => AsyncGenerator<ResponseEnvelope>): AsyncGenerator<ResponseEnvelope> {
  const onFailed = (thrown: unknown): void => span.end(callErrorFrom(thrown));
  try {
    const values = subscribe();
    const within: AsyncGenerator<ResponseEnvelope> = {
      next: () => span.run(() => values.next()),
      return: (value) => values.return(value),
      throw: (thrown) => values.throw(thrown),
      [Symbol.asyncIterator]: () => within,
    };
    return watchedValues(within, {
      onValue: () => undefined,
      onDone: () => span.end(),
      onStopped: () => span.end(),
      onFailed,
    });
  } catch (thrown) {
    onFailed(thrown);
    throw thrown;
  }
}
