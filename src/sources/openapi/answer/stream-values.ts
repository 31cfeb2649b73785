import { CallError } from "../../../envelope/call-error.js";
import { httpEnvelope, type ResponseEnvelope } from "../../../envelope/response-envelope.js";
import type { Warning } from "../../../envelope/warning.js";
import { compact, isRecord, isString } from "../../../json/value.js";
import type { ServerSentEvent } from "../../sse-reader.js";
import { knownCharset } from "../decode-text.js";
import type { HttpAnswer } from "../http-answer.js";
import { mediaTypeOf, type StreamKind } from "../media-type.js";
import type { AnswerOptions } from "./answer.js";
import { streamCut } from "./answer-errors.js";
import { originOf, originOfFailure } from "./answer-origin.js";
import { wordsFrom } from "./failure-words.js";
import { eventReader, type ItemReader, jsonReader, recordReader, type StreamItem } from "./stream-items.js";
import { envelopeFromDocument, errorFromDocument, type HttpOrigin, readDocument } from "./unfold.js";

/** What can be read value by value: a stream, or JSON, which may turn out to be one a line. */
type ReadableKind = StreamKind | "json";

/** The values of a body as they come. Whoever stops reading ends the answer. */
export async function* streamValues(
  answer: HttpAnswer,
  kind: ReadableKind,
  options: AnswerOptions,
): AsyncGenerator<ResponseEnvelope> {
  const isOurs = kind === "events" && answer.headers["plico-stream"] === "1";
  const origin = originOf(answer);
  let isRead = false;
  try {
    for await (const item of itemsOf(answer, kind, isOurs ? { ...options, expectsJson: true } : options)) {
      const step = isOurs ? stepOf(item, answer, options) : isDone(item) ? "end" : "value";
      if (step === "end") return;
      if (isOurs && item.sent?.id !== undefined) options.onEventId?.(item.sent.id);
      if (step === "value") yield envelopeOf(item, origin, isOurs, options);
    }
    isRead = true;
    if (isOurs) throw streamCut(options.operationId);
  } finally {
    if (!isRead) answer.discard();
  }
}

async function* itemsOf(answer: HttpAnswer, kind: ReadableKind, options: AnswerOptions): AsyncGenerator<StreamItem> {
  const reader = readerOf(kind, options);
  const decoder = new TextDecoder(knownCharset(mediaTypeOf(answer.contentType).charset) ?? "utf-8");
  for await (const chunk of answer.chunks()) yield* reader.push(decoder.decode(chunk, { stream: true }));
  yield* reader.push(decoder.decode());
  yield* reader.end();
}

function readerOf(kind: ReadableKind, options: AnswerOptions): ItemReader {
  if (kind === "events") return eventReader(options);
  return kind === "json" ? jsonReader(options) : recordReader(kind === "lines" ? "\n" : "\u001e", options);
}

/** OpenAI's way to say that nothing more comes. */
function isDone({ sent }: StreamItem): boolean {
  return sent?.data.trim() === "[DONE]";
}

/** What an event of a Plico server asks for. Names that it does not know yet are passed over. */
function stepOf(item: StreamItem, answer: HttpAnswer, options: AnswerOptions): "value" | "end" | "none" {
  const { value, sent, isCut = false } = item;
  const event = sent?.event;
  if (isCut) return "none";
  if (event === "value" || event === "message" || event === "end") return event === "end" ? "end" : "value";
  if (event === "failure") throw errorOf(value, answer, options);
  if (event === "progress") tellProgress(value, options);
  return "none";
}

function errorOf(value: unknown, answer: HttpAnswer, { operationId }: AnswerOptions): CallError {
  const document = readDocument(value, { mayBeProblem: true });
  if (document.kind === "outcome" && !document.outcome.ok)
    return errorFromDocument(document.outcome, originOfFailure(answer), document.notes);
  const words = wordsFrom(value, mediaTypeOf("application/json"), answer.status);
  const message = `The stream that ${operationId} answered with has failed${words === undefined ? "." : `: ${words}`}`;
  return new CallError({ category: "execution", message, details: { body: value } });
}

function tellProgress(value: unknown, { onProgress }: AnswerOptions): void {
  const { progress, total, message } = isRecord(value) ? value : {};
  if (typeof progress !== "number") return;
  onProgress?.(
    compact({
      progress,
      total: typeof total === "number" ? total : undefined,
      message: isString(message) ? message : undefined,
    }),
  );
}

function envelopeOf(
  { value, sent, isCut = false }: StreamItem,
  origin: HttpOrigin,
  isOurs: boolean,
  { unfold }: AnswerOptions,
): ResponseEnvelope {
  const about = sent === undefined || isOurs ? undefined : aboutEvent(sent);
  const cut = isCut ? [CUT] : [];
  const document = unfold ? readDocument(value) : { kind: "none" as const };
  const warnings = document.kind === "damaged" ? [...cut, document.warning] : cut;
  const here = { ...origin, ...(about !== undefined && { extra: about }), ...(warnings.length > 0 && { warnings }) };
  if (document.kind !== "outcome") return httpEnvelope(value, here);
  if (!document.outcome.ok) throw errorFromDocument(document.outcome, here, document.notes);
  return envelopeFromDocument(document.outcome, here, document.notes);
}

const CUT: Warning = { code: "NONCONFORMING", message: "the stream ended within this event", path: "" };

function aboutEvent({ event, id }: ServerSentEvent): { sse: Readonly<Record<string, string>> } | undefined {
  const sse: Record<string, string> = compact({ event: event === "message" ? undefined : event, id });
  return Object.keys(sse).length === 0 ? undefined : { sse };
}
