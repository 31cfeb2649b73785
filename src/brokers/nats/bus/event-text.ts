import { CallError } from "../../../envelope/call-error.js";
import { messageOf } from "../../../json/attempt.js";
import type { CallEvent, CallRequestedEvent, CallRespondedEvent } from "../../../protocol/events.js";

/** An event as text. Throws where JSON cannot carry it. */
export function eventText(event: CallEvent): string {
  try {
    return (event.type === "call.responded" ? answerText(event) : undefined) ?? JSON.stringify(event);
  } catch (thrown) {
    throw notJson(event, thrown);
  }
}

/** The same of a request, without its last brace: more is to follow. */
export function openRequestText(request: CallRequestedEvent): string {
  try {
    return shortRequestText(request) ?? JSON.stringify(request).slice(0, -1);
  } catch (thrown) {
    throw notJson(request, thrown);
  }
}

// The two events that every call has are put together from the texts of their parts, which takes less than half the time.

/** Of the answer of an operation, without hints. */
function answerText(event: CallRespondedEvent): string | undefined {
  const { requestId, output, sequence } = event;
  const { data, meta } = output;
  if (sequence !== undefined || countOf(event) !== 3 || countOf(output) !== 2) return undefined;
  if (meta.source !== "local" || meta.requestId !== requestId || countOf(meta) !== 4) return undefined;
  const id = stringText(requestId);
  const body = JSON.stringify(data);
  if (body === undefined || !Number.isFinite(meta.timestamp)) return undefined;
  const metaText = `"source":"local","operationId":${stringText(meta.operationId)},"timestamp":${meta.timestamp},"requestId":${id}`;
  return `{"type":"call.responded","requestId":${id},"output":{"data":${body},"meta":{${metaText}}}}`;
}

/** Of one with an input and a heartbeat. */
function shortRequestText(request: CallRequestedEvent): string | undefined {
  const { requestId, operationId, replyTo, input, heartbeat } = request;
  if (input === undefined || !Number.isFinite(heartbeat) || countOf(request) !== 6) return undefined;
  const body = JSON.stringify(input);
  if (body === undefined) return undefined;
  const addresses = `"operationId":${stringText(operationId)},"replyTo":${stringText(replyTo)}`;
  return `{"type":"call.requested","requestId":${stringText(requestId)},${addresses},"input":${body},"heartbeat":${heartbeat}`;
}

const PLAIN = /^[\w.-]*$/;

function stringText(value: string): string {
  return typeof value === "string" && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

function countOf(value: object): number {
  let count = 0;
  for (const _ in value) count += 1;
  return count;
}

function notJson({ type }: CallEvent, thrown: unknown): CallError {
  return new CallError({
    category: "execution",
    message: `The ${type} event cannot be written as JSON: ${messageOf(thrown)}`,
    cause: thrown,
  });
}
