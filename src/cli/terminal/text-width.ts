import type { Output } from "../io.js";

const USUAL_COLUMNS = 80;

/** Takes what stands on the line of the cursor off a terminal. */
export const CLEAR_LINE = "\r\u001b[2K";

/** How wide a terminal is; some do not know it, and say 0. */
export function columnsOf({ columns = 0 }: Output): number {
  return columns > 0 ? columns : USUAL_COLUMNS;
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (isSimple(text)) return text.length;
  return graphemesOf(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/** The text in so many columns, with a sign at its end where it was cut. */
export function fitText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return "";
  let fitted = "";
  let left = width - 1;
  for (const grapheme of isSimple(text) ? text : graphemesOf(text)) {
    left -= graphemeWidth(grapheme);
    if (left < 0) break;
    fitted += grapheme;
  }
  return `${fitted.trimEnd()}…`;
}

/** The text with blanks behind it, so that it takes so many columns. */
export function padText(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

/** Letters of Latin, quotes, dashes and arrows: to take a text apart costs a start more than all of the rest. */
const SIMPLE = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff]*$/;

function isSimple(text: string): boolean {
  return SIMPLE.test(text);
}

let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Takes the place of two letters by itself, or with the sign that asks for a picture. */
const PICTURE = /^\p{Emoji_Presentation}|^\p{Emoji}.*\ufe0f/u;
const INVISIBLE = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;

function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (INVISIBLE.test(grapheme)) return 0;
  return isWide(code) || PICTURE.test(grapheme) ? 2 : 1;
}

/** Scripts whose letters are as wide as high, and the full-width forms of others. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x1b2ff],
  [0x20000, 0x3fffd],
];

function isWide(code: number): boolean {
  return WIDE.some(([first, last]) => code >= first && code <= last);
}
