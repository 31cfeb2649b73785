import { createReadStream, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { prefixOf } from "../../dialects/envelope-block.js";
import { messageOf } from "../../json/attempt.js";
import type { Call } from "../command.js";
import { Complaint, type Io } from "../io.js";
import { findInexactNumbers, findJsonFault, type InexactNumber } from "./json-text.js";

/** How large a document may be, unless the caller says otherwise. */
export const MAX_BYTES: number = 64 * 1024 * 1024;

/** A document of the input, or why it is none. */
export type Document =
  | { readonly value: unknown; readonly inexact: () => readonly InexactNumber[]; readonly label: string }
  | { readonly fault: string; readonly label: string };

export interface Input {
  readonly documents: readonly Document[];
  /** Whether each document was a line of its own; then the answers are too. */
  readonly lines: boolean;
}

export async function readInput(call: Call, io: Io): Promise<Input> {
  const file = call.file === "-" ? undefined : call.file;
  const name = file ?? "standard input";
  const maxBytes = maxBytesOf(call);
  if (file === undefined && io.stdin.isTTY) io.stderr.write("plico: reading from the terminal, end with Ctrl-D\n");
  const bytes = await (file === undefined
    ? collect(io.stdin, maxBytes, name)
    : readBytes(resolve(io.cwd(), file), maxBytes, file));
  return parseInput(decode(bytes, name), name);
}

export function maxBytesOf(call: Call): number {
  return call.count("max-bytes", 1) ?? MAX_BYTES;
}

/** What a file holds; a complaint calls it by its name. */
export function readBytes(
  file: string,
  maxBytes: number,
  name: string = file,
  advice: string = RAISE,
): Promise<Buffer> {
  return collect(openFile(file, maxBytes, name, advice), maxBytes, name, advice);
}

/** What whoever has the flag can do. */
const RAISE = "; raise the limit with --max-bytes";

/** What is one document or none. */
export function documentOf(bytes: Buffer, label: string): Document {
  return parseDocument(decode(bytes, label), label, 1);
}

/** One document, one a line, or a bare block. */
function parseInput(text: string, name: string): Input {
  if (text.trim() === "") throw new Complaint(`${name} is empty: a document was expected`, 1);
  const whole = parseDocument(text, name, 1);
  const several = "fault" in whole || typeof whole.value === "string" ? linesOf(text) : [];
  if (several.length < 2 || !isDocument(several[0]?.text ?? "")) return { documents: [whole], lines: false };
  return {
    documents: several.map((line) => parseDocument(line.text, `${name}:${line.number}`, line.number)),
    lines: true,
  };
}

function linesOf(text: string): { text: string; number: number }[] {
  return text.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [{ text: line.trim(), number: at + 1 }]));
}

/** A line that is a document by itself; a broken one may well have a line that is a number or a string. */
function isDocument(line: string): boolean {
  if (prefixOf(line) !== undefined) return true;
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

function parseDocument(text: string, label: string, firstLine: number): Document {
  if (prefixOf(text.trimStart()) !== undefined) return { value: text.trim(), inexact: () => [], label };
  try {
    const value: unknown = JSON.parse(text);
    return { value, inexact: () => findInexactNumbers(text), label };
  } catch {
    const fault = findJsonFault(text);
    const place = fault === undefined ? "" : `line ${fault.line + firstLine - 1}, column ${fault.column}: `;
    return { fault: `not JSON: ${place}${fault?.message ?? "it cannot be parsed"}`, label };
  }
}

function openFile(file: string, maxBytes: number, name: string, advice: string): AsyncIterable<Uint8Array> {
  const stats = statsOf(file);
  if (stats === undefined) throw new Complaint(`there is no file ${name}`, 2);
  if (stats.isDirectory()) throw new Complaint(`${name} is a folder, not a file`, 2);
  if (stats.size > maxBytes) throw tooLarge(name, maxBytes, advice);
  return createReadStream(file);
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (thrown) {
    throw new Complaint(`${file} cannot be read: ${messageOf(thrown)}`, 2);
  }
}

export async function collect(
  chunks: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
  name: string,
  advice: string = RAISE,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of chunks) {
      const part = Buffer.from(chunk as Uint8Array);
      size += part.length;
      if (size > maxBytes) throw tooLarge(name, maxBytes, advice);
      parts.push(part);
    }
  } catch (thrown) {
    if (thrown instanceof Complaint) throw thrown;
    throw new Complaint(`${name} cannot be read: ${messageOf(thrown)}`, 2);
  }
  return Buffer.concat(parts);
}

function tooLarge(name: string, maxBytes: number, advice: string): Complaint {
  return new Complaint(`${name} is larger than ${maxBytes} bytes${advice}`, 1);
}

function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const utf16 = bytes[0] === 0xff || bytes[0] === 0xfe ? " It looks like UTF-16: save it as UTF-8." : "";
    throw new Complaint(`${name} is not UTF-8 text.${utf16}`, 1);
  }
}
