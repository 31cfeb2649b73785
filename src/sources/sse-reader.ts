export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  /** The last id that the stream has named. */
  readonly id: string | undefined;
}

export interface SseReaderOptions {
  readonly onEvent: (event: ServerSentEvent) => void;
  /** Milliseconds that the server wants a client to wait before it connects again. */
  readonly onRetry?: (milliseconds: number) => void;
}

/** Reads server-sent events from text that may be split anywhere: lines end by CR, LF or both. */
export class SseReader {
  readonly #options: SseReaderOptions;
  #parts: string[] = [];
  #event = "";
  #data: string[] = [];
  #id: string | undefined;
  /** Counts when its event has ended: one that was cut has not come. */
  #nextId: string | undefined;
  #unread = 0;
  #isFirst = true;
  #skipsLineFeed = false;

  constructor(options: SseReaderOptions) {
    this.#options = options;
  }

  get lastId(): string | undefined {
    return this.#id;
  }

  /** How much there is of an event that has not ended; whoever reads on should have a limit for it. */
  get unreadLength(): number {
    return this.#unread;
  }

  push(chunk: string): void {
    let text = chunk;
    if (this.#isFirst && text !== "") {
      this.#isFirst = false;
      if (text.charCodeAt(0) === BOM) text = text.slice(1);
    }
    if (this.#skipsLineFeed && text !== "") {
      this.#skipsLineFeed = false;
      if (text.startsWith("\n")) text = text.slice(1);
    }
    let from = 0;
    for (const { 0: end, index } of text.matchAll(/\r\n?|\n/g)) {
      this.#unread += index - from;
      this.#line(text.slice(from, index));
      from = index + end.length;
    }
    if (text.endsWith("\r")) this.#skipsLineFeed = true;
    if (from === text.length) return;
    this.#parts.push(text.slice(from));
    this.#unread += text.length - from;
  }

  #line(last: string): void {
    const line = this.#parts.length === 0 ? last : this.#parts.join("") + last;
    this.#parts = [];
    const colon = line.indexOf(":");
    if (line === "") this.#dispatch();
    else if (colon < 0) this.#field(line, "");
    else this.#field(line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1));
  }

  #field(field: string, value: string): void {
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#nextId = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.#options.onRetry?.(Number(value));
  }

  /** An event without data is none; its id counts all the same. */
  #dispatch(): void {
    const [data, event] = [this.#data, this.#event];
    this.#unread = 0;
    this.#id = this.#nextId;
    this.#data = [];
    this.#event = "";
    if (data.length > 0)
      this.#options.onEvent({ event: event === "" ? "message" : event, data: data.join("\n"), id: this.#id });
  }
}

const BOM = 0xfeff;
