import { CallError, callErrorData, isCallError } from "../../envelope/call-error.js";
import { messageOf } from "../../json/attempt.js";
import { Listeners } from "../../registry/listeners.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import type { OperationSource, SourceHealth } from "../../registry/source.js";
import type { CallCount } from "./call-count.js";
import { Generation } from "./generation.js";
import type { OpenedSource } from "./open-source.js";
import { retryDelay } from "./retry-delay.js";

/** Opens a source; the signal gives that up. */
export type Open = (signal: AbortSignal) => Promise<OpenedSource>;

export interface ManagedSourceOptions {
  readonly name: string;
  readonly open: Open;
  /** Whether it is opened again after a failure, and brought back when it went down. */
  readonly stays: boolean;
  /** Milliseconds until the next attempt after so many failures. */
  readonly delayAfter?: (failures: number) => number;
  /** @default Date.now */
  readonly now?: () => number;
}

/** Calls in a source that is replaced or removed have this long to end. */
const DRAIN_MS = 30_000;

/** One that somebody asks for is opened again at once, but not more often than this. */
const SHORTEST_REST = 1_000;

/** A source that opens in the background, and that may be down or opened anew; nothing of that throws. */
export class ManagedSource implements OperationSource {
  readonly name: string;
  readonly #stays: boolean;
  readonly #delayAfter: (failures: number) => number;
  readonly #now: () => number;
  readonly #changes = new Listeners();
  readonly #healthChanges = new Listeners();
  #open: Open;
  #current: Generation | undefined;
  /** Those before, until their calls have ended. */
  readonly #leaving = new Set<Generation>();
  /** The newest attempt to open it; earlier ones were given up. */
  #attempt: AbortController | undefined;
  readonly #attempts = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #triedAt = 0;
  #failures = 0;
  #error: CallError | undefined;
  #isClosed = false;

  constructor({ name, open, stays, delayAfter = retryDelay, now = Date.now }: ManagedSourceOptions) {
    this.name = name;
    this.#open = open;
    this.#stays = stays;
    this.#delayAfter = delayAfter;
    this.#now = now;
    this.#begin();
  }

  get operations(): readonly AnyOperation[] {
    return this.#current?.source.operations ?? [];
  }

  /** Those that run in the source that is open now. */
  get calls(): CallCount | undefined {
    return this.#current?.calls;
  }

  get openedInMs(): number | undefined {
    return this.#current?.openedInMs;
  }

  /** That of the source itself where it is open. One that has failed stays down until it is up, however often it is tried. */
  health(): SourceHealth {
    if (this.#isClosed) return { status: "closed" };
    if (this.#current !== undefined) return downWhereFailed(this.#current.source.health());
    const status = this.#attempt === undefined || this.#failures > 0 ? "down" : "connecting";
    return { status, ...(this.#error !== undefined && { error: callErrorData(this.#error) }) };
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /** Calls back when it may be up, or down, that was not before. */
  onHealth(listener: () => void): () => void {
    return this.#healthChanges.add(listener);
  }

  /** Until it is up or has failed. */
  async settled(): Promise<void> {
    while (this.#attempt !== undefined) await Promise.race(this.#attempts);
  }

  /** Opens it in another way. What is open goes on until the new one is up or has failed. */
  reopen(open: Open): void {
    if (this.#isClosed) return;
    this.#open = open;
    this.#failures = 0;
    this.#begin();
  }

  /** Somebody wants it: one that could not be opened does not rest any longer. */
  wake(): void {
    const isResting = this.#timer !== undefined && this.#current === undefined;
    if (isResting && this.#now() - this.#triedAt >= SHORTEST_REST) this.#begin();
  }

  /** Closes it when the calls that run have ended, or after a while. It has no operations from now on. */
  async retire(): Promise<void> {
    this.#stop();
    await Promise.all([...this.#leaving].map((generation) => generation.leave(DRAIN_MS)));
    await this.close();
  }

  async close(): Promise<void> {
    this.#stop();
    await Promise.all([...this.#attempts, ...[...this.#leaving].map((generation) => generation.close())]);
  }

  #stop(): void {
    this.#isClosed = true;
    this.#attempt?.abort();
    this.#attempt = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changes.clear();
    this.#healthChanges.clear();
    this.#use(undefined);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#attempt?.abort();
    this.#attempt = new AbortController();
    this.#triedAt = this.#now();
    const ended = this.#try(this.#attempt).finally(() => this.#attempts.delete(ended));
    this.#attempts.add(ended);
    this.#healthChanges.tell();
  }

  async #try(attempt: AbortController): Promise<void> {
    const begunAt = process.uptime();
    try {
      const source = await this.#open(attempt.signal);
      if (attempt === this.#attempt) this.#opened(source, (process.uptime() - begunAt) * 1000);
      else await source.close();
    } catch (thrown) {
      if (attempt === this.#attempt) this.#failed(this.#errorFrom(thrown));
    }
  }

  #opened(source: OpenedSource, milliseconds: number): void {
    this.#attempt = undefined;
    this.#error = undefined;
    this.#use(
      new Generation(source, Math.round(milliseconds), {
        onChange: () => this.#changes.tell(),
        onHealth: () => this.#look(),
      }),
    );
    this.#changes.tell();
    this.#look();
  }

  #failed(error: CallError): void {
    this.#attempt = undefined;
    this.#error = error;
    this.#use(undefined);
    if (this.#stays) this.#restThen(() => this.#begin());
    this.#changes.tell();
    this.#healthChanges.tell();
  }

  #use(generation: Generation | undefined): void {
    const before = this.#current;
    this.#current = generation;
    if (before === undefined) return;
    this.#leaving.add(before);
    void before.leave(DRAIN_MS).finally(() => this.#leaving.delete(before));
  }

  /** One that was open and is down comes back without waiting for a call. */
  #look(): void {
    const status = this.#current?.source.health().status;
    if (status === "ready") {
      this.#failures = 0;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    } else if (status === "down" && this.#stays && this.#timer === undefined) {
      this.#restThen(() => void this.#revive());
    }
    this.#healthChanges.tell();
  }

  async #revive(): Promise<void> {
    const generation = this.#current;
    await generation?.source.refresh?.().catch(() => {});
    if (generation === this.#current) this.#look();
  }

  #restThen(goOn: () => void): void {
    this.#failures += 1;
    // A revival that ended while the source was being opened anew has left one.
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      goOn();
    }, this.#delayAfter(this.#failures)).unref();
  }

  #errorFrom(thrown: unknown): CallError {
    if (isCallError(thrown)) return thrown;
    const message = `The source ${this.name} cannot be opened: ${messageOf(thrown)}`;
    return new CallError({ category: "unavailable", message, cause: thrown });
  }
}

function downWhereFailed(health: SourceHealth): SourceHealth {
  return health.status === "connecting" && health.error !== undefined ? { ...health, status: "down" } : health;
}
