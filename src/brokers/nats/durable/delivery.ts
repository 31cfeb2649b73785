import type { NatsMessage } from "../nats-client.js";
import type { DurableKey } from "./key.js";

/** A request that JetStream has given to this worker. */
export interface Delivery {
  readonly key: DurableKey;
  /** Of the request in the stream: the same at each delivery. */
  readonly sequence: number;
  /** Which delivery it is by the server's count, from 1. */
  readonly count: number;
  /** When the request was stored, in milliseconds by the server's clock. */
  readonly storedAt: number;
  /** Where the server hears what becomes of it. */
  readonly reply: string;
  readonly text: () => string;
}

/**
 * Nothing where it is no message of a stream. The subject ends with the caller and the hash; the address for the answer
 * is `$JS.ACK.[domain.account.]stream.consumer.delivered.sequence.….time.pending`, with the time in nanoseconds.
 */
export function deliveryOf(message: NatsMessage): Delivery | undefined {
  const { subject, reply = "" } = message;
  const [caller, hash] = subject.split(".").slice(-2);
  const [count = Number.NaN, sequence = Number.NaN, , nanos] = numbersIn(reply);
  if (caller === undefined || hash === undefined || !Number.isInteger(count) || !Number.isInteger(sequence))
    return undefined;
  const storedAt = Number(nanos) / 1_000_000;
  return { key: { caller, hash }, sequence, count, storedAt, reply, text: () => message.string() };
}

/** The sequence of the call that an address for answers is about. */
export function sequenceIn(reply: string): number | undefined {
  return numbersIn(reply)[1];
}

function numbersIn(reply: string): readonly number[] {
  const words = reply.split(".");
  if (words[0] !== "$JS" || words[1] !== "ACK" || words.length < 9) return [];
  return words.slice(words.length === 9 ? 4 : 6).map(Number);
}
