import type { JetStream } from "./jetstream.js";
import { type DurableKey, resultAddress } from "./key.js";
import { recordOf } from "./results.js";
import type { RunningDurable } from "./running.js";

/** How often a call was begun and not given back, where that is stored. */
export async function readAttempts(js: JetStream, key: DurableKey): Promise<number | undefined> {
  const begun = recordOf(await js.look(addressOf(key)))?.["begun"];
  return Number.isInteger(begun) && (begun as number) >= 0 ? (begun as number) : undefined;
}

export function storeAttempts(js: JetStream, key: DurableKey, begun: number): Promise<void> {
  return js.store(addressOf(key), JSON.stringify({ begun }));
}

/** For a worker to begin after so many nanoseconds, as if this one had not. */
export async function giveBack(js: JetStream, { delivery, attempt }: RunningDurable, delay: number): Promise<void> {
  // What cannot be stored is counted as a lost worker, which is the lesser evil.
  if (attempt !== undefined) await storeAttempts(js, delivery.key, attempt - 1).catch(() => {});
  await js.acknowledge(delivery.reply, `-NAK {"delay": ${delay}}`);
}

function addressOf(key: DurableKey): string {
  return `${resultAddress(key)}.begun`;
}
