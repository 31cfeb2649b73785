import { CallError } from "../../envelope/call-error.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { isRecord } from "../../json/value.js";
import { type Identity, isShownTo } from "../../registry/access.js";
import type { GatewaySource } from "../gateway.js";
import type { Layer } from "../layer.js";

export interface NotReadyOptions {
  readonly sources: () => readonly GatewaySource[];
}

/** An operation that is unknown because its source is not up is not missing: it is not there yet, or not there now. */
export function notReady({ sources }: NotReadyOptions): Layer {
  const reason = (id: string, error: unknown, caller: Identity | undefined): CallError | undefined => {
    if (!isNotFound(error)) return undefined;
    const source = sources().find((one) => isAwaited(one, id) && isShown(one, id, caller));
    return source === undefined ? undefined : sourceNotReady(id, source);
  };
  return (registry) => ({
    list: () => registry.list(),
    onChange: (listener) => registry.onChange(listener),
    async attempt(id, input, options) {
      const outcome = await registry.attempt(id, input, options);
      const error = outcome.ok ? undefined : reason(id, outcome.error, options?.identity);
      return error === undefined ? outcome : { ok: false, error, meta: outcome.meta };
    },
    subscribe(id, input, options): AsyncGenerator<ResponseEnvelope> {
      try {
        return registry.subscribe(id, input, options);
      } catch (thrown) {
        throw reason(id, thrown, options?.identity) ?? thrown;
      }
    },
  });
}

function isNotFound(error: unknown): boolean {
  return isRecord(error) && error["code"] === "OPERATION_NOT_FOUND";
}

/** Whether an operation of this name may come with the source. A handler may look for another one, which is not this. */
function isAwaited(source: GatewaySource, id: string): boolean {
  const { name, config, operationIds } = source;
  if (!id.startsWith(`${config.namespace ?? name}.`) || operationIds.includes(id)) return false;
  const { status } = source.health();
  return status === "connecting" || status === "down";
}

/** What is wrong with a source is not for those who may call nothing of it. */
function isShown({ config: { scopes = [] } }: GatewaySource, id: string, caller: Identity | undefined): boolean {
  return isShownTo({ requiredScopes: scopes }, caller, id);
}

function sourceNotReady(id: string, source: GatewaySource): CallError {
  const { name } = source;
  const { status, error } = source.health();
  // One that has failed before is tried again and again, which may never end.
  const isStarting = status === "connecting" && error === undefined;
  const why = error === undefined ? "" : ` (${error.message})`;
  return new CallError({
    category: "unavailable",
    message: `${id} cannot be called now: its source ${name} ${isStarting ? "is still starting" : "is down"}${why}.`,
    recoverable: true,
    suggestedAction: isStarting ? "Call again in a moment." : `Find out why ${name} is down, then call again.`,
    details: { source: name, status: isStarting ? "connecting" : "down" },
  });
}
