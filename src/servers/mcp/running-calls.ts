import { setImmediate as turn } from "node:timers/promises";
import type { CallError } from "../../envelope/call-error.js";
import type { ToolCall } from "./tool-call.js";

/** Tells the client of a call why it gets no result. */
export type Farewell = (error: CallError) => void;

/** The calls that a server is busy with. */
export class RunningCalls {
  readonly #calls = new Map<ToolCall, Farewell | undefined>();
  #onIdle: (() => void) | undefined;

  /** Whoever stops one need not wait for it. */
  add(call: ToolCall, farewell?: Farewell): void {
    this.#calls.set(call, farewell);
    call.onStop = () => this.delete(call);
  }

  delete(call: ToolCall): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#onIdle?.();
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Until nothing runs any more, but not longer than this. */
  async idle(milliseconds: number): Promise<void> {
    if (this.#calls.size > 0) await this.#wait(milliseconds);
    // What the SDK has in hand is sent within a turn.
    await turn();
  }

  async #wait(milliseconds: number): Promise<void> {
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
