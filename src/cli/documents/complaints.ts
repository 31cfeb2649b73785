import { DIALECTS } from "../../dialects/all.js";
import type { FoundReading } from "../../dialects/convert.js";
import { told } from "../../json/told.js";
import { isRecord } from "../../json/value.js";
import type { ExitCode, Io } from "../io.js";
import { tellLine } from "../terminal/tell.js";
import type { Document } from "./input.js";

/** Tells that an input is no document at all. */
export function tellFault({ label, fault }: Document & { readonly fault: string }, io: Io): ExitCode {
  tellLine(io.stderr, `plico: ${label}: ${fault}`);
  return 1;
}

/** Tells that no dialect claims a document, and what to do about it. */
export function tellStranger({ label, value }: { readonly label: string; readonly value: unknown }, io: Io): ExitCode {
  tellLine(io.stderr, `plico: ${label}: ${strangerText(value)}`);
  return 1;
}

/** Tells each rule that keeps a document from being read. */
export function tellMalformed(label: string, { issues, dialect }: FoundReading & { kind: "malformed" }, io: Io): void {
  for (const { path, rule, message } of issues) {
    tellLine(io.stderr, `plico: ${label}: malformed ${dialect}: ${path === "" ? "" : `${path}: `}${rule}: ${message}`);
  }
}

function strangerText(value: unknown): string {
  const near = DIALECTS.find((dialect) => dialect.resembles(value));
  if (near !== undefined) {
    return `no dialect claims this; it looks like ${near.name}, and \`plico check\` tells what it lacks`;
  }
  return `no dialect claims this; it is ${shapeOf(value)}. Known: ${DIALECTS.map(({ name }) => name).join(", ")}`;
}

function shapeOf(value: unknown): string {
  if (!isRecord(value)) return told(value);
  const keys = Object.keys(value);
  const shown = keys.slice(0, 6).join(", ");
  return keys.length === 0 ? "an empty object" : `an object with ${shown}${keys.length > 6 ? ", …" : ""}`;
}
