import { DIALECTS } from "../dialects/all.js";
import { told } from "../json/told.js";
import { isRecord } from "../json/value.js";
import type { Document } from "./input.js";
import type { ExitCode, Io } from "./io.js";

/** Tells that an input is no document at all. */
export function faultOf(document: Document & { readonly fault: string }, io: Io): ExitCode {
  io.stderr.write(`plico: ${document.label}: ${document.fault}\n`);
  return 1;
}

/** Why no dialect claims a value, and what to do about it. */
export function strangerText(value: unknown): string {
  const near = DIALECTS.find((dialect) => dialect.resembles(value));
  if (near !== undefined)
    return `no dialect claims this; it looks like ${near.name}, and \`plico check\` tells what it lacks`;
  return `no dialect claims this; it is ${shapeOf(value)}. Known: ${DIALECTS.map(({ name }) => name).join(", ")}`;
}

function shapeOf(value: unknown): string {
  if (!isRecord(value)) return told(value);
  const keys = Object.keys(value);
  const shown = keys.slice(0, 6).join(", ");
  return keys.length === 0 ? "an empty object" : `an object with ${shown}${keys.length > 6 ? ", …" : ""}`;
}
