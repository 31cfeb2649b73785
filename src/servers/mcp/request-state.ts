import { randomBytes } from "node:crypto";
import { createRequestStateCodec, type RequestStateCodec, type ServerContext } from "@modelcontextprotocol/server";
import { isRecord, isString } from "../../json/value.js";

/** Whom a state belongs to. */
export interface StateHolder {
  readonly owner: string | undefined;
  readonly operation: string;
}

/** What came back, and to which operation it must go. */
export interface KeptState {
  readonly state: string;
  readonly operation: string;
}

/**
 * What an operation wants back with the answers to its questions goes through the client, who can read it. It is sealed,
 * and opened only for the caller it was given to, so that the operation may rely on it.
 */
export class RequestStates {
  readonly #key: string | Uint8Array | undefined;
  #codec: RequestStateCodec | undefined;

  constructor(key: string | Uint8Array | undefined) {
    this.#key = key;
    // A key that is too short is told at the start.
    if (key !== undefined) this.#codec = createRequestStateCodec({ key });
  }

  seal(state: string, { owner, operation }: StateHolder): Promise<string> {
    return this.#sealer().mint({ state, owner: owner ?? null, operation });
  }

  /** Throws where it was not sealed here, is too old, or belongs to someone else. */
  async open(sealed: string, owner: string | undefined, context: ServerContext): Promise<KeptState> {
    const held: unknown = await this.#sealer().verify(sealed, context);
    const { state, operation, owner: holder } = isRecord(held) ? held : {};
    if (!isString(state) || !isString(operation) || holder !== (owner ?? null))
      throw new TypeError("The state is of another caller.");
    return { state, operation };
  }

  #sealer(): RequestStateCodec {
    this.#codec ??= createRequestStateCodec({ key: this.#key ?? randomBytes(32) });
    return this.#codec;
  }
}
