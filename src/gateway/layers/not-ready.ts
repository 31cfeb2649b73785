import { CallError } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { isRecord } from "../../json/value.js";
import { type Identity, isShownTo } from "../../registry/access.js";
import { saysNamespaces } from "../config/source-kind.js";
import type { GatewaySource } from "../gateway.js";
import type { Layer } from "../layer.js";

export interface NotReadyOptions {
  readonly sources: () => readonly GatewaySource[];
  /** Until a source is up or has failed, but not for long. */
  readonly started: (source: GatewaySource) => Promise<void>;
}

/**
 * An operation that is unknown because its source is not up is not missing: it is not there yet, or not there now. A call
 * to a source that is starting waits a moment for it.
 */
export function notReady({ sources, started }: NotReadyOptions): Layer {
  const awaited = (id: string, error: unknown, caller: Identity | undefined): GatewaySource | undefined =>
    isNotFound(error) ? sourceAwaited(sources(), id, caller) : undefined;
  return (registry) => ({
    list: () => registry.list(),
    onChange: (listener) => registry.onChange(listener),
    async attempt(id, input, options) {
      const sourceFor = (outcome: Outcome): GatewaySource | undefined =>
        outcome.ok ? undefined : awaited(id, outcome.error, options?.identity);
      const first = await registry.attempt(id, input, options);
      const starting = sourceFor(first);
      if (starting === undefined) return first;
      if (!isStarting(starting)) return { ok: false, error: sourceNotReady(id, starting), meta: first.meta };
      await started(starting);
      const second = await registry.attempt(id, input, options);
      const missing = sourceFor(second);
      return missing === undefined ? second : { ok: false, error: sourceNotReady(id, missing), meta: second.meta };
    },
    subscribe(id, input, options): AsyncGenerator<ResponseEnvelope> {
      try {
        return registry.subscribe(id, input, options);
      } catch (thrown) {
        const source = awaited(id, thrown, options?.identity);
        throw source === undefined ? thrown : sourceNotReady(id, source);
      }
    },
  });
}

function isNotFound(error: unknown): boolean {
  return isRecord(error) && error["code"] === "OPERATION_NOT_FOUND";
}

/** The source that an operation of this name may come with: that of its namespace, else a fleet, which may have any. */
function sourceAwaited(
  sources: readonly GatewaySource[],
  id: string,
  caller: Identity | undefined,
): GatewaySource | undefined {
  const awaited = sources.filter((source) => isAwaited(source, id) && isShown(source, id, caller));
  return awaited.find((source) => isOwner(source, id)) ?? awaited[0];
}

/** A handler may look for another operation, which is not this. */
function isAwaited(source: GatewaySource, id: string): boolean {
  const { kind, config, operationIds } = source;
  const mayHave = isOwner(source, id) || (kind === "nats" && saysNamespaces(config));
  if (!mayHave || operationIds.includes(id)) return false;
  const { status } = source.health();
  return status === "connecting" || status === "down";
}

function isOwner({ name, config: { namespace = name } }: GatewaySource, id: string): boolean {
  return id.startsWith(`${namespace}.`);
}

/** What is wrong with a source is not for those who may call nothing of it. */
function isShown({ config: { scopes = [] } }: GatewaySource, id: string, caller: Identity | undefined): boolean {
  return isShownTo({ requiredScopes: scopes }, caller, id);
}

/** One that has failed before is tried again and again, which may never end. */
function isStarting(source: GatewaySource): boolean {
  const { status, error } = source.health();
  return status === "connecting" && error === undefined;
}

function sourceNotReady(id: string, source: GatewaySource): CallError {
  const { name } = source;
  const { error } = source.health();
  const isComing = isStarting(source);
  const why = error === undefined ? "" : ` (${error.message})`;
  const whose = isOwner(source, id) ? `its source ${name}` : `it may come with the source ${name}, which`;
  return new CallError({
    category: "unavailable",
    message: `${id} cannot be called now: ${whose} ${isComing ? "is still starting" : "is down"}${why}.`,
    recoverable: true,
    suggestedAction: isComing ? "Call again in a moment." : `Find out why ${name} is down, then call again.`,
    details: { source: name, status: isComing ? "connecting" : "down" },
  });
}
