import type { ResponseEnvelope } from "../envelope/response-envelope.js";

export interface ValueWatch {
  /** May keep the one who asked for the value waiting. */
  readonly onValue: (envelope: ResponseEnvelope) => Promise<void> | undefined;
  readonly onDone: () => void;
  readonly onStopped: () => void;
  readonly onFailed: (thrown: unknown) => void;
}

/**
 * The same values, watched as they go by; of the ends only the first is told. It is no generator function, because one
 * that waits for a value cannot be ended.
 */
export function watchedValues(
  values: AsyncGenerator<ResponseEnvelope>,
  { onValue, onDone, onStopped, onFailed }: ValueWatch,
): AsyncGenerator<ResponseEnvelope> {
  let isOver = false;
  const end = (tell: () => void): void => {
    if (!isOver) tell();
    isOver = true;
  };
  const watched: AsyncGenerator<ResponseEnvelope> = {
    async next() {
      try {
        const taken = await values.next();
        if (taken.done === true) end(onDone);
        else await onValue(taken.value);
        return taken;
      } catch (thrown) {
        end(() => onFailed(thrown));
        throw thrown;
      }
    },
    return(value) {
      end(onStopped);
      return values.return(value);
    },
    throw(thrown) {
      end(onStopped);
      return values.throw(thrown);
    },
    [Symbol.asyncIterator]: () => watched,
  };
  return watched;
}
