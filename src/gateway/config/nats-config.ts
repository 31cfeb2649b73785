/** How NATS is reached, beside where it is. */
export interface NatsAccessConfig {
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** A file with a JWT and its key. */
  readonly credentials?: string;
  /** The seed of an NKey, or a file with it. */
  readonly nkey?: string;
  readonly tls?: NatsTlsConfig;
  /** @default 10_000 */
  readonly startTimeout?: number;
}

/** Files. */
export interface NatsTlsConfig {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** A key that says for whom a caller speaks. */
export interface SigningKeyConfig {
  /** What those who trust it know it by. */
  readonly id: string;
  /** Ed25519, as PEM, or a file with that. */
  readonly privateKey: string;
}

/** What `plico worker` does. */
export interface NatsServerConfig extends NatsAccessConfig {
  readonly url?: string | readonly string[];
  /** @default "plico" */
  readonly name?: string;
  readonly description?: string;
  /** @default "plico" */
  readonly prefix?: string;
  readonly trust?: NatsTrustConfig;
  /** Ids of operations whose calls are kept until they are answered; `*` stands for anything. */
  readonly durable?: readonly string[];
  /** @default 1_000 */
  readonly maxRunning?: number;
  /** @default 25_000 */
  readonly drainMs?: number;
  readonly jetstream?: JetStreamConfig;
}

/** Whose word a worker takes for who its caller is. */
export interface NatsTrustConfig {
  readonly secret?: string;
  /** Secrets that were used before, and are still good. */
  readonly previous?: readonly string[];
  /** Public keys by their ids: Ed25519, as PEM, or files with that. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Who a caller is by its name alone, for which the permissions of the NATS server must vouch. */
  readonly callers?: Readonly<Record<string, { readonly scopes?: readonly string[] }>>;
}

export interface JetStreamConfig {
  /** @default 1 */
  readonly replicas?: number;
}
