import { type CallErrorInit, callErrorData } from "../../../envelope/call-error.js";
import type { ResponseEnvelope } from "../../../envelope/response-envelope.js";
import { orElse } from "../../../json/attempt.js";
import { startTimer } from "../../../json/longest-timer.js";
import type { CallErrorEvent, CallEvent } from "../../../protocol/events.js";
import { failure } from "../../../protocol/failure.js";
import { progressOf } from "../../../protocol/progress.js";
import type { DurableCall } from "./durable.js";
import type { WrittenRequest } from "./request.js";
import type { Answer, StoredResult } from "./results.js";

/** The longest and the first pause, in milliseconds, between two looks for a result of which nothing was heard. */
const LONGEST_PAUSE = 30_000;
const FIRST_PAUSE = 2_000;
/** After a sign that the result is being stored. */
const SHORT_PAUSE = 20;

/** A durable call whose caller waits. */
export class PendingDurable {
  readonly requestId: string;
  readonly call: DurableCall;
  readonly written: WrittenRequest;
  /** Since when JetStream may have it. */
  sentAt: number | undefined;
  /** JetStream may have lost it. */
  isDoubtful = false;
  /** It was sent more than once. */
  isRepeated = false;
  /** It waits for the result of an earlier request with the same key. */
  isJoined = false;
  /** The worker that runs it hears there. */
  controlTo: string | undefined;
  /** Called once, when it is settled. */
  onSettle: () => void = () => {};
  readonly #resolve: (answer: ResponseEnvelope | Promise<never>) => void;
  readonly #look: () => void;
  readonly #deadline: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause = FIRST_PAUSE;
  #isSettled = false;

  constructor(
    call: DurableCall,
    {
      requestId,
      written,
      look,
    }: { requestId: string; written: WrittenRequest; look: (pending: PendingDurable) => void },
    resolve: (answer: ResponseEnvelope | Promise<never>) => void,
  ) {
    this.requestId = requestId;
    this.call = call;
    this.written = written;
    this.#resolve = resolve;
    this.#look = () => look(this);
    const left = call.deadline === undefined ? undefined : Math.max(0, call.deadline - Date.now());
    this.#deadline = startTimer(left, () => this.expire());
  }

  get isSent(): boolean {
    return this.sentAt !== undefined;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  receive(event: CallEvent): void {
    if (event.type === "call.responded" || event.type === "call.error") this.#answer(event);
    else if (event.type === "call.running") this.controlTo = event.controlTo;
    else if (event.type === "call.progress") orElse(() => this.call.onProgress?.(progressOf(event)), undefined);
  }

  take({ answer, fingerprint }: StoredResult): void {
    if (fingerprint !== this.written.fingerprint) this.fail(otherInput(this.call));
    else if (answer.type === "call.error" && answer.category === "aborted") this.fail(abortedBefore(answer));
    else this.#answer(answer);
  }

  fail(error: CallErrorInit): void {
    this.#settle(() => failure(error));
  }

  /** Its caller has waited long enough; the call goes on. */
  expire(): void {
    this.fail(stillRunning(this.call, this.requestId));
  }

  /** Looks for the result in a while, and less and less often. */
  lookLater(): void {
    if (this.#isSettled) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#look, this.#pause);
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
  }

  /** Looks soon: it may be there. */
  lookSoon(within: number = SHORT_PAUSE): void {
    if (this.#isSettled) return;
    this.#pause = SHORT_PAUSE;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#look, Math.random() * within);
  }

  #answer(answer: Answer): void {
    if (answer.type === "call.responded") this.#settle(() => answer.output);
    else this.fail(callErrorData(answer));
  }

  #settle(answer: () => ResponseEnvelope | Promise<never>): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#timer);
    this.onSettle();
    this.#resolve(answer());
  }
}

/** A caller that aborts waits for no result, so that it was another call. */
function abortedBefore(answer: CallErrorEvent): CallErrorInit {
  const { message, ...told } = callErrorData(answer);
  return {
    ...told,
    message: `${message} This is the kept result of an earlier call with the same key.`,
    suggestedAction: "Call with another `idempotencyKey`, or another `requestId` where there is none.",
  };
}

function stillRunning({ operationId, deadline }: DurableCall, requestId: string): CallErrorInit {
  const which = deadline === undefined ? "that of the call around it" : new Date(deadline).toISOString();
  return {
    category: "timeout",
    message: `The durable call of ${operationId} did not end before its deadline, ${which}. It goes on, and its result is kept.`,
    suggestedAction: `Ask for the result by its requestId, ${JSON.stringify(requestId)}, or call again with the same key.`,
    details: { requestId, mayHaveRun: true },
  };
}

export function otherInput({
  operationId,
  idempotencyKey,
}: Pick<DurableCall, "operationId" | "idempotencyKey">): CallErrorInit {
  const what = idempotencyKey === undefined ? "requestId" : "idempotencyKey";
  return {
    category: "conflict",
    message: `The ${what} of this call of ${operationId} was used for another call. Use a new one for another input.`,
  };
}
