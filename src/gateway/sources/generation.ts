import { CallCount } from "./call-count.js";
import type { OpenedSource } from "./open-source.js";

interface GenerationHooks {
  readonly onChange: () => void;
  readonly onHealth: () => void;
}

/** A source that is open, with the calls that run in it. */
export class Generation {
  readonly source: OpenedSource;
  readonly openedInMs: number;
  readonly calls: CallCount = new CallCount();
  readonly #endings: readonly (() => void)[];
  #closed: Promise<void> | undefined;

  constructor(source: OpenedSource, openedInMs: number, { onChange, onHealth }: GenerationHooks) {
    this.source = source;
    this.openedInMs = openedInMs;
    this.#endings = [source.onChange(onChange), source.onHealth?.(onHealth) ?? (() => {})];
  }

  /** Closes it when the calls that run have ended, or after so many milliseconds. Nothing is heard of it any longer. */
  async leave(milliseconds: number): Promise<void> {
    for (const end of this.#endings) end();
    await this.calls.idle(milliseconds);
    await this.close();
  }

  close(): Promise<void> {
    this.#closed ??= this.source.close().catch(() => {});
    return this.#closed;
  }
}
