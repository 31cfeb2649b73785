import { randomHex } from "../json/random-hex.js";

/** An id for a request in the form of response-v2: `req_` and 12 hexadecimal digits. */
export function createRequestId(): string {
  return `req_${randomHex(6)}`;
}
