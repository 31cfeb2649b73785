/** Text as base64 of its UTF-8 bytes. */
export function encodeBase64(text: string): string {
  if (typeof Buffer !== "undefined") return encodeWithBuffer(text);
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

/** At most this much is kept for the next text, so that a large one does not stay in memory. */
const SCRATCH_BYTES = 1 << 20;
let scratch: Buffer | undefined;

/** Writes into a reused buffer: to make one of the right size, the text would have to be measured first. */
function encodeWithBuffer(text: string): string {
  const buffer = bufferOf(text.length * 3);
  return buffer.toString("base64", 0, buffer.write(text, "utf8"));
}

function bufferOf(bytes: number): Buffer {
  if (bytes > SCRATCH_BYTES) return Buffer.allocUnsafeSlow(bytes);
  scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  return scratch;
}

export type Decoded = { readonly text: string } | { readonly fault: "base64" | "utf8" };

/** Strict: the standard alphabet, right padding, no stray bytes, valid UTF-8. */
export function decodeBase64(encoded: string): Decoded {
  const bytes = decodeBytes(encoded);
  if (bytes === undefined) return { fault: "base64" };
  const text = decodeUtf8(bytes);
  return text === undefined ? { fault: "utf8" } : { text };
}

const CHUNK = 8192;

function decodeBytes(encoded: string): Uint8Array | undefined {
  if (encoded.length % 4 !== 0 || !endsCanonically(encoded)) return undefined;
  // Decoders pass over strays or take the url-safe alphabet; then some bytes are missing, or these two were there.
  if (encoded.includes("-") || encoded.includes("_")) return undefined;
  // A letter beyond ASCII is cut to its low byte by the decoder and would pass for another.
  if (typeof Buffer !== "undefined" && Buffer.byteLength(encoded) !== encoded.length) return undefined;
  const padding = encoded.endsWith("==") ? 2 : encoded.endsWith("=") ? 1 : 0;
  const bytes = typeof Buffer === "undefined" ? decodeWithAtob(encoded) : Buffer.from(encoded, "base64");
  return bytes?.length === (encoded.length / 4) * 3 - padding ? bytes : undefined;
}

/** The bits that the padding leaves over must be zero, so that every text has one encoding only. */
function endsCanonically(encoded: string): boolean {
  if (encoded.endsWith("==")) return "AQgw".includes(encoded.at(-3) ?? "");
  if (encoded.endsWith("=")) return "AEIMQUYcgkosw048".includes(encoded.at(-2) ?? "");
  return true;
}

function decodeWithAtob(encoded: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
