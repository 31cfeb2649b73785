export interface EventLogLimits {
  /** How many events that were read are kept, and how many may wait to be read. */
  readonly bufferEvents: number;
  /** How much text that may be; a character counts as one. */
  readonly bufferBytes: number;
}

/** The events of one stream, numbered from 1, between the handler and a client that may want some of them again. */
export class EventLog {
  readonly #limits: EventLogLimits;
  /** By number, the oldest first. */
  readonly #texts = new Map<number, string>();
  #first = 1;
  #last = 0;
  /** The last that the present reader was given, and the last that any was. */
  #read = 0;
  #everRead = 0;
  #readBytes = 0;
  #unreadBytes = 0;

  constructor(limits: EventLogLimits) {
    this.#limits = limits;
  }

  /** The number of the last event. */
  get last(): number {
    return this.#last;
  }

  get isRead(): boolean {
    return this.#read === this.#last;
  }

  /** Whether another event may be added although nobody reads. */
  get hasRoom(): boolean {
    return this.#last - this.#read < this.#limits.bufferEvents && this.#unreadBytes < this.#limits.bufferBytes;
  }

  add(text: string): void {
    this.#last += 1;
    this.#texts.set(this.#last, text);
    this.#unreadBytes += text.length;
  }

  /** The next event for the reader. */
  take(): string | undefined {
    const text = this.#texts.get(this.#read + 1);
    if (text === undefined) return undefined;
    this.#read += 1;
    this.#everRead = Math.max(this.#everRead, this.#read);
    this.#readBytes += text.length;
    this.#unreadBytes -= text.length;
    this.#forget();
    return text;
  }

  /** What a reader who has all up to this number can get: everything that follows, not all of it, or it cannot be. */
  judge(read: number): "whole" | "gap" | "unknown" {
    if (read > this.#everRead) return "unknown";
    return read >= this.#first - 1 ? "whole" : "gap";
  }

  /** The reader is one who has all up to this number, of which `judge` must say that the rest is whole. */
  rewind(read: number): void {
    for (let number = this.#read; number > read; number--) this.#move(number, -1);
    for (let number = this.#read + 1; number <= read; number++) this.#move(number, 1);
    this.#read = read;
    this.#forget();
  }

  clear(): void {
    this.#texts.clear();
  }

  #move(number: number, direction: 1 | -1): void {
    const length = (this.#texts.get(number)?.length ?? 0) * direction;
    this.#readBytes += length;
    this.#unreadBytes -= length;
  }

  /** The last one that was read is kept whatever its size: it is the one that most often does not arrive. */
  #forget(): void {
    const { bufferEvents, bufferBytes } = this.#limits;
    for (;;) {
      const kept = this.#read - this.#first + 1;
      if (kept === 0 || (kept <= bufferEvents && (kept === 1 || this.#readBytes <= bufferBytes))) return;
      this.#readBytes -= this.#texts.get(this.#first)?.length ?? 0;
      this.#texts.delete(this.#first);
      this.#first += 1;
    }
  }
}
