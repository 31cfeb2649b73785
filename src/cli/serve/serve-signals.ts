import type { Io, Signal } from "../io.js";

export interface EndSignal {
  /** The first that comes. */
  readonly signal: Promise<Signal>;
  /** Listens no longer. */
  stop(): void;
}

const SIGNALS: readonly Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Waits for the signal that ends a command in good order. Nobody listens to a second one: the system ends the process. */
export function endSignal(io: Io): EndSignal {
  let stop = (): void => {};
  const signal = new Promise<Signal>((resolve) => {
    const listeners = SIGNALS.map((name) => {
      const listener = (): void => {
        stop();
        resolve(name);
      };
      io.on?.(name, listener);
      return [name, listener] as const;
    });
    stop = () => {
      for (const [name, listener] of listeners) io.off?.(name, listener);
    };
  });
  return { signal, stop: () => stop() };
}
