import type { Layer } from "../layer.js";
import type { Log } from "../log.js";

/** Tells of every call, for those who look closely. */
export function callLog(log: Log): Layer {
  return (registry) => ({
    list: () => registry.list(),
    onChange: (listener) => registry.onChange(listener),
    async attempt(id, input, options) {
      const start = performance.now();
      const outcome = await registry.attempt(id, input, options);
      const ms = Math.round(performance.now() - start);
      log.debug(outcome.ok ? `${id} was answered` : `${id} failed`, {
        ms,
        identity: options?.identity?.id,
        ...(!outcome.ok && { code: outcome.error.code }),
      });
      return outcome;
    },
    subscribe(id, input, options) {
      log.debug(`${id} is listened to`, { identity: options?.identity?.id });
      return registry.subscribe(id, input, options);
    },
  });
}
