import { randomHex } from "../json/random-hex.js";
import { isString } from "../json/value.js";

/** What a caller's `traceparent` says, by W3C's Trace Context. */
export interface TraceParent {
  readonly traceId: string;
  readonly parentId: string;
  /** Bit 0: sampled. Bit 1: the id of the trace is random. */
  readonly flags: number;
}

/** Where one call stands in a trace. */
export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** For whoever is called next. */
  readonly traceparent: string;
}

const ZERO_TRACE = "0".repeat(32);
const ZERO_SPAN = "0".repeat(16);

/** `undefined` where the header is absent or malformed: then a trace of its own begins. */
export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  const found = header === undefined ? null : FORM.exec(header);
  if (found === null) return undefined;
  const [, version = "", traceId = "", parentId = "", flags = "", more = ""] = found;
  if (version === "ff" || traceId === ZERO_TRACE || parentId === ZERO_SPAN) return undefined;
  // Only a version that is still to come may say more.
  if (version === "00" && more !== "") return undefined;
  return { traceId, parentId, flags: Number.parseInt(flags, 16) };
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** A span within the parent's trace; without a parent, the first of a new trace that nobody has asked to sample. */
export function childOf(parent: TraceParent | undefined): TraceSpan {
  const traceId = parent?.traceId ?? randomHex(16);
  const spanId = randomHex(8);
  const flags = (parent?.flags ?? 0) & KNOWN_FLAGS;
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-0${flags}` };
}

/** The others must not be passed on. */
const KNOWN_FLAGS = 0b11;

/** The `traceparent` that a server left in the metadata of a call, for the header of the next one. */
export function traceparentOf(metadata: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const header = metadata?.["traceparent"];
  return typeof header === "string" && parseTraceparent(header) !== undefined ? header : undefined;
}

/** A trace on its way, in the metadata of a call, the `_meta` of an MCP message or the headers of a request. */
export type TraceCarrier = { readonly traceparent: string; readonly tracestate?: string };

/** The trace that something carries. One without a sound `traceparent` carries none. */
export function traceIn(carrier: Readonly<Record<string, unknown>> | undefined): TraceCarrier | undefined {
  const traceparent = traceparentOf(carrier);
  if (traceparent === undefined) return undefined;
  const tracestate = carrier?.["tracestate"];
  return isString(tracestate) && STATE.test(tracestate) ? { traceparent, tracestate } : { traceparent };
}

/** As a header may have it; what is longer than anybody need pass on is left out. */
const STATE = /^[\t\x20-\x7e]{1,2048}$/;
