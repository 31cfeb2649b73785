import { type CallError, isCallError } from "../../../envelope/call-error.js";
import { messageOf, orElse } from "../../../json/attempt.js";
import { decodeText } from "../decode-text.js";
import type { HttpAnswer } from "../http-answer.js";
import { type MediaType, mediaTypeOf } from "../media-type.js";

/** What came with a refusal, as far as it could be read. */
export interface FailureBody {
  /** JSON as what it says, else a text; `undefined` where nothing came, or nothing that can be shown. */
  readonly value: unknown;
  readonly media: MediaType;
  /** Why the value is not all that came. */
  readonly note?: string;
}

/** Nobody reads more of a refusal: the rest of it is not waited for. */
const MOST_BYTES = 1024 * 1024;

const MOST_TEXT = 64 * 1024;

/** Reads what can be read: a body that is cut or too large does not hide the status that it came with. */
export async function readFailureBody(answer: HttpAnswer): Promise<FailureBody> {
  const media = mediaTypeOf(answer.contentType);
  const { bytes, note } = await firstBytes(answer);
  if (bytes.length === 0) return { value: undefined, media, ...(note !== undefined && { note }) };
  if (media.kind === "binary" && !looksLikeJson(bytes))
    return { value: undefined, media, note: `${bytes.length} bytes of ${media.essence} came with it` };
  const { text } = decodeText(bytes, media.charset);
  const parsed =
    media.kind === "json" || /^\s*[[{"]/.test(text) ? orElse<unknown>(() => JSON.parse(text), undefined) : undefined;
  if (parsed !== undefined) return { value: parsed, media, ...(note !== undefined && { note }) };
  const isCut = text.length > MOST_TEXT;
  const why = isCut ? `the first ${MOST_TEXT} characters of the body are kept` : note;
  return { value: isCut ? text.slice(0, MOST_TEXT) : text, media, ...(why !== undefined && { note: why }) };
}

async function firstBytes(answer: HttpAnswer): Promise<{ bytes: Uint8Array; note?: string }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of answer.chunks()) {
      pieces.push(piece);
      size += piece.length;
      if (size > MOST_BYTES) break;
    }
  } catch (thrown) {
    if (isGivenUp(thrown)) throw thrown;
    return { bytes: Buffer.concat(pieces), note: `the body could not be read to its end: ${messageOf(thrown)}` };
  }
  if (size <= MOST_BYTES) return { bytes: Buffer.concat(pieces) };
  answer.discard();
  return { bytes: Buffer.concat(pieces).subarray(0, MOST_BYTES), note: `the first ${MOST_BYTES} bytes are kept` };
}

/** The caller does not want to know any more. */
function isGivenUp(thrown: unknown): thrown is CallError {
  return isCallError(thrown) && thrown.category === "aborted";
}

function looksLikeJson(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7b || bytes[0] === 0x5b;
}
