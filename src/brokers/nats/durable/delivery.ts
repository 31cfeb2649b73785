import { randomHex } from "../../../json/random-hex.js";
import type { NatsMessage } from "../nats-client.js";
import type { DurableKey } from "./key.js";
import type { StoredTime } from "./stored-time.js";

/** The id under which a request is stored that had this sequence before. */
export function movedId(sequence: number): string {
  return `moved.${sequence}.${randomHex(8)}`;
}

/** A request that JetStream has given to this worker. */
export interface Delivery {
  readonly key: DurableKey;
  /** Of the request in the stream: the same at each delivery. */
  readonly sequence: number;
  /** Which delivery it is by the server's count, from 1. */
  readonly count: number;
  readonly storedAt: StoredTime;
  /** The sequence that the request had before a worker moved it to the end of the stream. */
  readonly movedFrom: number | undefined;
  /** Where the server hears what becomes of it. */
  readonly reply: string;
  readonly text: () => string;
}

/**
 * Nothing where it is no message of a stream. The subject ends with the caller and the hash; the address for the answer
 * is `$JS.ACK.[domain.account.]stream.consumer.delivered.sequence.….time.pending`, with the time in nanoseconds.
 */
export function deliveryOf(message: NatsMessage): Delivery | undefined {
  const { subject, reply = "", headers } = message;
  const [caller, hash] = subject.split(".").slice(-2);
  const [count, sequence, , nanos] = numbersIn(reply);
  if (caller === undefined || hash === undefined || nanos === undefined) return undefined;
  const moved = MOVED_ID.exec(headers?.get("Nats-Msg-Id") ?? "");
  return {
    key: { caller, hash },
    sequence: Number(sequence),
    count: Number(count),
    storedAt: BigInt(nanos),
    movedFrom: moved === null ? undefined : Number(moved[1]),
    reply,
    text: () => message.string(),
  };
}

const MOVED_ID = /^moved\.(\d+)\.\w+$/;

/** The sequence of the call that an address for answers is about. */
export function sequenceIn(reply: string): number | undefined {
  const sequence = numbersIn(reply)[1];
  return sequence === undefined ? undefined : Number(sequence);
}

/** Nothing where one of them is no number. */
function numbersIn(reply: string): readonly string[] {
  const words = reply.split(".");
  if (words[0] !== "$JS" || words[1] !== "ACK" || words.length < 9) return [];
  const first = words.length === 9 ? 4 : 6;
  const numbers = words.slice(first, first + 4);
  return numbers.every((word) => /^\d+$/.test(word)) ? numbers : [];
}
