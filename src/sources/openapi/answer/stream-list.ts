import { CallError, callErrorData, isCallError } from "../../../envelope/call-error.js";
import { httpEnvelope, type ResponseEnvelope } from "../../../envelope/response-envelope.js";
import type { Warning } from "../../../envelope/warning.js";
import { hintsOfFailure, keepHints } from "../../../registry/failure-hints.js";
import type { HttpAnswer } from "../http-answer.js";
import type { StreamKind } from "../media-type.js";
import type { AnswerOptions } from "./answer.js";
import { originOf } from "./answer-origin.js";
import { streamValues } from "./stream-values.js";
import { isUnfolded, markUnfolded } from "./unfold.js";

/** What a call keeps of a stream that may have no end. */
const MOST_VALUES = 10_000;
const MOST_BYTES = 32 * 1024 * 1024;

/** A stream as the answer of one call: the list of its values. A failure keeps those that came before it. */
export async function listFromStream(
  answer: HttpAnswer,
  kind: StreamKind,
  options: AnswerOptions,
): Promise<ResponseEnvelope> {
  const envelopes: ResponseEnvelope[] = [];
  const counted = countedAnswer(answer);
  let isFull = false;
  try {
    for await (const envelope of streamValues(counted, kind, options)) {
      isFull = envelopes.length >= MOST_VALUES || counted.read() > MOST_BYTES;
      if (isFull) break;
      envelopes.push(envelope);
    }
  } catch (thrown) {
    throw withValues(thrown, envelopes);
  }
  return envelopeOfList(answer, envelopes, isFull);
}

function countedAnswer(answer: HttpAnswer): HttpAnswer & { read(): number } {
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of answer.chunks()) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const { status, headers, setCookie, contentType, url } = answer;
  const body = { chunks, bytes: () => answer.bytes(), discard: () => answer.discard(), read: () => bytes };
  return { status, headers, setCookie, contentType, url, ...body };
}

function envelopeOfList(answer: HttpAnswer, envelopes: readonly ResponseEnvelope[], isFull: boolean): ResponseEnvelope {
  const said = envelopes.flatMap(({ meta }) => meta.warnings ?? []).slice(0, 100);
  const warnings = isFull ? [...said, FULL] : said;
  const list: unknown = envelopes.map(({ data }) => data);
  const envelope = httpEnvelope(list, {
    ...originOf(answer),
    ...(warnings.length > 0 && { warnings }),
    ...(isFull && { truncated: true }),
  });
  return envelopes.some(isUnfolded) ? markUnfolded(envelope) : envelope;
}

const FULL: Warning = {
  code: "TRUNCATED",
  message: "the stream has more values than one call keeps; call the operation as a subscription to get all",
  path: "",
};

function withValues(thrown: unknown, envelopes: readonly ResponseEnvelope[]): unknown {
  if (!isCallError(thrown) || thrown.data !== undefined || envelopes.length === 0) return thrown;
  const data = envelopes.map((envelope) => envelope.data);
  const error = new CallError({ ...callErrorData(thrown), data, cause: thrown.cause });
  return keepHints(error, hintsOfFailure(thrown) ?? {});
}
