import type { IdentitySigner } from "../identity.js";

/**
 * The text of a request, given without its last brace, with the time at which it is sent, and with its signature. Both
 * stand last: see `receivedRequest`.
 */
export function stamped(text: string, now: number, signer: IdentitySigner | undefined): string {
  const open = `${text},"sentAt":${now}`;
  return signer === undefined ? `${open}}` : `${open},"signature":"${signer.sign(`${open}}`)}"}`;
}

const SIGNATURE = /,"signature":"([\w.-]+)"\}$/;

/** What was signed, and its signature. In JSON only a signature of the outermost object can end a text like this. */
export function signedPart(text: string): { readonly text: string; readonly signature: string | undefined } {
  const tail = SIGNATURE.exec(text.length > LONGEST_TAIL ? text.slice(-LONGEST_TAIL) : text);
  if (tail === null) return { text, signature: undefined };
  return { text: `${text.slice(0, -tail[0].length)}}`, signature: tail[1] };
}

/** A regular expression that is tied to the end tries from every place; so it is shown the end only. */
const LONGEST_TAIL = 1024;
