import type { CallError } from "../../../envelope/call-error.js";
import { LONGEST_TIMER } from "../../../json/longest-timer.js";
import type { RequestControl } from "../http-answer.js";
import { deadlinePassed, timedOut } from "./exchange-errors.js";

/** Ends a request when the server is silent for too long, at its deadline, or when the caller gives up. */
export class RequestWatch {
  readonly #control: RequestControl;
  readonly #host: string;
  readonly #onEnd: (error: CallError) => void;
  #unwatch: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer looks, by the clock of `performance`. */
  #looksAt: number = Number.POSITIVE_INFINITY;
  #awaited = "";
  #silentUntil: number = Number.POSITIVE_INFINITY;
  #isOver = false;

  constructor(control: RequestControl, host: string, onEnd: (error: CallError) => void) {
    this.#control = control;
    this.#host = host;
    this.#onEnd = onEnd;
  }

  start(): void {
    this.#unwatch = this.#control.watchEnd((error) => this.#end(error));
    // The caller may have given up before, and say so at once.
    if (this.#isOver) this.#unwatch();
    else this.rest();
  }

  /** The server is to do something now; `awaited` says in a message what it has not done. */
  expect(awaited: string): void {
    if (this.#isOver) return;
    this.#awaited = awaited;
    this.#silentUntil = performance.now() + this.#control.timeout;
    this.#lookIn(this.#remaining());
  }

  /** The server is not to blame for the time that passes. */
  rest(): void {
    this.#silentUntil = Number.POSITIVE_INFINITY;
    if (!this.#isOver) this.#lookIn(this.#remaining());
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#unwatch?.();
  }

  /** Most pieces of an answer only move the end: the timer that runs looks again when its time is over. */
  #lookIn(milliseconds: number): void {
    const at = performance.now() + milliseconds;
    if (at >= this.#looksAt || milliseconds === Number.POSITIVE_INFINITY) return;
    clearTimeout(this.#timer);
    this.#looksAt = at;
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(milliseconds, 0), LONGEST_TIMER));
  }

  #look(): void {
    this.#looksAt = Number.POSITIVE_INFINITY;
    const { deadline, timeout } = this.#control;
    const remaining = this.#remaining();
    if (remaining > 0) this.#lookIn(remaining);
    else if (deadline !== undefined && deadline <= Date.now()) this.#end(deadlinePassed(`${this.#host} had answered`));
    else this.#end(timedOut(this.#host, this.#awaited, timeout));
  }

  #remaining(): number {
    const { deadline = Number.POSITIVE_INFINITY } = this.#control;
    return Math.min(this.#silentUntil - performance.now(), deadline - Date.now());
  }

  #end(error: CallError): void {
    if (this.#isOver) return;
    this.stop();
    this.#onEnd(error);
  }
}
