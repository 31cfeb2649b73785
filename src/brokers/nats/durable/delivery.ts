import type { NatsMessage } from "../nats-client.js";
import type { DurableKey } from "./key.js";

/** A request that JetStream has given to this worker. */
export interface Delivery {
  readonly key: DurableKey;
  /** Of the request in the stream: the same at each delivery. */
  readonly sequence: number;
  /** Which delivery it is, counted from 1. */
  readonly count: number;
  /** Where the server hears what becomes of it. */
  readonly reply: string;
  readonly text: () => string;
}

/**
 * Nothing where it is no message of a stream. The subject ends with the caller and the hash; the address for the answer
 * is `$JS.ACK.[domain.account.]stream.consumer.delivered.sequence.…`.
 */
export function deliveryOf(message: NatsMessage): Delivery | undefined {
  const { subject, reply = "" } = message;
  const [caller, hash] = subject.split(".").slice(-2);
  const words = reply.split(".");
  if (words[0] !== "$JS" || words[1] !== "ACK" || words.length < 9) return undefined;
  const [count, sequence] = words.slice(words.length === 9 ? 4 : 6).map(Number);
  if (caller === undefined || hash === undefined || !Number.isInteger(count) || !Number.isInteger(sequence))
    return undefined;
  const numbers = { sequence: sequence as number, count: count as number };
  return { key: { caller, hash }, ...numbers, reply, text: () => message.string() };
}
