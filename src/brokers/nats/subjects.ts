import { CallError } from "../../envelope/call-error.js";
import { told } from "../../json/told.js";

/** A server takes lines of 4,096 bytes, and a request has two subjects in one. */
const LONGEST = 1024;

const ADDRESS = /^[^\s.*>]+(?:\.[^\s.*>]+)*$/;
const PATTERN = /^(?:\*|[^\s.*>]+)(?:\.(?:\*|[^\s.*>]+))*$/;

export function isAddress(text: string): boolean {
  return text.length <= LONGEST && ADDRESS.test(text);
}

/** Throws where the address cannot be part of a subject. */
export function checkAddress(address: string): void {
  if (!isAddress(address)) throw badAddress(address, "words with points between them");
}

/** The same of one to subscribe to, where `*` may stand for a word. */
export function checkPattern(address: string): void {
  if (address.length > LONGEST || !PATTERN.test(address))
    throw badAddress(address, "words or * with points between them");
}

function badAddress(address: string, form: string): CallError {
  return new CallError({
    category: "validation",
    message: `${told(address)} is no address of NATS. It must be ${form}, without spaces, at most ${LONGEST} characters.`,
  });
}

const TOKEN = /^[\w-]{1,64}$/;

/** Whether it may stand in a subject between two points, and as a name in NATS's service protocol. */
export function isToken(value: unknown): value is string {
  return typeof value === "string" && TOKEN.test(value);
}

const PLAIN = /^[\w-]+$/;

/** Any text as one word of a subject; `textOfToken` is its inverse. */
export function tokenOf(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(/[^\w-]/g, (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function textOfToken(token: string): string {
  if (!token.includes("~")) return token;
  return token.replace(/~([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The caller's name in the address of a call; nothing in other addresses. */
export function callerIn(address: string): string {
  if (!address.startsWith("call.")) return "";
  // Every request passes here, and to split a text takes longer.
  let start = 0;
  for (let word = 0; word < CALLER_AT; word += 1) {
    start = address.indexOf(".", start) + 1;
    if (start === 0) return "";
  }
  const end = address.indexOf(".", start);
  return end === -1 ? address.slice(start) : address.slice(start, end);
}

/** `call`, the two of the operation and its major stand before the caller. */
const CALLER_AT = 4;
