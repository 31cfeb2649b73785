import { type CallErrorInit, callErrorData, callErrorFrom, isCallError } from "../../../envelope/call-error.js";
import { orElse } from "../../../json/attempt.js";
import { randomHex } from "../../../json/random-hex.js";
import { isRecord } from "../../../json/value.js";
import { assertEnvelope } from "../../../protocol/assert-envelope.js";
import type { CallEvent } from "../../../protocol/events.js";
import { progressEvent } from "../../../protocol/progress.js";
import type { ExecuteOptions } from "../../../registry/call-options.js";
import { controlAddress } from "../addresses.js";
import { isAddress } from "../subjects.js";
import { giveBack, readAttempts, storeAttempts } from "./attempts.js";
import { mayPass } from "./jetstream.js";
import { durableAddress } from "./key.js";
import { otherInput } from "./pending.js";
import { type ReadRequest, readRequest } from "./request.js";
import { type Answer, readResult, type StoredResult, storeResult } from "./results.js";
import { persist } from "./retry.js";
import type { RunningDurable } from "./running.js";
import { withoutSigns } from "./signs.js";
import type { Workshop } from "./worker.js";

/** How long, in nanoseconds, a call that this worker cannot take now waits. */
const PUT_OFF = 1_000_000_000;

interface OfferedOperation {
  readonly operationId: string;
  readonly major: number;
  readonly consumer: string;
}

/** From a delivered request to its stored answer. Where it throws, the request is delivered again. */
export async function processDelivery(
  workshop: Workshop,
  offered: OfferedOperation,
  running: RunningDurable,
): Promise<void> {
  const request = readRequest(
    running.delivery.text(),
    { ...offered, key: running.delivery.key },
    workshop.settings.trust,
  );
  if (request === undefined) {
    workshop.tally.malformed += 1;
    await workshop.js.acknowledge(running.delivery.reply, "+TERM");
    return;
  }
  running.requestId = request.event.requestId;
  await new Processing(workshop, offered, running, request).process();
}

class Processing {
  readonly #workshop: Workshop;
  readonly #offered: OfferedOperation;
  readonly #running: RunningDurable;
  readonly #request: ReadRequest;

  constructor(workshop: Workshop, offered: OfferedOperation, running: RunningDurable, request: ReadRequest) {
    this.#workshop = workshop;
    this.#offered = offered;
    this.#running = running;
    this.#request = request;
  }

  /**
   * In this order: who finds no older request knows that the result of any older one is stored; and nothing is between
   * the look for a result and the run.
   */
  async process(): Promise<void> {
    if (!(await this.#isFirst()) || !(await this.#isAlone())) return;
    const attempt = await this.#begin();
    const stored = await this.#asLongAsHeld(() => this.#stored());
    if (stored !== undefined) return this.#repeat(stored);
    const answer = await this.#answer(attempt);
    if (answer !== undefined) await this.#store(answer);
  }

  /**
   * Whether no older request with the same key waits or runs. One that is not the first stays in the stream until there is
   * a result: the older one may be stranded, and what a server says that was a leader until now may be old.
   */
  async #isFirst(): Promise<boolean> {
    const { js, settings } = this.#workshop;
    const { key, storedAt } = this.#running.delivery;
    const { operationId, major } = this.#offered;
    const oldest = await this.#asLongAsHeld(() => js.oldest(durableAddress(operationId, major, key)));
    // By its time, in case the servers of a cluster number the same call differently after a crash.
    if (oldest?.storedAt === storedAt) return true;
    if (oldest !== undefined && oldest.storedAt < storedAt) {
      const older = readRequest(oldest.text, { ...this.#offered, key }, settings.trust);
      if (older?.fingerprint !== this.#request.fingerprint) return this.#dismiss(otherInput(this.#request.event));
      this.#tell({ type: "call.completed", requestId: this.#id });
    }
    const stored = await this.#asLongAsHeld(() => this.#stored());
    if (stored !== undefined) await this.#repeat(stored);
    else await this.#asLongAsHeld(() => giveBack(js, this.#running, this.#delay));
    return false;
  }

  /**
   * Whether nobody has it from the place where it was before: a worker may have got it there at the moment in which it was
   * moved, and would say so by now.
   */
  async #isAlone(): Promise<boolean> {
    const { delivery, ackWaitMs } = this.#running;
    if (delivery.movedFrom === undefined) return true;
    const { consumer } = this.#offered;
    const silent = await withoutSigns(this.#workshop, { consumer, ackWaitMs }, [delivery.movedFrom]);
    if (silent.length > 0) return true;
    await this.#asLongAsHeld(() => giveBack(this.#workshop.js, this.#running, this.#delay));
    return false;
  }

  /** An older one that was stranded is removed in a moment; one that runs may take long. */
  get #delay(): number {
    const { delivery, ackWaitMs } = this.#running;
    return delivery.count === 1 ? PUT_OFF : Math.max(PUT_OFF, ackWaitMs * 1_000_000);
  }

  async #dismiss(error: CallErrorInit): Promise<false> {
    this.#refuse(error);
    await this.#acknowledge();
    return false;
  }

  #stored(): Promise<StoredResult | undefined> {
    const { js } = this.#workshop;
    return readResult((address) => js.look(address), this.#running.delivery.key);
  }

  async #repeat(stored: StoredResult): Promise<void> {
    this.#workshop.tally.repeated += 1;
    this.#tellStored(stored);
    await this.#acknowledge();
  }

  #tellStored({ answer, fingerprint, identity }: StoredResult): void {
    if (fingerprint !== this.#request.fingerprint) this.#refuse(otherInput(this.#request.event));
    else if (identity !== undefined && identity !== this.#request.identity?.id) this.#refuse(notTheirs());
    else this.#tell({ ...answer, requestId: this.#id });
  }

  /** Nothing where another worker is to answer. */
  async #answer(attempt: number): Promise<Answer | undefined> {
    const { tally, settings } = this.#workshop;
    const { stopped } = this.#running;
    if (stopped !== undefined) return stopped.reason === "aborted" ? this.#error(stopped.error) : undefined;
    if (attempt > settings.maxDeliver) {
      tally.failed += 1;
      return this.#error(workersLost(this.#offered.operationId, settings.maxDeliver));
    }
    this.#tell({ type: "call.running", requestId: this.#id, controlTo: controlAddress(settings.id) });
    try {
      return await this.#run(attempt);
    } catch (thrown) {
      const reason = this.#running.stopped?.reason;
      if (reason === "lost" || reason === "released") return undefined;
      if (!isNotTaken(thrown)) return this.#error(callErrorFrom(thrown));
      await giveBack(this.#workshop.js, this.#running, PUT_OFF);
      return undefined;
    }
  }

  /** Which attempt it is. That of a new call is not stored: a call that comes again was begun once at least. */
  async #begin(): Promise<number> {
    const { js } = this.#workshop;
    const { key, count } = this.#running.delivery;
    const isNew = this.#running.isNew;
    const begun = isNew ? 0 : await this.#asLongAsHeld(() => readAttempts(js, key));
    const attempt = 1 + (begun ?? (count === 1 ? 0 : 1));
    this.#running.attempt = attempt;
    if (!isNew) await this.#asLongAsHeld(() => storeAttempts(js, key, attempt));
    return attempt;
  }

  async #run(attempt: number): Promise<Answer> {
    const { operationId, major } = this.#offered;
    const { event, identity } = this.#request;
    const options = this.#options();
    const output = await this.#workshop.settings.run({
      operationId,
      major,
      input: event.input,
      options,
      identity,
      attempt,
    });
    assertEnvelope(output);
    const carried = output.data === undefined ? { ...output, data: null } : output;
    return { type: "call.responded", requestId: this.#id, output: carried };
  }

  /** Its deadline is that of a caller who waits, not of the call. */
  #options(): ExecuteOptions {
    const { requestId, parentRequestId, metadata, idempotencyKey = requestId } = this.#request.event;
    const { identity } = this.#request;
    return {
      ...{ requestId, idempotencyKey, isRemote: true, signal: this.#running.signal },
      onProgress: (progress) => this.#tell(progressEvent(requestId, progress)),
      ...(parentRequestId !== undefined && { parentRequestId }),
      ...(metadata !== undefined && { metadata }),
      ...(identity !== undefined && { identity }),
    };
  }

  async #store(answer: Answer): Promise<void> {
    const stored = await this.#storeFirst(answer);
    // Before it is acknowledged: a worker that dies in between leaves it to another, who tells it again.
    if (stored !== undefined) this.#tell(stored);
    this.#workshop.tally[stored === undefined ? "late" : "stored"] += 1;
    await this.#acknowledge();
  }

  /** What was stored, unless something else was before. */
  async #storeFirst(answer: Answer): Promise<Answer | undefined> {
    try {
      return (await this.#tryToStore(answer)) ? answer : undefined;
    } catch (thrown) {
      if (mayPass(thrown) || this.#isReleased) throw thrown;
      // It would fail each time: the caller is told why in its place.
      const error = this.#error(notStorable(thrown, this.#offered.operationId));
      return (await this.#tryToStore(error)) ? error : undefined;
    }
  }

  async #tryToStore(answer: Answer): Promise<boolean> {
    const { js, link } = this.#workshop;
    const { key } = this.#running.delivery;
    const { fingerprint, identity } = this.#request;
    const by = randomHex(8);
    const result = { answer, fingerprint, by, ...(identity !== undefined && { identity: identity.id }) };
    const isWanted = (): boolean => !this.#isReleased;
    if (await persist(link, () => storeResult(js, key, result, link.maxPayload), isWanted)) return true;
    // An attempt whose confirmation was lost finds itself.
    return (await persist(link, () => this.#stored(), isWanted))?.by === by;
  }

  get #isReleased(): boolean {
    return this.#running.stopped?.reason === "released";
  }

  get #id(): string {
    return this.#request.event.requestId;
  }

  #error(error: CallErrorInit): Answer {
    return { ...callErrorData(error), type: "call.error", requestId: this.#id };
  }

  #refuse(error: CallErrorInit): void {
    this.#tell(this.#error(error));
  }

  /** Only to where this caller can listen. What is too large for a message is looked up by the caller. */
  #tell(event: CallEvent): void {
    const { link, settings } = this.#workshop;
    const { replyTo } = this.#request.event;
    if (!replyTo.startsWith(`reply.${this.#running.delivery.key.caller}.`) || !isAddress(replyTo)) return;
    let text = JSON.stringify(event);
    if (Buffer.byteLength(text) > link.maxPayload)
      text = JSON.stringify({ type: "call.completed", requestId: this.#id });
    orElse(() => link.send(`${settings.prefix}.${replyTo}`, text), undefined);
  }

  #acknowledge(): Promise<void> {
    const { js } = this.#workshop;
    return this.#asLongAsHeld(() => js.acknowledge(this.#running.delivery.reply, "+ACK"));
  }

  #asLongAsHeld<T>(act: () => Promise<T>): Promise<T> {
    return persist(this.#workshop.link, act, () => this.#running.isHeld && !this.#isReleased);
  }
}

function isNotTaken(thrown: unknown): boolean {
  return isCallError(thrown) && isRecord(thrown.details) && thrown.details["taken"] === false;
}

function workersLost(operationId: string, times: number): CallErrorInit {
  return {
    category: "execution",
    code: "DELIVERY_FAILED",
    message: `The call of ${operationId} was given to workers at least ${times} times, and none has ended it: each was lost, or gave no sign of life.`,
    suggestedAction: "Look at what the workers logged. Call again with a new idempotencyKey once they are well.",
    details: { attempts: times, mayHaveRun: true },
  };
}

function notTheirs(): CallErrorInit {
  return { category: "authorization", message: "The result of this key is that of somebody else. Use another key." };
}

function notStorable(thrown: unknown, operationId: string): CallErrorInit {
  const { code, message } = isCallError(thrown)
    ? thrown
    : { code: undefined, message: orElse(() => String(thrown), "") };
  return {
    category: "execution",
    message: `${operationId} has run, and its answer could not be stored: ${message}`,
    ...(code !== undefined && { code }),
    details: { mayHaveRun: true },
  };
}
