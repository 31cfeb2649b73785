import { CallError } from "../../envelope/call-error.js";
import { canonicalJson } from "../../json/canonical.js";

/** A longer text is hashed. */
const MOST_CHARACTERS = 4096;

/** The same text for the same JSON value, whatever the order of its keys; and for another value another text. */
export async function fingerprintOf(input: unknown): Promise<string> {
  const text = canonicalText(input);
  // No JSON begins as a hash does.
  return text.length <= MOST_CHARACTERS ? text : `sha256:${await hash(text)}`;
}

function canonicalText(input: unknown): string {
  try {
    return canonicalJson(input);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new CallError({ category: "validation", message: "The input is nested too deep. Send it flatter." });
  }
}

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
