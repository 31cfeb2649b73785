import type { Warning } from "../../envelope/warning.js";

export interface DecodedText {
  readonly text: string;
  /** Where the bytes are not what they are said to be. */
  readonly warning?: Warning;
}

/**
 * Bytes as text. A byte order mark counts more than the character set, and one that nobody knows is UTF-8. Where none is
 * named and the bytes are no UTF-8, they are read as Windows-1252, in which each byte is a letter: nothing is lost.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): DecodedText {
  const named = charsetOfMark(bytes) ?? knownCharset(charset);
  const strict = decoded(bytes, named ?? "utf-8");
  if (strict !== undefined) return { text: strict };
  if (named === undefined) return { text: new TextDecoder("windows-1252").decode(bytes), warning: NOT_UTF8 };
  const message = `some bytes are no ${named}, and are shown as \uFFFD`;
  return { text: new TextDecoder(named).decode(bytes), warning: { code: "NONCONFORMING", message, path: "" } };
}

const NOT_UTF8: Warning = {
  code: "NONCONFORMING",
  message: "the text is no UTF-8 and names no other character set; it is read as Windows-1252",
  path: "",
};

function charsetOfMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** The name by which a decoder knows a character set, or `undefined` where it does not. */
export function knownCharset(charset: string | undefined): string | undefined {
  if (charset === undefined) return undefined;
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return undefined;
  }
}

function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
