/** Names in lower case. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** An answer that is all there. */
export interface HttpReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: string;
}

/** An answer that goes on, as server-sent events. */
export type Reply = HttpReply | StreamReply;

export interface StreamReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** Begins to write. */
  readonly start: (sink: EventSink) => void;
}

/** Where the text of a stream goes: a socket, or a stream of the web. */
export interface EventSink {
  /** Whether more may be written at once; otherwise `onDrain` tells when. */
  write(text: string): boolean;
  end(): void;
  /** The listener is called each time that there is room again. */
  onDrain(listener: () => void): void;
  /** The listener is called once, when the client has gone; not after `end`. */
  onClose(listener: () => void): void;
}
