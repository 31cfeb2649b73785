import type { CallError } from "../envelope/call-error.js";
import type { ClientCall } from "./client-call.js";

/** Tells the client of a call why it gets no result. */
export type Farewell = (error: CallError, call: ClientCall) => void;

/** The calls that a server is busy with. */
export class RunningCalls {
  readonly #calls = new Map<ClientCall, Farewell | undefined>();
  #onIdle: (() => void) | undefined;
  readonly #forget = (call: ClientCall): void => this.delete(call);

  /** Whoever stops one need not wait for it. */
  add(call: ClientCall, farewell?: Farewell): void {
    this.#calls.set(call, farewell);
    call.onStop = this.#forget;
  }

  delete(call: ClientCall): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#onIdle?.();
  }

  get size(): number {
    return this.#calls.size;
  }

  values(): readonly ClientCall[] {
    return [...this.#calls.keys()];
  }

  /** Until nothing runs any more, but not longer than this. */
  async idle(milliseconds: number): Promise<void> {
    if (this.#calls.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onIdle = undefined;
  }

  /** Ends one; whoever can be told is. */
  stop(call: ClientCall, error: CallError): void {
    this.#calls.get(call)?.(error, call);
    call.stop(error);
  }

  stopAll(error: CallError): void {
    for (const call of this.values()) this.stop(call, error);
  }
}
