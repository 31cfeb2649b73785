import { orElse } from "../../../json/attempt.js";
import { type CallEvent, isCallEvent } from "../../../protocol/events.js";
import type { NatsMessage } from "../nats-client.js";

/** The events of a message, which has one or a list of them. What is none is passed over. */
export function eventsIn(message: NatsMessage): readonly CallEvent[] {
  const value = orElse(() => JSON.parse(message.string()) as unknown, undefined);
  return (Array.isArray(value) ? value : [value]).filter(isCallEvent);
}
