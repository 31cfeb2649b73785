import { CALL_ERROR_FIELDS, type CallErrorData, isCallErrorField } from "../envelope/call-error.js";
import { isResponseEnvelope, type ResponseEnvelope } from "../envelope/response-envelope.js";
import { isRecord, isStringArray, type JsonRecord } from "../json/value.js";
import type { Identity } from "../registry/access.js";

/** What callers and workers tell each other. Every event survives JSON. */
export type CallEvent =
  | CallRequestedEvent
  | CallRespondedEvent
  | CallCompletedEvent
  | CallProgressEvent
  | CallAbortedEvent
  | CallErrorEvent
  | CallCreditedEvent
  | CallRunningEvent
  | CallResumedEvent;

export type CallEventType = CallEvent["type"];

export interface CallRequestedEvent {
  readonly type: "call.requested";
  readonly requestId: string;
  readonly operationId: string;
  /** Absent where the caller gave none, which JSON can say and `undefined` cannot. */
  readonly input?: unknown;
  /** The address that waits for the answers. */
  readonly replyTo: string;
  readonly parentRequestId?: string;
  /** Unix epoch milliseconds. */
  readonly deadline?: number;
  /** The longest silence, in milliseconds, before one side takes the other for gone. */
  readonly idleTimeout?: number;
  readonly identity?: Identity;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Requests with the same key are one request, where the serving side keeps answers. */
  readonly idempotencyKey?: string;
  /** How often, in milliseconds, the caller wants to hear that its request is still being worked on. */
  readonly heartbeat?: number;
  /** How many values may be sent before the caller allows more. Absent where the caller wants one answer. */
  readonly credit?: number;
}

export interface CallRespondedEvent {
  readonly type: "call.responded";
  readonly requestId: string;
  readonly output: ResponseEnvelope;
  /** Which value of a subscription this is, counted from 0. */
  readonly sequence?: number;
}

export interface CallCompletedEvent {
  readonly type: "call.completed";
  readonly requestId: string;
  /** How many values the subscription had. */
  readonly count?: number;
}

export interface CallProgressEvent {
  readonly type: "call.progress";
  readonly requestId: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/**
 * The caller no longer waits, and has settled the call by then. Where `replyTo` asks for it, a worker says the same back
 * once the handler is told to stop: always at its own address, else only where it has the request.
 */
export interface CallAbortedEvent {
  readonly type: "call.aborted";
  readonly requestId: string;
  readonly reason?: string;
  readonly replyTo?: string;
}

export interface CallErrorEvent extends CallErrorData {
  readonly type: "call.error";
  readonly requestId: string;
}

/** The consumer of a subscription allows that many more values; with none it only says that it is there. */
export interface CallCreditedEvent {
  readonly type: "call.credited";
  readonly requestId: string;
  readonly credit: number;
}

/** The worker is busy with the request, and says so again within the `heartbeat` that the request asked for. */
export interface CallRunningEvent {
  readonly type: "call.running";
  readonly requestId: string;
  /** The address at which this one worker hears what the caller has to say. Absent where a bus on the way says it. */
  readonly controlTo?: string;
  /** Of a subscription: how many values were sent. */
  readonly sent?: number;
  /** Of a subscription: how many values the caller has allowed in all, as far as the worker knows. */
  readonly granted?: number;
}

/** The caller may have missed something: of a call its answer, of a subscription the values from `received` on. */
export interface CallResumedEvent {
  readonly type: "call.resumed";
  readonly requestId: string;
  readonly replyTo: string;
  readonly received?: number;
  /** How many values the caller has allowed in all. */
  readonly granted?: number;
}

/**
 * Tells an event by its shape. It never throws, and agrees with `CallEventSchemas` but for the hints of an envelope and
 * the insides of its content blocks: a result is not lost because a hint is odd.
 */
export function isCallEvent(value: unknown): value is CallEvent {
  try {
    return isRecord(value) && isName(value["requestId"]) && hasOwnFields(value);
  } catch {
    // A getter or a proxy that throws is no event.
    return false;
  }
}

/** A switch, because every event of every call passes here. */
function hasOwnFields(event: JsonRecord): boolean {
  switch (event["type"]) {
    case "call.requested":
      return isRequested(event);
    case "call.responded":
      return isResponseEnvelope(event["output"]) && isAbsentOr(isCount, event["sequence"]);
    case "call.completed":
      return isAbsentOr(isCount, event["count"]);
    case "call.progress":
      return isProgress(event);
    case "call.aborted":
      return isAbsentOr(isText, event["reason"]) && isAbsentOr(isName, event["replyTo"]);
    case "call.error":
      return isError(event);
    case "call.credited":
      return isCount(event["credit"]);
    case "call.running":
      return isAbsentOr(isName, event["controlTo"]) && hasCounts(event["sent"], event["granted"]);
    case "call.resumed":
      return isName(event["replyTo"]) && hasCounts(event["received"], event["granted"]);
    default:
      return false;
  }
}

function isRequested(event: JsonRecord): boolean {
  return (
    isName(event["operationId"]) &&
    isName(event["replyTo"]) &&
    isAbsentOr(isText, event["parentRequestId"]) &&
    isAbsentOr(Number.isFinite, event["deadline"]) &&
    isAbsentOr(isPositive, event["idleTimeout"]) &&
    isAbsentOr(isIdentity, event["identity"]) &&
    isAbsentOr(isRecord, event["metadata"]) &&
    isAbsentOr(isName, event["idempotencyKey"]) &&
    isAbsentOr(isPositive, event["heartbeat"]) &&
    isAbsentOr(isCredit, event["credit"])
  );
}

function isIdentity(value: unknown): boolean {
  if (!isRecord(value) || typeof value["id"] !== "string" || !isStringArray(value["scopes"])) return false;
  const resources = value["resources"];
  return resources === undefined || (isRecord(resources) && Object.values(resources).every(isStringArray));
}

function isProgress({ progress, total, message }: JsonRecord): boolean {
  return Number.isFinite(progress) && isAbsentOr(Number.isFinite, total) && isAbsentOr(isText, message);
}

const REQUIRED_OF_ERROR: readonly string[] = ["category", "code", "message", "recoverable"];

function isError(event: JsonRecord): boolean {
  return CALL_ERROR_FIELDS.every((name) =>
    event[name] === undefined ? !REQUIRED_OF_ERROR.includes(name) : isCallErrorField(name, event[name]),
  );
}

function hasCounts(...counts: readonly unknown[]): boolean {
  return counts.every((count) => isAbsentOr(isCount, count));
}

function isAbsentOr(fits: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || fits(value);
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isPositive(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) > 0;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isCredit(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1;
}
