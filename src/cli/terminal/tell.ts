import type { Output } from "../io.js";

/** Our own colours, and the characters that must not reach a terminal. */
const UNSAFE = /(?!\n|\t|\r\n)(?:\p{Cc}\[(?:0|1|2|31|32|33)m|[\p{Cc}\p{Bidi_Control}])/gu;

/** Writes for people: what a document says cannot move the cursor, change the title or turn the text around. */
export function tell(output: Output, text: string): void {
  const safe = text.replaceAll(UNSAFE, (found) => (isColour(found) && output.isTTY === true ? found : escaped(found)));
  output.write(safe);
}

/** One line for people, whatever the parts say. */
export function tellLine(output: Output, line: string): void {
  tell(output, `${line.replaceAll("\n", "\\n")}\n`);
}

function isColour(found: string): boolean {
  return found.startsWith(String.fromCharCode(0x1b)) && found.length > 1;
}

function escaped(text: string): string {
  return text.replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
