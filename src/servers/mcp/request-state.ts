import { randomBytes } from "node:crypto";
import { createRequestStateCodec, type RequestStateCodec, type ServerContext } from "@modelcontextprotocol/server";
import { isRecord } from "../../json/value.js";

/**
 * What an operation wants back with the answers to its questions goes through the client. It is sealed, and opened only
 * for the caller it was given to, so that an operation may rely on it.
 */
export class RequestStates {
  readonly #key: string | Uint8Array | undefined;
  #codec: RequestStateCodec | undefined;

  constructor(key: string | Uint8Array | undefined) {
    this.#key = key;
    // A key that is too short is told at the start.
    if (key !== undefined) this.#codec = createRequestStateCodec({ key });
  }

  seal(state: string, owner: string | undefined): Promise<string> {
    return this.#sealer().mint({ state, owner: owner ?? null });
  }

  /** Throws where it was not sealed here, is too old, or belongs to someone else. */
  async open(sealed: string, owner: string | undefined, context: ServerContext): Promise<string> {
    const held: unknown = await this.#sealer().verify(sealed, context);
    if (!isRecord(held) || typeof held["state"] !== "string" || held["owner"] !== (owner ?? null))
      throw new TypeError("The state is of another caller.");
    return held["state"];
  }

  #sealer(): RequestStateCodec {
    this.#codec ??= createRequestStateCodec({ key: this.#key ?? randomBytes(32) });
    return this.#codec;
  }
}
