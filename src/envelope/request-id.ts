/** An id for a request in the form of response-v2: `req_` and 12 hexadecimal digits. */
export function createRequestId(): string {
  if (at === POOL.length) {
    crypto.getRandomValues(POOL);
    at = 0;
  }
  let id = "req_";
  for (const end = at + BYTES; at < end; at++) id += HEX[POOL[at] as number];
  return id;
}

const BYTES = 6;
/** Asking for random bytes costs the same for many as for few. */
const POOL: Uint8Array<ArrayBuffer> = new Uint8Array(BYTES * 256);
let at = POOL.length;

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
