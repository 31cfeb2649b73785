import { hear } from "../hear.js";
import type { NatsMessage } from "../nats-client.js";
import { sequenceIn } from "./delivery.js";
import type { Workshop } from "./worker.js";

/** Times what a worker is given: later than that a sign of life is overdue. */
const OVERDUE = 1.25;

interface Listened {
  readonly consumer: string;
  readonly ackWaitMs: number;
}

/**
 * Of some calls, by their sequences, those of which no worker says anything to the server for so long that it has no
 * right to them any more. None where that cannot be said for sure.
 */
export async function withoutSigns(
  { settings, js, link, leases }: Workshop,
  { consumer, ackWaitMs }: Listened,
  sequences: readonly number[],
): Promise<readonly number[]> {
  const heard = new Set<number | undefined>();
  let isSure = true;
  const doubt = (): void => {
    isSure = false;
  };
  const onError = (thrown: unknown): void => {
    doubt();
    settings.onError(thrown);
  };
  const note = ({ subject }: NatsMessage): void => void heard.add(sequenceIn(subject));
  const ears = js.signSubjects(consumer).map((subject) => hear(settings.connection, subject, note, { onError }));
  const unfollow = link.onState(doubt);
  try {
    await new Promise((resolve) => setTimeout(resolve, OVERDUE * ackWaitMs).unref());
    if (!isSure || !link.isUp || leases.isBehind) return [];
    await settings.connection.flush();
    return isSure ? sequences.filter((sequence) => !heard.has(sequence)) : [];
  } finally {
    unfollow();
    for (const ear of ears) ear.unsubscribe();
  }
}
