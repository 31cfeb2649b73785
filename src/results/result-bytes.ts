/** The bytes of a JSON text, wherever they are. */
export interface ResultBytes {
  readonly length: number;
  read(from: number, to: number): Promise<Buffer>;
}

export function bytesInMemory(buffer: Buffer): ResultBytes {
  return { length: buffer.length, read: async (from, to) => buffer.subarray(from, to) };
}

/** The longest character of UTF-8 has one byte more. */
const CONTINUED = 3;

/**
 * The text of some bytes. Where they begin or end inside a character, they begin or end before it instead, so that ranges
 * that follow each other lose nothing; a range inside a single character is all of the character.
 */
export async function readText(source: ResultBytes, from: number, to: number): Promise<Slice> {
  const begin = Math.max(0, from - CONTINUED);
  const window = await source.read(begin, Math.min(source.length, to + CONTINUED));
  const start = boundaryBefore(window, from - begin);
  let end = boundaryBefore(window, to - begin);
  if (end === start && to > from) end = boundaryAfter(window, end + 1);
  return { text: window.toString("utf8", start, end), from: begin + start, to: begin + end };
}

export interface Slice {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

function boundaryBefore(bytes: Buffer, at: number): number {
  let boundary = at;
  while (boundary > 0 && isInside(bytes[boundary])) boundary--;
  return boundary;
}

function boundaryAfter(bytes: Buffer, at: number): number {
  let boundary = at;
  while (boundary < bytes.length && isInside(bytes[boundary])) boundary++;
  return boundary;
}

/** Whether a byte continues a character. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
