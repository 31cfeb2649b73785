import type { CallError } from "../envelope/call-error.js";
import type { ClientCall } from "./client-call.js";

/** Tells the client of a call why it gets no result. */
export type Farewell = (error: CallError) => void;

/** The calls that a server is busy with. */
export class RunningCalls {
  readonly #calls = new Map<ClientCall, Farewell | undefined>();
  #onIdle: (() => void) | undefined;

  /** Whoever stops one need not wait for it. */
  add(call: ClientCall, farewell?: Farewell): void {
    this.#calls.set(call, farewell);
    call.onStop = () => this.delete(call);
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

  /** Ends them all; those who can be told are. */
  stopAll(error: CallError): void {
    for (const [call, farewell] of [...this.#calls]) {
      farewell?.(error);
      call.stop(error);
    }
  }
}
