import { CallError } from "../../../envelope/call-error.js";

const MOST_BYTES = 16 * 1024 * 1024;
/** What an entry costs beside its text. */
const ENTRY_BYTES = 200;

export interface HeldMessage {
  readonly bytes: number;
  /** Called when there is a connection again. */
  readonly send: () => void;
}

/** What was sent while there was no connection, in its order. */
export class HeldMessages {
  #messages: HeldMessage[] = [];
  #bytes = 0;

  /** Throws where that would be too much. */
  add(message: HeldMessage): void {
    const bytes = this.#bytes + message.bytes + ENTRY_BYTES;
    if (bytes > MOST_BYTES) throw full();
    this.#bytes = bytes;
    this.#messages.push(message);
  }

  take(): readonly HeldMessage[] {
    const messages = this.#messages;
    this.clear();
    return messages;
  }

  clear(): void {
    this.#messages = [];
    this.#bytes = 0;
  }
}

function full(): CallError {
  return new CallError({
    category: "unavailable",
    message: `There is no connection to NATS, and ${MOST_BYTES} bytes wait for it already. Try again when it is back.`,
    details: { taken: false },
  });
}
