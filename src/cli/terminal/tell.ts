import type { Output } from "../io.js";
import { coloured } from "./style.js";

/** The characters that must not reach a terminal. */
const UNSAFE = /(?!\n|\t|\r\n)[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * Writes for people, in the colours of `styleFor`: what a document or a tool says cannot paint itself, move the cursor,
 * change the title or turn the text around.
 */
export function tell(output: Output, text: string): void {
  output.write(coloured(text.replaceAll(UNSAFE, escaped)));
}

/** One line for people, whatever the parts say. */
export function tellLine(output: Output, line: string): void {
  tell(output, `${line.replaceAll("\n", "\\n")}\n`);
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
