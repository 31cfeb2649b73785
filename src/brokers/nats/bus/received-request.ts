import { orElse } from "../../../json/attempt.js";
import type { CallRequestedEvent } from "../../../protocol/events.js";
import type { Identity } from "../../../registry/access.js";
import type { IdentityTrust } from "../identity.js";
import type { NatsMessage } from "../nats-client.js";
import { callerIn } from "../subjects.js";
import { deadlineHere, isFresh, isGivenUp } from "./clock-skew.js";
import { namesItsOwn } from "./named-addresses.js";
import type { NatsBusTally } from "./nats-bus-options.js";
import { signedPart } from "./stamp.js";

export interface ReceivingTerms {
  readonly trust: IdentityTrust | undefined;
  readonly maxSkewMs: number;
  readonly tally: NatsBusTally;
  /** How much of a subject stands before the address. */
  readonly prefixLength: number;
}

/** How a request came. */
export interface Arrival {
  readonly text: string;
  readonly message: Pick<NatsMessage, "subject">;
  /** When it came. That of a large one is when it was announced. */
  readonly now: number;
}

type Draft = { -readonly [K in keyof CallRequestedEvent]: CallRequestedEvent[K] } & {
  sentAt?: unknown;
  signature?: unknown;
};

/**
 * A request as its listener is to have it: its deadline in the clock of this machine, its identity as far as it is
 * believed. Nothing where its caller has given up, or wants the answer where others hear theirs. The request is changed
 * in place: nobody else has it.
 */
export function receivedRequest(
  request: CallRequestedEvent,
  arrival: Arrival,
  terms: ReceivingTerms,
): CallRequestedEvent | undefined {
  const address = arrival.message.subject.slice(terms.prefixLength);
  if (!namesItsOwn(request, address)) {
    terms.tally.malformed += 1;
    return undefined;
  }
  const draft: Draft = request;
  const { sentAt } = draft;
  // An engine forgets the key that was added last at little cost: these two are the last, in this order.
  delete draft.signature;
  delete draft.sentAt;
  const { now } = arrival;
  if (typeof sentAt === "number") {
    const { deadline, heartbeat } = draft;
    if (heartbeat !== undefined && isGivenUp(sentAt, heartbeat, now, terms.maxSkewMs)) {
      terms.tally.stale += 1;
      return undefined;
    }
    if (deadline !== undefined) draft.deadline = deadlineHere({ deadline, sentAt }, now, terms.maxSkewMs);
  }
  const { trust } = terms;
  const identity =
    trust === undefined
      ? undefined
      : orElse(() => believed(draft, arrival, { sentAt, address, trust, maxSkewMs: terms.maxSkewMs }), undefined);
  return withIdentity(draft, identity, terms.tally);
}

interface ClaimTerms {
  readonly sentAt: unknown;
  readonly address: string;
  readonly trust: IdentityTrust;
  readonly maxSkewMs: number;
}

function believed(
  { identity }: CallRequestedEvent,
  arrival: Arrival,
  { sentAt, address, trust, maxSkewMs }: ClaimTerms,
): Identity | undefined {
  const { text, signature } = signedPart(arrival.text);
  if (signature !== undefined && !(typeof sentAt === "number" && isFresh(sentAt, arrival.now, maxSkewMs)))
    return undefined;
  return trust({ identity, caller: callerIn(address), text, signature });
}

function withIdentity(draft: Draft, identity: Identity | undefined, tally: NatsBusTally): CallRequestedEvent {
  if (identity !== undefined) {
    draft.identity = identity;
    return draft;
  }
  if (draft.identity === undefined) return draft;
  tally.untrusted += 1;
  const { identity: _, ...rest } = draft;
  return rest;
}
