import { httpEnvelope, type ResponseEnvelope } from "../../../envelope/response-envelope.js";
import type { Warning } from "../../../envelope/warning.js";
import { isRecord } from "../../../json/value.js";
import type { HttpAnswer } from "../http-answer.js";
import { isBodiless, isSuccess } from "../http-status.js";
import { isStreamKind, type MediaType, mediaTypeOf } from "../media-type.js";
import { originOf, originOfFailure, withOrigin } from "./answer-origin.js";
import { type BodyData, bodyData } from "./body-data.js";
import { errorFromAnswer, errorFromBody } from "./failure.js";
import { paginationFrom } from "./pagination.js";
import { waitFrom } from "./rate-limit.js";
import { listFromStream } from "./stream-list.js";
import { streamValues } from "./stream-values.js";
import { envelopeFromDocument, errorFromDocument, type HttpOrigin, isOurProblem, readDocument } from "./unfold.js";

export interface AnswerOptions {
  readonly operationId: string;
  /** Whether another format's document in a body is read as what it says. */
  readonly unfold: boolean;
  /** Whether JSON is expected, so that JSON which is called something else is read as JSON. */
  readonly expectsJson: boolean;
  /** Keeps large binary answers, as the JSON that they would else be; without it all are base64. */
  readonly keepJson?: (json: string) => Promise<{ readonly uri: string } | undefined>;
  /** Binary answers up to this size are base64 in any case. */
  readonly inlineBytes: number;
  /** What the operation was called with. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The query as it was sent. */
  readonly requestQuery: string;
  /** Told how far a subscription is, by servers that say it. */
  readonly onProgress?: (report: ProgressReport) => void;
  /** Told the number of each value, by servers that can go on after it. */
  readonly onEventId?: (id: string) => void;
}

export interface ProgressReport {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** An answer as an envelope, with all that it said. Throws what it calls a failure, by its status or in its own words. */
export async function envelopeFromAnswer(answer: HttpAnswer, options: AnswerOptions): Promise<ResponseEnvelope> {
  const { status } = answer;
  if (!isSuccess(status)) throw await errorFromAnswer(answer, options);
  const media = mediaTypeOf(answer.contentType);
  try {
    if (isBodiless(status)) return emptyEnvelope(answer, options);
    if (isStreamKind(media.kind)) return await listFromStream(answer, media.kind, options);
    return envelopeFromBody(answer, media, await bodyData(answer, options), options);
  } catch (thrown) {
    throw withOrigin(thrown, answer);
  }
}

/** The values of an answer, one by one. An answer that is no stream is one value; an empty one is none. */
export async function* valuesFromAnswer(answer: HttpAnswer, options: AnswerOptions): AsyncGenerator<ResponseEnvelope> {
  if (!isSuccess(answer.status)) throw await errorFromAnswer(answer, options);
  const { kind } = mediaTypeOf(answer.contentType);
  if (!isStreamKind(kind) && kind !== "json") {
    const envelope = await envelopeFromAnswer(answer, options);
    if (envelope.data !== null) yield envelope;
    return;
  }
  try {
    yield* streamValues(answer, kind, options);
  } catch (thrown) {
    throw withOrigin(thrown, answer);
  }
}

function emptyEnvelope(answer: HttpAnswer, options: AnswerOptions): ResponseEnvelope {
  answer.discard();
  return envelopeOf(answer, { data: null, isJson: false, warnings: [], links: [] }, options);
}

function envelopeFromBody(
  answer: HttpAnswer,
  media: MediaType,
  body: BodyData,
  options: AnswerOptions,
): ResponseEnvelope {
  const isProblem = media.essence === "application/problem+json";
  const document = options.unfold && body.isJson ? readDocument(body.data, { mayBeProblem: isProblem }) : undefined;
  if (document?.kind === "outcome" && document.outcome.ok)
    return envelopeFromDocument(document.outcome, originWith(answer, body.warnings), document.notes);
  if (document !== undefined && isProblem && isRecord(body.data) && !isOurProblem(body.data)) {
    const status = problemStatus(body.data["status"]);
    throw errorFromBody(answer, { value: body.data, media }, { operationId: options.operationId, status });
  }
  if (document?.kind === "outcome" && !document.outcome.ok)
    throw errorFromDocument(document.outcome, originOfFailure(answer), document.notes, waitFrom(answer.headers));
  const warnings = document?.kind === "damaged" ? [...body.warnings, document.warning] : body.warnings;
  return envelopeOf(answer, { ...body, warnings }, options);
}

function originWith(answer: HttpAnswer, warnings: readonly Warning[]): HttpOrigin {
  return { ...originOf(answer), ...(warnings.length > 0 && { warnings }) };
}

/** A problem in a success is a failure all the same, of the kind that it says. */
function problemStatus(status: unknown): number {
  return Number.isInteger(status) && (status as number) >= 400 && (status as number) < 600 ? (status as number) : 500;
}

function envelopeOf(answer: HttpAnswer, { data, warnings, links }: BodyData, options: AnswerOptions): ResponseEnvelope {
  const { input, requestQuery: query } = options;
  const pagination = paginationFrom({ headers: answer.headers, data, input, query });
  return httpEnvelope(data, {
    ...originWith(answer, warnings),
    ...(pagination !== undefined && { pagination }),
    ...(links.length > 0 && { links }),
  });
}
