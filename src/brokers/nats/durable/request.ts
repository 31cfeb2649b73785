import { CallError } from "../../../envelope/call-error.js";
import { orElse } from "../../../json/attempt.js";
import { type CallRequestedEvent, isCallEvent } from "../../../protocol/events.js";
import type { Identity } from "../../../registry/access.js";
import type { IdentitySigner, IdentityTrust } from "../identity.js";
import { type DurableKey, fingerprintOf, keyOf } from "./key.js";

/** A request as it is stored: its JSON, and on a second line its signature. */
export interface WrittenRequest {
  readonly text: string;
  readonly key: DurableKey;
  readonly fingerprint: string;
}

/** The caller stands inside too: a signed request is of no use to another caller. */
interface StoredRequest extends CallRequestedEvent {
  readonly caller: string;
  readonly major: number;
}

export function writeRequest(
  caller: string,
  major: number,
  event: CallRequestedEvent,
  signer: IdentitySigner | undefined,
): WrittenRequest {
  const text = requestText({ ...event, caller, major });
  // What the other side will read, where JSON says less than the value did.
  const read = JSON.parse(text) as CallRequestedEvent;
  return {
    text: signer === undefined ? text : `${text}\n${signer.sign(text)}`,
    key: keyOf(caller, major, read),
    fingerprint: fingerprintOf(major, read),
  };
}

function requestText(request: StoredRequest): string {
  try {
    return JSON.stringify(request);
  } catch (thrown) {
    throw new CallError({
      category: "validation",
      message: `The input of ${request.operationId} cannot be written as JSON.`,
      cause: thrown,
    });
  }
}

export interface ReadRequest {
  readonly event: CallRequestedEvent;
  readonly fingerprint: string;
  /** Who is believed to call. */
  readonly identity: Identity | undefined;
}

/** Nothing where the text is no request, or is not the one that its subject says. */
export function readRequest(
  stored: string,
  expected: { readonly key: DurableKey; readonly operationId: string; readonly major: number },
  trust: IdentityTrust | undefined,
): ReadRequest | undefined {
  const [text = "", signature] = stored.split("\n");
  const event = orElse(() => JSON.parse(text) as unknown, undefined);
  if (!isCallEvent(event) || event.type !== "call.requested") return undefined;
  if (!isExpected(event as StoredRequest, expected)) return undefined;
  const { caller } = expected.key;
  const fingerprint = orElse(() => fingerprintOf(expected.major, event), undefined);
  if (fingerprint === undefined) return undefined;
  const claim = { identity: event.identity, caller, text, signature };
  return { event, fingerprint, identity: orElse(() => trust?.(claim), undefined) };
}

function isExpected(
  request: StoredRequest,
  { key, operationId, major }: { readonly key: DurableKey; readonly operationId: string; readonly major: number },
): boolean {
  if (request.operationId !== operationId || request.major !== major || request.caller !== key.caller) return false;
  return orElse(() => keyOf(key.caller, major, request).hash === key.hash, false);
}
