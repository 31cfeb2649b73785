import { callErrorData } from "../envelope/call-error.js";
import { orElse } from "../json/attempt.js";
import { isRepeatable } from "../registry/repeatable.js";
import type { Bus } from "./bus.js";
import type { CallEvent, CallRequestedEvent, CallResumedEvent } from "./events.js";
import type { Executor } from "./executor.js";
import { anothersId, answerLost } from "./failure.js";
import { type KeptAnswer, KeptAnswers } from "./kept-answers.js";
import { KeptRoom } from "./kept-room.js";
import { Responder } from "./responder.js";
import type { ServedCall } from "./served-call.js";
import { SignsOfLife } from "./signs-of-life.js";

export interface ContinuationOptions {
  readonly bus: Bus;
  readonly registry: Executor;
  readonly ownAddress: string;
  /** Told of a subscription whose consumer is gone. */
  readonly onGone: (call: ServedCall) => void;
}

/** What a worker with an address of its own does so that callers know it lives, and get what they have missed. */
export class Continuation {
  readonly #bus: Bus;
  readonly #registry: Executor;
  readonly #signs: SignsOfLife;
  readonly #kept = new KeptAnswers();
  /** For the values of all subscriptions. */
  readonly #room = new KeptRoom();

  constructor({ bus, registry, ownAddress, onGone }: ContinuationOptions) {
    this.#bus = bus;
    this.#registry = registry;
    this.#signs = new SignsOfLife(ownAddress, onGone);
  }

  /** Whether callers can answer. */
  set isSuspended(isSuspended: boolean) {
    this.#signs.isSuspended = isSuspended;
  }

  /** Where the values of a subscription are kept, if its caller may ask for them again. */
  roomFor({ heartbeat }: CallRequestedEvent): KeptRoom | undefined {
    return heartbeat === undefined ? undefined : this.#room;
  }

  begin(call: ServedCall): void {
    this.#signs.begin(call);
  }

  /** Keeps the last word of what cannot simply be called again. */
  end(call: ServedCall): void {
    this.#signs.end(call);
    const { request, responder, values } = call;
    const { lastWord } = responder;
    const { requestId, operationId, replyTo, heartbeat } = request;
    const isWanted = heartbeat !== undefined && lastWord !== undefined;
    if (isWanted && (values !== undefined || !this.#isRepeatable(operationId)))
      this.#kept.add({ requestId, replyTo, lastWord, values });
    else values?.forget();
  }

  /** Whether an answer to the same request is kept; it is sent again then, if it is the same caller that asks. */
  answersAgain(request: CallRequestedEvent): boolean {
    if (request.heartbeat === undefined || this.#kept.size === 0) return false;
    const kept = this.#kept.get(request.requestId);
    if (kept === undefined) return false;
    if (kept.replyTo === request.replyTo) this.#sendAgain(kept, 0);
    else new Responder(this.#bus, request).refuse(anothersId(request.requestId));
    return true;
  }

  /** To a caller that asks twice for a call that runs. */
  reassure(call: ServedCall): void {
    if (call.request.heartbeat !== undefined) this.#signs.sign(call);
  }

  /** Whether the caller's abort was about an answer that is kept; it no longer is. */
  forget(requestId: string): boolean {
    return this.#kept.delete(requestId);
  }

  /** Only who made a request gets what it has missed: whoever else asks is told nothing of it. */
  resume(event: CallResumedEvent, call: ServedCall | undefined, isDirected: boolean): void {
    const kept = call === undefined ? this.#kept.get(event.requestId) : endOf(call);
    if (kept?.replyTo === event.replyTo) this.#sendAgain(kept, event.received ?? 0);
    else if (call?.request.replyTo === event.replyTo && !call.responder.isSettled) this.#goOn(call, event);
    else if (isDirected) this.#sayLost(event);
  }

  stop(): void {
    this.#signs.stop();
    this.#kept.stop();
  }

  #goOn(call: ServedCall, { requestId, received = 0, granted = 0 }: CallResumedEvent): void {
    call.values?.resume(received, granted);
    const missed = call.values === undefined ? [] : call.values.from(received);
    if (missed === undefined) {
      call.stop(answerLost(requestId));
      return;
    }
    for (const event of missed) call.responder.tell(event);
    this.#signs.sign(call);
  }

  #sendAgain(kept: KeptAnswer, received: number): void {
    const missed = kept.values === undefined ? [] : kept.values.from(received);
    if (missed === undefined) {
      this.#sayLost(kept);
      return;
    }
    for (const event of missed) this.#publish(kept.replyTo, event);
    this.#publish(kept.replyTo, kept.lastWord);
  }

  #sayLost({ requestId, replyTo }: Pick<CallResumedEvent, "requestId" | "replyTo">): void {
    this.#publish(replyTo, { type: "call.error", requestId, ...callErrorData(answerLost(requestId)) });
  }

  /** If it gets lost, the caller asks again. */
  #publish(address: string, event: CallEvent): void {
    orElse(() => this.#bus.publish(address, event), undefined);
  }

  #isRepeatable(operationId: string): boolean {
    const spec = orElse(() => this.#registry.getSpec(operationId), undefined);
    return spec !== undefined && isRepeatable(spec);
  }
}

/** A call may have been answered although its handler does not end. */
function endOf({
  request: { requestId, replyTo },
  responder: { lastWord },
  values,
}: ServedCall): KeptAnswer | undefined {
  return lastWord === undefined ? undefined : { requestId, replyTo, lastWord, values };
}
