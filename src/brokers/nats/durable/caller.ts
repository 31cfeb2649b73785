import { CallError, type CallErrorInit, callErrorData } from "../../../envelope/call-error.js";
import { type Outcome, outcomeFromEnvelope } from "../../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../../envelope/response-envelope.js";
import { messageOf, orElse } from "../../../json/attempt.js";
import { randomHex } from "../../../json/random-hex.js";
import { told } from "../../../json/told.js";
import { type CallEvent, type CallRequestedEvent, isCallEvent } from "../../../protocol/events.js";
import { failure, pastDeadline, unavailable } from "../../../protocol/failure.js";
import { RequestIds } from "../../../protocol/request-ids.js";
import { AbortWatch } from "../../../registry/abort-watch.js";
import { abortedBy } from "../../../registry/ending.js";
import { EVERY_WORKER, replyAddress } from "../addresses.js";
import { Link } from "../bus/link.js";
import { hear } from "../hear.js";
import type { NatsSubscription } from "../nats-client.js";
import type { DurableCall, DurableCaller, DurableCallerOptions } from "./durable.js";
import { eventsIn } from "./events.js";
import { isForbidden, JetStream } from "./jetstream.js";
import { durableAddress, keyOfRequest, resultAddress } from "./key.js";
import { type CallerSettings, callerSettings } from "./options.js";
import { PendingDurable } from "./pending.js";
import { writeRequest } from "./request.js";
import { type Answer, readResult, storeReference, storeResult, tooLarge } from "./results.js";
import { persist } from "./retry.js";
import { isNamed, RESULT_MAX_AGE } from "./streams.js";

/** How long, in milliseconds, an abort is tried to be stored. */
const ABORT_PATIENCE = 30_000;
/** How long all looks after a reconnection may take, and how long each of them. */
const LOOKS_WITHIN = 5_000;
const LOOK_MS = 0.5;
const HEADER_BYTES = 2048;

export class JetStreamCaller implements DurableCaller {
  readonly #settings: CallerSettings;
  readonly #link: Link;
  readonly #ids = new RequestIds();
  readonly #inbox: string;
  readonly #pending = new Map<string, PendingDurable>();
  readonly #aborts = new AbortWatch<PendingDurable>((pending, signal) => this.#abort(pending, signal));
  /** What nobody waits for, but is to be done before the connection goes. */
  readonly #chores = new Set<Promise<void>>();
  #subscription: NatsSubscription | undefined;
  #jetStream: Promise<JetStream> | undefined;
  #isClosed = false;

  constructor(options: DurableCallerOptions) {
    this.#settings = callerSettings(options);
    this.#inbox = replyAddress(this.#settings.caller, `durable-${this.#ids.prefix}`);
    this.#link = new Link(this.#settings.connection, () => {});
    this.#link.onState((state) => {
      if (state === "connected") this.#lookForAll();
      if (state === "closed") this.#failAll(unavailable("The connection to NATS is closed."));
    });
  }

  call(call: DurableCall): Promise<ResponseEnvelope> {
    return new Promise((resolve) => {
      const requestId = call.requestId ?? this.#ids.next();
      const refusal = this.#refusal(call, requestId);
      if (refusal === undefined) this.#begin(call, requestId, resolve);
      else resolve(failure(refusal));
    });
  }

  async result(requestId: string): Promise<Outcome | undefined> {
    const found = await this.#read(await this.#open(), keyOfRequest(this.#settings.caller, requestId));
    return found === undefined ? undefined : outcomeOf(found.answer);
  }

  getPendingCount(): number {
    return this.#pending.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failAll(unavailable("The caller was closed. The call goes on, and its result is kept."));
    await Promise.allSettled(this.#chores);
    this.#subscription?.unsubscribe();
    this.#link.stop();
  }

  #refusal({ deadline, signal, operationId }: DurableCall, requestId: string): CallErrorInit | undefined {
    if (this.#isClosed) return unavailable("The caller was closed.");
    if (signal?.aborted === true) return abortedBy(signal);
    if (deadline !== undefined && !(deadline > Date.now())) return pastDeadline(deadline);
    if (!this.#pending.has(requestId)) return undefined;
    return {
      category: "conflict",
      message: `A call of ${operationId} with the requestId ${told(requestId)} is pending. Use another, or leave it out.`,
    };
  }

  #begin(call: DurableCall, requestId: string, resolve: (answer: ResponseEnvelope | Promise<never>) => void): void {
    const { caller, signer } = this.#settings;
    const event = requestOf(call, requestId, this.#inbox);
    const written = writeRequest(caller, call.major, event, signer);
    const bytes = Buffer.byteLength(written.text);
    const most = this.#link.maxPayload - HEADER_BYTES;
    if (bytes > most) throw tooLarge(bytes, most);
    const look = (one: PendingDurable): void => void this.#look(one);
    const pending = new PendingDurable(call, { requestId, written, look }, resolve);
    this.#pending.set(requestId, pending);
    if (call.signal !== undefined) this.#aborts.add(call.signal, pending);
    pending.onSettle = () => {
      this.#pending.delete(requestId);
      if (call.signal !== undefined) this.#aborts.delete(call.signal, pending);
    };
    this.#listen();
    this.#send(pending).catch((thrown) => {
      // What is given up because of the deadline may be told a moment before its timer rings.
      if (call.deadline !== undefined && call.deadline <= Date.now()) pending.expire();
      else pending.fail(this.#failureOf(thrown, pending));
    });
  }

  #listen(): void {
    const subject = `${this.#settings.prefix}.${this.#inbox}`;
    this.#subscription ??= hear(this.#settings.connection, subject, (message) => {
      for (const event of eventsIn(message)) this.#receive(event);
    });
  }

  #receive(event: CallEvent): void {
    const pending = this.#pending.get(event.requestId);
    if (event.type !== "call.completed") pending?.receive(event);
    // The result is too large for a message, or that of an earlier request.
    else if (pending !== undefined) this.#join(pending, !pending.isRepeated);
  }

  async #send(pending: PendingDurable): Promise<void> {
    const js = await this.#open();
    if (pending.isSettled) return;
    pending.sentAt = Date.now();
    const until = pending.call.deadline ?? Date.now() + this.#settings.publishTimeoutMs;
    const isWanted = (): boolean => !pending.isSettled && Date.now() < until;
    const giveUpAt = Date.now() + this.#settings.publishTimeoutMs;
    // Also for a call that was answered meanwhile: others may ask for its result.
    const isReferenceWanted = (): boolean => !this.#isClosed && Date.now() < giveUpAt;
    let attempts = 0;
    const enqueue = (): Promise<void> => {
      attempts += 1;
      // What is stored twice is one call for the workers, who tell of the second that there is another.
      pending.isRepeated = attempts > 1;
      return enqueued(js, pending);
    };
    await Promise.all([
      persist(this.#link, enqueue, isWanted),
      persist(this.#link, () => this.#refer(js, pending), isReferenceWanted),
    ]);
    pending.lookLater();
  }

  /** So that a `requestId` finds the result whatever its key. */
  async #refer(js: JetStream, { requestId, written }: PendingDurable): Promise<void> {
    const own = keyOfRequest(written.key.caller, requestId);
    if (own.hash !== written.key.hash) await storeReference(js, own, written.key);
  }

  /** No worker will answer this request, so the result itself is waited for. */
  #join(pending: PendingDurable, isAnothers: boolean): void {
    if (pending.isSettled || pending.isJoined) return;
    pending.isJoined = isAnothers;
    const subject = `${this.#settings.prefix}.${resultAddress(pending.written.key)}`;
    // What is heard may still be refused by the stream: it only says when to look.
    const hints = hear(this.#settings.connection, subject, () => pending.lookSoon());
    const { onSettle } = pending;
    pending.onSettle = () => {
      hints.unsubscribe();
      onSettle();
    };
    pending.lookSoon(0);
  }

  async #look(pending: PendingDurable): Promise<void> {
    pending.lookLater();
    try {
      const found = await this.#read(await this.#open(), pending.written.key);
      if (found !== undefined) pending.take(found);
      else if (pending.isDoubtful) await this.#clearUp(pending);
    } catch (thrown) {
      if (isForbidden(thrown)) pending.fail(this.#failureOf(thrown, pending));
    }
  }

  /** Where nothing is found of a call that may be lost: as long as a result would be, the call has not ended. */
  async #clearUp(pending: PendingDurable): Promise<void> {
    const { resultMaxAgeMs = RESULT_MAX_AGE } = this.#settings.streams;
    if (Date.now() - (pending.sentAt ?? 0) < resultMaxAgeMs) await this.#sendAgain(pending);
    else pending.fail(resultGone(pending));
  }

  /** In case the server has forgotten what it has taken. Workers know calls by their keys, and begin none twice. */
  async #sendAgain(pending: PendingDurable): Promise<void> {
    const js = await this.#open();
    if (pending.isSettled) return;
    pending.isRepeated = true;
    await enqueued(js, pending);
    pending.isDoubtful = false;
  }

  #lookForAll(): void {
    const within = Math.min(LOOKS_WITHIN, this.#pending.size * LOOK_MS);
    for (const pending of this.#pending.values()) {
      if (!pending.isSent) continue;
      pending.isDoubtful = true;
      pending.lookSoon(within);
    }
  }

  async #read(js: JetStream, key: Parameters<typeof readResult>[1]): ReturnType<typeof readResult> {
    try {
      return await readResult((address) => js.glance(address), key);
    } catch (thrown) {
      if (isForbidden(thrown)) throw thrown;
      // A stream that others have made may not allow it.
      return readResult((address) => js.look(address), key);
    }
  }

  #abort(pending: PendingDurable, signal: AbortSignal): void {
    const error = abortedBy(signal);
    // Within a registry a deadline comes as a signal too: it ends the wait, not the call.
    if (error.category === "timeout") pending.expire();
    else pending.fail(error);
    if (error.category === "timeout" || !pending.isSent || pending.isJoined) return;
    const { requestId, controlTo = EVERY_WORKER } = pending;
    const reason = typeof signal.reason === "string" ? { reason: signal.reason } : {};
    const event = JSON.stringify({ type: "call.aborted", requestId, ...reason });
    orElse(() => this.#link.send(`${this.#settings.prefix}.${controlTo}`, event), undefined);
    const chore = this.#abandon(pending, error).catch(() => {});
    this.#chores.add(chore);
    void chore.then(() => this.#chores.delete(chore));
  }

  /** Whoever stores first has the last word: with this stored, no worker begins. */
  async #abandon({ requestId, written }: PendingDurable, error: CallError): Promise<void> {
    const until = Date.now() + ABORT_PATIENCE;
    const js = await this.#open();
    const answer: Answer = { ...callErrorData(error), type: "call.error", requestId };
    const result = { answer, fingerprint: written.fingerprint, by: randomHex(8) };
    const store = () => storeResult(js, written.key, result, this.#link.maxPayload);
    await persist(this.#link, store, () => !this.#isClosed && Date.now() < until);
  }

  #open(): Promise<JetStream> {
    this.#jetStream ??= JetStream.open(this.#settings).catch((thrown) => {
      this.#jetStream = undefined;
      throw thrown;
    });
    return this.#jetStream;
  }

  #failAll(error: CallErrorInit): void {
    for (const pending of this.#pending.values()) pending.fail({ details: { mayHaveRun: pending.isSent }, ...error });
  }

  #failureOf(thrown: unknown, { call: { operationId }, isSent }: PendingDurable): CallErrorInit {
    if (thrown instanceof CallError) return thrown;
    if (isForbidden(thrown)) {
      return {
        category: "authorization",
        message: `The NATS server does not let ${told(this.#settings.caller)} make durable calls of ${operationId}: ${messageOf(thrown)}`,
        cause: thrown,
      };
    }
    return {
      category: "unavailable",
      message: `JetStream has not taken the call of ${operationId}: ${messageOf(thrown).replace(/\.$/, "")}. Try again with the same idempotencyKey.`,
      details: { mayHaveRun: isSent },
      cause: thrown,
    };
  }
}

function resultGone({ call, requestId }: PendingDurable): CallErrorInit {
  return {
    category: "unavailable",
    code: "ANSWER_LOST",
    message: `The connection to NATS was lost for so long that the result of this durable call of ${call.operationId} may have been kept and removed.`,
    suggestedAction: "Find out whether it has run before you call again.",
    details: { requestId, mayHaveRun: true },
  };
}

async function enqueued(js: JetStream, { call, written }: PendingDurable): Promise<void> {
  try {
    await js.store(durableAddress(call.operationId, call.major, written.key), written.text);
  } catch (thrown) {
    // Nobody listens where there is no stream; or its leader is gone, and the next is not chosen yet.
    if (isNamed(thrown, "JetStreamNotEnabled")) await makeStreams(js);
    throw thrown;
  }
}

async function makeStreams(js: JetStream): Promise<void> {
  try {
    await js.ensureStreams();
  } catch (thrown) {
    if (!isForbidden(thrown)) throw thrown;
  }
}

function requestOf(call: DurableCall, requestId: string, replyTo: string): CallRequestedEvent {
  const { operationId, input, deadline, parentRequestId, identity, metadata, idempotencyKey } = call;
  const event: CallRequestedEvent = {
    type: "call.requested",
    requestId,
    operationId,
    replyTo,
    ...(input !== undefined && { input }),
    ...(deadline !== undefined && { deadline }),
    ...(parentRequestId !== undefined && { parentRequestId }),
    ...(identity !== undefined && { identity }),
    ...(metadata !== undefined && { metadata }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  if (isCallEvent(event)) return event;
  throw new CallError({
    category: "validation",
    message: `The call of ${told(operationId)} has an id or an option of the wrong type. Look at requestId, parentRequestId, deadline, identity, metadata, idempotencyKey.`,
  });
}

function outcomeOf(answer: Answer): Outcome {
  if (answer.type === "call.responded") return outcomeFromEnvelope(answer.output);
  return { ok: false, error: callErrorData(answer), meta: {} };
}
