/** A place in the source of a regular expression. */
export interface Cursor {
  readonly source: string;
  /** Whether characters are code points, as with the flag "u", or UTF-16 units. */
  readonly unicode: boolean;
  position: number;
}

export function peek({ source, position }: Cursor): string {
  return source.charAt(position);
}

export function take(cursor: Cursor, character: string): boolean {
  if (peek(cursor) !== character) return false;
  cursor.position += 1;
  return true;
}

export function readCode(cursor: Cursor): number {
  const { source, position, unicode } = cursor;
  const code = (unicode ? source.codePointAt(position) : source.charCodeAt(position)) ?? 0;
  cursor.position += code > 0xffff ? 2 : 1;
  return code;
}

/** The source of `\p{…}` or `\P{…}` whose backslash has been read. */
export function readProperty(cursor: Cursor): string | undefined {
  const found = cursor.unicode ? match(cursor, /[pP]\{[^}]*\}/y) : undefined;
  return found === undefined ? undefined : `\\${found}`;
}

/** The character of an escape whose backslash has been read. */
export function readEscapedCode(cursor: Cursor, inClass: boolean): number {
  const letter = peek(cursor);
  const control = CONTROLS.get(letter);
  if (control !== undefined && take(cursor, letter)) return control;
  if (letter === "b" && inClass && take(cursor, "b")) return 8;
  if (letter === "c") return readControlLetter(cursor, inClass);
  return readHexadecimal(cursor) ?? readOctal(cursor) ?? readCode(cursor);
}

const CONTROLS = new Map([
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
]);

function readControlLetter(cursor: Cursor, inClass: boolean): number {
  const found = match(cursor, inClass && !cursor.unicode ? /c[A-Za-z0-9_]/y : /c[A-Za-z]/y);
  // Annex B: without a letter the backslash stands for itself and the "c" is read again.
  return found === undefined ? 92 : found.charCodeAt(1) % 32;
}

function readHexadecimal(cursor: Cursor): number | undefined {
  const pair = cursor.unicode ? match(cursor, /u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/y) : undefined;
  if (pair !== undefined)
    return String.fromCharCode(hexadecimal(pair.slice(0, 5)), hexadecimal(pair.slice(6))).codePointAt(0);
  const braced = cursor.unicode ? match(cursor, /u\{[\da-fA-F]+\}/y) : undefined;
  const found = braced ?? match(cursor, /u[\da-fA-F]{4}|x[\da-fA-F]{2}/y);
  return found === undefined ? undefined : hexadecimal(found);
}

function hexadecimal(text: string): number {
  return Number.parseInt(text.replace(/[^\da-fA-F]/g, ""), 16);
}

function readOctal(cursor: Cursor): number | undefined {
  const found = match(cursor, cursor.unicode ? /0/y : /[0-3][0-7]{0,2}|[4-7][0-7]?/y);
  return found === undefined ? undefined : Number.parseInt(found, 8);
}

function match(cursor: Cursor, expression: RegExp): string | undefined {
  expression.lastIndex = cursor.position;
  const found = expression.exec(cursor.source)?.[0];
  cursor.position += found?.length ?? 0;
  return found;
}
