import { isCallError } from "../../envelope/call-error.js";
import { isUnexpectedFailure } from "../../envelope/unexpected-failure.js";
import { messageOf, orElse } from "../../json/attempt.js";
import type { ExecuteOptions } from "../../registry/call-options.js";
import type { Layer } from "../layer.js";
import type { Log } from "../log.js";
import type { Redactor } from "../redact.js";
import { watchedValues } from "../watched-values.js";

export interface FailureLogOptions {
  readonly log: Log;
  readonly redactor: () => Pick<Redactor, "text">;
}

/** Tells of exceptions of handlers: callers hear no word of them, so that whoever runs it must. */
export function failureLog({ log, redactor }: FailureLogOptions): Layer {
  const tell = (operation: string, error: unknown, options?: ExecuteOptions): void => {
    if (!isCallError(error) || !isUnexpectedFailure(error)) return;
    const { text } = redactor();
    const at = placeOf(error.cause);
    log.error(`${operation} failed unexpectedly`, {
      ...{ operation, requestId: options?.requestId, error: text(messageOf(error.cause)) },
      ...(at !== undefined && { at: text(at) }),
    });
  };
  return (registry) => ({
    list: () => registry.list(),
    onChange: (listener) => registry.onChange(listener),
    async attempt(id, input, options) {
      const outcome = await registry.attempt(id, input, options);
      if (!outcome.ok) tell(id, outcome.error, options);
      return outcome;
    },
    subscribe: (id, input, options) =>
      watchedValues(registry.subscribe(id, input, options), {
        onValue: () => undefined,
        onDone() {},
        onStopped() {},
        onFailed: (thrown) => tell(id, thrown, options),
      }),
  });
}

/** The first line of its stack that is a place. */
function placeOf(thrown: unknown): string | undefined {
  const stack = orElse(() => (thrown as { readonly stack?: unknown } | null | undefined)?.stack, undefined);
  return typeof stack === "string" ? /^ +at (.+)$/m.exec(stack)?.[1] : undefined;
}
