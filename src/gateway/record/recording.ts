import type { CallErrorData } from "../../envelope/call-error.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { Progress } from "../../registry/call-options.js";
import type { OperationSpec } from "../../registry/operation.js";

/** Of the form of recordings. */
export const RECORDING_VERSION = 1;

/** The first line of a recording. */
export interface HeaderLine {
  readonly plico: "recording";
  readonly version: typeof RECORDING_VERSION;
  /** ISO 8601, as every `at` here. */
  readonly at: string;
}

/** What follows it. A later line of the same operation replaces the earlier one. */
export type RecordedLine = OperationLine | CallLine | SubscriptionLine | ValueLine | EndLine;

interface OperationLine {
  readonly type: "operation";
  /** As plain JSON. */
  readonly spec: OperationSpec;
}

/** Written when the call has ended. */
interface CallLine extends CallAbout {
  readonly type: "call";
  readonly outcome: Outcome;
  readonly ms: number;
  readonly progress?: readonly Progress[];
}

/** Written when the subscription begins; what comes of it has lines of its own, because it may never end. */
interface SubscriptionLine extends CallAbout {
  readonly type: "subscription";
  /** By which its other lines name it. */
  readonly subscription: string;
}

export interface ValueLine {
  readonly type: "value";
  readonly subscription: string;
  readonly envelope: ResponseEnvelope;
  /** Since it began. */
  readonly ms: number;
}

export interface EndLine {
  readonly type: "end";
  readonly subscription: string;
  /** `stopped` by whoever listened. */
  readonly reason: "done" | "stopped" | "failed";
  readonly error?: CallErrorData;
  readonly meta?: OutcomeMeta;
  readonly ms: number;
}

export interface CallAbout {
  readonly operation: string;
  /** Absent where there was none. */
  readonly input?: unknown;
  readonly at: string;
  readonly requestId?: string;
  /** Who called. */
  readonly identity?: string;
}
