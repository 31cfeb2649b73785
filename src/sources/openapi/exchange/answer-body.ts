import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { decodersFor, decompressed } from "./decompress.js";
import type { Exchange } from "./exchange.js";
import { invalidAnswer, tooLarge } from "./exchange-errors.js";

/** A body that is read once, in one of two ways, or not at all. */
export interface AnswerBody {
  bytes(): Promise<Uint8Array>;
  chunks(): AsyncIterable<Uint8Array>;
  /** Settles when its connection may serve the next request, or it is not worth the wait. */
  discard(): Promise<void>;
}

/** Up to this size, reading a body that nobody wants is cheaper than another connection. */
const CHEAP_BYTES = 16_384;

export function answerBody(response: IncomingMessage, exchange: Exchange, limit: number): AnswerBody {
  const told = lengthOf(response);
  let isTaken = false;
  const take = (): void => {
    if (isTaken) throw new Error("The body of an answer can be read once only");
    isTaken = true;
  };
  return {
    bytes: async () => {
      take();
      if (told !== undefined && told > limit) exchange.fail(tooLarge(exchange.host, limit, told));
      return readWhole(await decodedBody(response, exchange), exchange, limit);
    },
    chunks: () => {
      take();
      const pieces = new Pieces(() => decodedBody(response, exchange), exchange);
      return { [Symbol.asyncIterator]: () => pieces };
    },
    discard: async () => {
      if (isTaken || told === undefined || told > CHEAP_BYTES) return exchange.finish();
      isTaken = true;
      const drained = drain(response, exchange);
      return response.complete ? drained : undefined;
    },
  };
}

/** What an answer has that has no body. Reading it waits until its connection may serve the next request. */
export function emptyBody(response: IncomingMessage, exchange: Exchange): AnswerBody {
  const drained = drain(response, exchange);
  return {
    bytes: () => drained.then(() => new Uint8Array(0)),
    chunks: () => ({ [Symbol.asyncIterator]: () => ({ next: () => drained.then(() => OVER) }) }),
    discard: () => drained,
  };
}

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers["content-length"];
  return length === undefined ? undefined : Number(length);
}

async function decodedBody(response: IncomingMessage, exchange: Exchange): Promise<Readable> {
  const encoding = response.headers["content-encoding"] ?? "";
  const decoders = decodersFor(encoding);
  if (decoders === undefined)
    exchange.fail(
      invalidAnswer(
        exchange.host,
        `answered in the encoding ${JSON.stringify(encoding.slice(0, 60))}, which is not known here`,
      ),
    );
  if (exchange.failure !== undefined) throw exchange.failure;
  exchange.awaitPiece();
  try {
    return await decompressed(response, decoders ?? []);
  } catch (thrown) {
    throw failureOf(thrown, exchange);
  }
}

/** What the connection does to a body is known already; all else is in its bytes. */
function failureOf(thrown: unknown, exchange: Exchange): Error {
  if (exchange.failure === undefined)
    exchange.fail(invalidAnswer(exchange.host, "answered with a compressed body that is broken", thrown));
  return exchange.failure ?? new Error("The body of the answer is gone", { cause: thrown });
}

function readWhole(body: Readable, exchange: Exchange, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let length = 0;
    exchange.onFailure(reject);
    exchange.awaitPiece();
    body.on("data", (part: Uint8Array) => {
      length += part.length;
      if (length > limit) return exchange.fail(tooLarge(exchange.host, limit));
      parts.push(part);
      exchange.awaitPiece();
    });
    body.on("error", (thrown) => reject(failureOf(thrown, exchange)));
    body.on("end", () => {
      exchange.finish();
      resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts));
    });
  });
}

/** Ends the exchange at once when its reader leaves, also while a piece is awaited. */
class Pieces implements AsyncIterator<Uint8Array> {
  readonly #open: () => Promise<Readable>;
  readonly #exchange: Exchange;
  #body: Promise<AsyncIterator<Uint8Array>> | undefined;
  #isLeft = false;

  constructor(open: () => Promise<Readable>, exchange: Exchange) {
    this.#open = open;
    this.#exchange = exchange;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#isLeft) return OVER;
    try {
      this.#body ??= this.#open().then((body) => body[Symbol.asyncIterator]());
      const body = await this.#body;
      this.#exchange.awaitPiece();
      const piece = await body.next();
      if (piece.done === true) return this.return();
      this.#exchange.rest();
      return piece;
    } catch (thrown) {
      if (this.#isLeft) return OVER;
      this.#isLeft = true;
      throw failureOf(thrown, this.#exchange);
    }
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#isLeft = true;
    this.#exchange.finish();
    return Promise.resolve(OVER);
  }
}

const OVER: IteratorResult<Uint8Array> = { done: true, value: undefined };

/** Reads what nobody wants. How that ends does not matter. */
function drain(response: IncomingMessage, exchange: Exchange): Promise<void> {
  return new Promise((resolve) => {
    exchange.onFailure(() => resolve());
    exchange.awaitPiece();
    response.on("end", () => {
      exchange.finish();
      resolve();
    });
    response.resume();
  });
}
