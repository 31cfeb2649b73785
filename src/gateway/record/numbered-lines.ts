import { createReadStream } from "node:fs";

export interface NumberedLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Whether it was ended; the last of a file may not be. */
  readonly isWhole: boolean;
}

/** The lines of a file that are not blank. Throws a `RangeError` at one that is longer than allowed. */
export async function* numberedLines(file: string, maxLength: number): AsyncGenerator<NumberedLine> {
  let parts: string[] = [];
  let length = 0;
  let number = 1;
  const take = (part: string): string => {
    const text = parts.join("") + part;
    parts = [];
    length = 0;
    return text;
  };
  for await (const chunk of createReadStream(file, { encoding: "utf8", highWaterMark: 1024 * 1024 })) {
    const pieces = (chunk as string).split("\n");
    const rest = pieces.pop() ?? "";
    for (const piece of pieces) {
      const text = take(piece);
      if (text.trim() !== "") yield { text, number, isWhole: true };
      number += 1;
    }
    parts.push(rest);
    length += rest.length;
    if (length > maxLength) throw new RangeError(`line ${number} is longer than ${maxLength} characters`);
  }
  const text = take("");
  if (text.trim() !== "") yield { text, number, isWhole: false };
}
