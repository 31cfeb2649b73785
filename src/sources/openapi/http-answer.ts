import type { CallError } from "../../envelope/call-error.js";

/** What an HTTP server answered; its body is yet to be read, once. */
export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; repeated ones are joined with a comma; without `set-cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookie: readonly string[];
  /** As the server says it, or empty. */
  readonly contentType: string;
  /** Where it came from, after redirects, without the secrets of the query. */
  readonly url: string;
  /** The whole body, decompressed. Rejects with a `CallError` where it is too large, cut or broken. */
  bytes(): Promise<Uint8Array>;
  /** The body as it comes, decompressed. Throws as `bytes` does; its total size is not limited. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Lets go of a body that nobody reads. */
  discard(): void;
}

export interface OutgoingRequest {
  readonly method: string;
  /** Absolute; its path is sent as it is written here. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  /** What only the host of `url` may see; gone after a redirect to another. */
  readonly secrets: RequestSecrets;
}

export interface RequestSecrets {
  readonly headers: Readonly<Record<string, string>>;
  /** Encoded, `name=value&…`; empty where there is none. */
  readonly query: string;
  /** Encoded, `name=value; …`; empty where there is none. */
  readonly cookie: string;
}

/** When a request is to end before its answer has come. */
export interface RequestControl {
  /** Unix epoch milliseconds. */
  readonly deadline: number | undefined;
  /** Milliseconds for the head of the answer, and between two pieces of its body. */
  readonly timeout: number;
  /** Calls back once, when the caller has given up; returns what ends the watch. */
  readonly watchEnd: (listener: (error: CallError) => void) => () => void;
}
