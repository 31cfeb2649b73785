import { callErrorFrom } from "../../envelope/call-error.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { isRecord } from "../../json/value.js";
import { describeData, leaveData } from "../../registry/answer-schema.js";
import { type HandlerContext, wantsProgress } from "../../registry/context.js";
import type { AnyHandler } from "../../registry/operation.js";
import { type AnswerOptions, envelopeFromAnswer, valuesFromAnswer } from "./answer/answer.js";
import { noValue } from "./answer/answer-errors.js";
import { isUnfolded } from "./answer/unfold.js";
import { isStreamType } from "./document/body-kind.js";
import type { IndexedOperation } from "./document/index-operations.js";
import type { HttpAnswer } from "./http-answer.js";
import { isBodiless } from "./http-status.js";
import type { OperationPlan } from "./operation-plan.js";
import type { Settings } from "./options.js";
import { buildRequest } from "./request/build-request.js";
import type { Sender, Sending } from "./sender.js";

export interface HandlerParts {
  readonly settings: Settings;
  readonly sender: Sender;
  readonly indexed: IndexedOperation;
  readonly plan: () => OperationPlan;
  readonly isStream: boolean;
}

/** What runs when an operation is called: the request goes out, and the answer comes in an envelope. */
export function handlerOf(parts: HandlerParts): AnyHandler {
  return parts.isStream
    ? (input, context) => subscribe(parts, input, context)
    : (input, context) => call(parts, input, context);
}

async function call(parts: HandlerParts, input: unknown, context: HandlerContext): Promise<ResponseEnvelope> {
  const plan = parts.plan();
  // A server of Plico tells of progress only where the answer is a stream.
  const streams = plan.progressAccept !== undefined && wantsProgress(context);
  const sending = sendingOf(parts, input, context, streams ? { accept: plan.progressAccept as string } : {});
  const options = answerOptions(parts, sending);
  const read = streams
    ? (answer: HttpAnswer) => lastOf(valuesFromAnswer(answer, options), context.operationId)
    : envelopeFromAnswer;
  return parts.sender.exchange(sending, async (answer) => fitted(await read(answer, options), answer, plan, true));
}

/** Read to the end, so that the connection can be used again. */
async function lastOf(values: AsyncIterable<ResponseEnvelope>, operationId: string): Promise<ResponseEnvelope> {
  let last: ResponseEnvelope | undefined;
  for await (const envelope of values) last = envelope;
  if (last === undefined) throw noValue(operationId);
  return last;
}

async function* subscribe(
  parts: HandlerParts,
  input: unknown,
  context: HandlerContext,
): AsyncGenerator<ResponseEnvelope> {
  const plan = parts.plan();
  let lastEventId: string | undefined;
  for (let attempts = 0; ; attempts += 1) {
    const sending = sendingOf(parts, input, context, lastEventId === undefined ? {} : { "last-event-id": lastEventId });
    const options = {
      ...answerOptions(parts, sending),
      onEventId: (id: string): void => {
        lastEventId = id;
        attempts = 0;
      },
    };
    const answer = await parts.sender.send(sending);
    try {
      for await (const envelope of valuesFromAnswer(answer, options)) yield fitted(envelope, answer, plan, false);
      return;
    } catch (thrown) {
      const error = callErrorFrom(thrown);
      // A server that numbers its values goes on where it was cut.
      const mayGoOn = lastEventId !== undefined && answer.status === 200 && error.category === "unavailable";
      if (!mayGoOn || attempts >= parts.settings.retries) throw error;
    }
  }
}

function sendingOf(
  { indexed, plan, isStream }: HandlerParts,
  input: unknown,
  context: HandlerContext,
  headers: Readonly<Record<string, string>>,
): Sending {
  const known = plan();
  const fields = known.wholeInput === undefined ? recordOf(input) : { [known.wholeInput]: input };
  const { readOnly, idempotent } = context.spec.annotations ?? {};
  const isOurs = indexed.plico !== undefined;
  return {
    plan: known,
    request: buildRequest(known.request, fields),
    context,
    isRepeatable: isOurs && (readOnly === true || idempotent === true || isStream || context.spec.type === "query"),
    headers,
  };
}

function recordOf(input: unknown): Readonly<Record<string, unknown>> {
  return isRecord(input) ? input : {};
}

function answerOptions({ settings, plan }: HandlerParts, { request, context }: Sending): AnswerOptions {
  const { results, inlineBytes, unfold = true } = settings;
  const keepJson = async (json: string): Promise<{ uri: string } | undefined> =>
    results?.put(json, { owner: context.identity?.id, name: context.operationId });
  return {
    operationId: context.operationId,
    unfold,
    expectsJson: plan().expectsJson,
    inlineBytes,
    input: recordOf(context.input),
    requestQuery: request.query,
    onProgress: ({ progress, total, message }) => context.progress(progress, total, message),
    ...(results !== undefined && { keepJson }),
  };
}

/** Says which schema describes the data: that of the status that came. What the document does not describe is left. */
function fitted(
  envelope: ResponseEnvelope,
  { status, contentType }: HttpAnswer,
  plan: OperationPlan,
  isWhole: boolean,
): ResponseEnvelope {
  if (isUnfolded(envelope)) return plan.isOfPayload ? envelope : leaveData(envelope);
  if (isBodiless(status) || plan.request.method === "HEAD") return leaveData(envelope);
  const schema = plan.schemaFor(status, contentType, { isList: isWhole && isStreamType(contentType) });
  return schema === undefined ? leaveData(envelope) : describeData(envelope, schema);
}
