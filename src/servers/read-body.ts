import type { IncomingMessage } from "node:http";
import { orElse } from "../json/attempt.js";

/** A body that was too large, and one that is no text of UTF-8. */
export const TOO_LARGE: unique symbol = Symbol("too large");
export const NOT_TEXT: unique symbol = Symbol("not text");

export type BodyText = string | typeof TOO_LARGE | typeof NOT_TEXT;

/** The text of a request, read without the streams of the web: they cost more than the rest of a call. */
export function readBody(request: IncomingMessage, limit: number): Promise<BodyText> {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    takeBody(request, limit, resolve);
  });
}

/** The same without a promise. Of a client that goes meanwhile nothing is heard. */
export function takeBody(request: IncomingMessage, limit: number, done: (text: BodyText) => void): void {
  if (Number(request.headers["content-length"]) > limit) {
    done(TOO_LARGE);
    return;
  }
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) {
      request.removeAllListeners("data").removeAllListeners("end");
      done(TOO_LARGE);
    } else if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  request.on("end", () => {
    const bytes = more === undefined ? first : Buffer.concat(more, size);
    const text = bytes?.toString("utf8") ?? "";
    done(text.includes(REPLACED) && !isUtf8(bytes) ? NOT_TEXT : text);
  });
}

/** What stands in place of bytes that are no text, and may have been sent itself. */
const REPLACED = "\ufffd";

function isUtf8(bytes: Uint8Array | undefined): boolean {
  return orElse(() => typeof new TextDecoder("utf-8", { fatal: true }).decode(bytes) === "string", false);
}
