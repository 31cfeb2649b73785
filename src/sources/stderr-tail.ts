import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { orElse } from "../json/attempt.js";

/** A longer line is told in pieces. */
const LONGEST_LINE = 10_000;

/** Reads a stream to its end, whoever listens; gives the last bytes of it, as far as it was read. */
export function followStderr(stream: Readable, bytes: number, onLine?: (line: string) => void): () => string {
  let tail: Buffer = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    tail = lastBytes(tail, chunk, bytes);
  });
  if (onLine !== undefined) tellLines(stream, (line) => orElse(() => onLine(line), undefined));
  return () => textOf(tail);
}

function lastBytes(tail: Buffer, chunk: Buffer, bytes: number): Buffer {
  const kept = Math.max(0, bytes - chunk.length);
  const before = tail.subarray(Math.max(0, tail.length - kept));
  return Buffer.concat([before, chunk.subarray(Math.max(0, chunk.length - bytes))]);
}

/** Without the rest of a character whose beginning was cut off. */
function textOf(tail: Buffer): string {
  let start = 0;
  while (start < 3 && ((tail[start] ?? 0) & 0xc0) === 0x80) start++;
  return tail.toString("utf8", start);
}

function tellLines(stream: Readable, tell: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const read = (text: string): void => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) for (const piece of piecesOf(line.replace(/\r$/, ""))) tell(piece);
    const pieces = piecesOf(rest);
    rest = pieces.pop() ?? "";
    for (const piece of pieces) tell(piece);
  };
  stream.on("data", (chunk: Buffer) => read(decoder.write(chunk)));
  const finish = (): void => {
    read(decoder.end());
    if (rest !== "") tell(rest);
    rest = "";
  };
  // A pipe counts as closed a little before it says so; who waits for that is to have been told all.
  stream.once("end", finish);
  stream.once("close", finish);
}

function piecesOf(line: string): string[] {
  const pieces = [line.slice(0, LONGEST_LINE)];
  for (let at = LONGEST_LINE; at < line.length; at += LONGEST_LINE) pieces.push(line.slice(at, at + LONGEST_LINE));
  return pieces;
}
