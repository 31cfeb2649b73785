import type { CallRequestedEvent } from "./events.js";
import type { Terms } from "./pending.js";

/** What is asked for, and where the answers go. */
export interface CallRequest {
  readonly operationId: string;
  readonly input: unknown;
  readonly replyTo: string;
  readonly credit?: number;
}

type Draft = { -readonly [K in keyof CallRequestedEvent]: CallRequestedEvent[K] };

/** The event of a request. What is not said is absent, so that the event is the same after JSON. */
export function requestEvent(
  { requestId, deadline, idleTimeout, heartbeat, options }: Terms,
  request: CallRequest,
): CallRequestedEvent {
  const { operationId, input, replyTo, credit } = request;
  const { parentRequestId, identity, metadata, idempotencyKey } = options;
  const event: Draft = { type: "call.requested", requestId, operationId, replyTo };
  if (input !== undefined) event.input = input;
  if (parentRequestId !== undefined) event.parentRequestId = parentRequestId;
  if (deadline !== Number.POSITIVE_INFINITY) event.deadline = deadline;
  if (idleTimeout !== Number.POSITIVE_INFINITY) event.idleTimeout = idleTimeout;
  if (identity !== undefined) event.identity = identity;
  if (metadata !== undefined) event.metadata = metadata;
  if (idempotencyKey !== undefined) event.idempotencyKey = idempotencyKey;
  if (heartbeat !== Number.POSITIVE_INFINITY) event.heartbeat = heartbeat;
  if (credit !== undefined) event.credit = credit;
  return event;
}
