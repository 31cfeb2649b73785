import { CallError } from "../../../envelope/call-error.js";
import { isRecord, type JsonRecord } from "../../../json/value.js";
import type { CallEvent } from "../../../protocol/events.js";
import { isAddress } from "../subjects.js";

/** Stands in the place of an event that is too large for one message. */
export interface Announcement {
  /** Which of the sender's large events; nobody can guess it. */
  readonly large: string;
  /** In bytes. */
  readonly size: number;
  readonly requestId: string;
  /** Where the sender hears claims. */
  readonly from: string;
  /** Of a request: who waits for an answer. */
  readonly replyTo?: string;
}

/** Asks for bytes of a large event. */
export interface Claim {
  readonly claim: string;
  /** Where the bytes are to go. */
  readonly to: string;
  /** How many have come; all of them, where the sender may forget the event. */
  readonly at: number;
  /** How many may be sent in all: a receiver is sent no more than it has room for. */
  readonly until: number;
  /** Some were lost: it goes on from `at`. */
  readonly again?: boolean;
}

export function isAnnouncement(value: unknown): value is Announcement {
  return (
    isRecord(value) &&
    isName(value["large"]) &&
    isCount(value["size"]) &&
    isName(value["requestId"]) &&
    isPartsAddress(value["from"]) &&
    (value["replyTo"] === undefined || isName(value["replyTo"]))
  );
}

export function isClaim(value: unknown): value is Claim {
  return isRecord(value) && isName(value["claim"]) && isPartsAddress(value["to"]) && hasRange(value);
}

function hasRange({ at, until, again }: JsonRecord): boolean {
  return isCount(at) && isCount(until) && (again === undefined || typeof again === "boolean");
}

/** Elsewhere nobody may send another's bus by what it writes into an announcement or a claim. */
export function isPartsAddress(value: unknown): value is string {
  return typeof value === "string" && /^(?:parts|reply)\./.test(value) && isAddress(value);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** `what` is "request" or "answer": whoever calls knows of no events. */
export function tooLarge(what: "request" | "answer", size: number, most: number): CallError {
  const side = what === "request" ? "Send" : "Ask for";
  return new CallError({
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    message: `The ${what} has ${size} bytes, and at most ${most} are allowed.`,
    suggestedAction: `${side} less at a time, or raise \`maxEventBytes\` of natsSource and of serveOnNats.`,
    details: { size, limit: most },
  });
}

/** An event as those who call know it. */
export function kindOf({ type }: Pick<CallEvent, "type">): "request" | "answer" {
  return type === "call.requested" ? "request" : "answer";
}
