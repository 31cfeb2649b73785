import { callErrorData } from "../../../envelope/call-error.js";
import { randomHex } from "../../../json/random-hex.js";
import type { KeptCall } from "./jetstream.js";
import { type DurableKey, durableAddressOf } from "./key.js";
import { readRequest } from "./request.js";
import { type Answer, readResult, storeResult } from "./results.js";
import { withoutSigns } from "./signs.js";
import { ageOf } from "./stored-time.js";
import { RESULT_MAX_AGE } from "./streams.js";
import type { Workshop } from "./worker.js";

/** How many calls are looked at in one go: all workers look. */
const MOST_AT_ONCE = 500;
/** Times what a worker is given: younger calls are with somebody. */
const LEAST_AGE = 2;

interface Offered {
  readonly operationId: string;
  readonly major: number;
  readonly consumer: string;
  readonly ackWaitMs: number;
}

/**
 * Looks for calls that their consumer has given out, and that nobody has: a server that crashes may bring back what was
 * removed, or forget that it was not acknowledged, and deliver it to nobody. Gives how many there were.
 */
export async function recoverStrays(workshop: Workshop, offered: Offered): Promise<number> {
  const { js } = workshop;
  const { delivered, ack_floor: floor } = await js.manager.consumers.info(js.names.calls, offered.consumer);
  const old = await oldCalls(workshop, offered, delivered.stream_seq);
  const unanswered: KeptCall[] = [];
  for (const call of old) {
    if (await isAnswered(workshop, call)) await js.remove(call.sequence);
    else unanswered.push(call);
  }
  if (unanswered.length === 0) return old.length;
  const sequences = unanswered.map(({ sequence }) => sequence);
  const silent = new Set(await withoutSigns(workshop, offered, sequences));
  const strays = unanswered.filter(({ sequence }) => silent.has(sequence) && !workshop.running.has(sequence));
  for (const call of strays) await recover(workshop, offered, call, call.sequence <= floor.stream_seq);
  return old.length - unanswered.length + strays.length;
}

async function oldCalls({ js, running }: Workshop, offered: Offered, last: number): Promise<readonly KeptCall[]> {
  const address = `${durableAddressOf(offered.operationId, offered.major)}.>`;
  const youngest = LEAST_AGE * offered.ackWaitMs;
  const old: KeptCall[] = [];
  for (let from = 1; old.length < MOST_AT_ONCE; ) {
    const call = await js.oldest(address, from);
    if (call === undefined || call.sequence > last || ageOf(call.storedAt) < youngest) return old;
    if (!running.has(call.sequence)) old.push(call);
    from = call.sequence + 1;
  }
  return old;
}

async function isAnswered({ js }: Workshop, call: KeptCall): Promise<boolean> {
  return (await readResult((address) => js.look(address), keyIn(call))) !== undefined;
}

/** It is delivered anew, as if it had just come, unless it may have had a result that is gone by now. */
async function recover(
  workshop: Workshop,
  offered: Offered,
  call: KeptCall,
  isTakenForAcknowledged: boolean,
): Promise<void> {
  const { js, settings } = workshop;
  const { resultMaxAgeMs = RESULT_MAX_AGE } = settings.streams;
  if (await isAnswered(workshop, call)) await js.remove(call.sequence);
  else if (ageOf(call.storedAt) < resultMaxAgeMs) await js.moveToEnd(call);
  else if (isTakenForAcknowledged) await giveUp(workshop, offered, call, keyIn(call));
}

/** It may have had a result that was kept as long as results are, so it is not begun again. */
async function giveUp(
  { js, link, settings }: Workshop,
  { operationId, major }: Offered,
  call: KeptCall,
  key: DurableKey,
): Promise<void> {
  const request = readRequest(call.text, { operationId, major, key }, settings.trust);
  if (request !== undefined) {
    const { event, fingerprint, identity } = request;
    const error = callErrorData({
      category: "unavailable",
      code: "ANSWER_LOST",
      message: `The server has lost sight of this durable call of ${operationId}, and its result may have been kept and removed.`,
      suggestedAction: "Find out whether it has run before you call again.",
      details: { mayHaveRun: true },
    });
    const answer: Answer = { ...error, type: "call.error", requestId: event.requestId };
    const result = { answer, fingerprint, by: randomHex(8), ...(identity !== undefined && { identity: identity.id }) };
    await storeResult(js, key, result, link.maxPayload);
  }
  await js.remove(call.sequence);
}

function keyIn({ subject }: KeptCall): DurableKey {
  const [caller = "", hash = ""] = subject.split(".").slice(-2);
  return { caller, hash };
}
