import { bytesOf } from "./encoded-size.js";
import type { Fitted } from "./part.js";

/** What stands at the end of a text that was cut. */
export const ELLIPSIS = "…";

const QUOTES = 2;
const SIGN = 3;

/**
 * The beginning of a text, with the sign at its end, in so many bytes of JSON, but with at least so many characters. The
 * text itself where cutting it would save nothing.
 */
export function cutText(text: string, bytes: number, least: number): Fitted {
  let size = QUOTES + SIGN;
  let at = 0;
  for (let count = 1; at < text.length; count++) {
    const more = bytesOf(text, at);
    if (size + more > bytes && count >= least) break;
    size += more;
    at += more === 4 ? 2 : 1;
  }
  const rest = restOf(text, at);
  if (rest <= SIGN) return { value: text, size: size - SIGN + rest };
  return { value: text.slice(0, at) + ELLIPSIS, size };
}

/** The bytes of the rest, counted no further than it matters. */
function restOf(text: string, from: number): number {
  let size = 0;
  for (let at = from; at < text.length && size <= SIGN; at++) {
    const more = bytesOf(text, at);
    size += more;
    if (more === 4) at++;
  }
  return size;
}
