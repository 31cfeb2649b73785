/** How many random bytes are fetched at once: asking for a few costs nearly as much as asking for many. */
const POOL_BYTES = 4096;

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

let pool: Uint8Array<ArrayBuffer> | undefined;
let used = POOL_BYTES;

/** So many random bytes as hexadecimal digits, two each. No byte is given out twice. */
export function randomHex(bytes: number): string {
  let text = "";
  for (let at = 0; at < bytes; at++) text += HEX[nextByte()];
  return text;
}

function nextByte(): number {
  pool ??= new Uint8Array(POOL_BYTES);
  if (used === POOL_BYTES) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const byte = pool[used] as number;
  used += 1;
  return byte;
}
