import type { IncomingMessage } from "node:http";

/** A body that was too large. */
export const TOO_LARGE: unique symbol = Symbol("too large");

/** The text of a request, read without the streams of the web: they cost more than the rest of a call. */
export function readBody(request: IncomingMessage, limit: number): Promise<string | typeof TOO_LARGE> {
  if (Number(request.headers["content-length"]) > limit) return Promise.resolve(TOO_LARGE);
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.removeAllListeners("data");
        resolve(TOO_LARGE);
      } else if (first === undefined) first = chunk;
      else if (more === undefined) more = [first, chunk];
      else more.push(chunk);
    });
    request.on("end", () => resolve((more === undefined ? first : Buffer.concat(more, size))?.toString("utf8") ?? ""));
    request.on("error", reject);
  });
}
