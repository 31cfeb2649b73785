/** What is needed of a connected client of NATS; that of `@nats-io/transport-node` fits. Who opened it closes it. */
export interface NatsClient {
  publish(subject: string, payload?: Uint8Array | string, options?: { reply?: string }): void;
  subscribe(subject: string, options?: NatsSubscribeOptions): NatsSubscription;
  /** Resolves when the server has taken all that was published. */
  flush(): Promise<void>;
  status(): AsyncIterable<{ readonly type: string }>;
  closed(): Promise<unknown>;
  isClosed(): boolean;
  readonly info?: { readonly max_payload: number } | undefined;
}

export interface NatsSubscribeOptions {
  queue?: string;
  callback?: (error: Error | null, message: NatsMessage) => void;
}

export interface NatsSubscription {
  unsubscribe(): void;
  /** Hears what is under way, then ends. */
  drain(): Promise<void>;
}

export interface NatsMessage {
  readonly subject: string;
  readonly reply?: string | undefined;
  readonly data: Uint8Array;
  readonly headers?: { readonly code: number; get(name: string): string } | undefined;
  string(): string;
}
