/**
 * A command line as its words. Quotes hold words together, a backslash takes the next character as it is; there is no
 * shell, so variables and patterns stay what they are. `undefined` where a quote has no end.
 */
export function splitCommandLine(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word ??= "";
    if (char === '"' || char === "'") {
      const end = endOfQuote(line, at);
      if (end < 0) return undefined;
      const inner = line.slice(at + 1, end);
      word += char === '"' ? inner.replaceAll(/\\(["\\])/g, "$1") : inner;
      at = end;
    } else if (char === "\\" && ESCAPED.test(line[at + 1] ?? "")) word += line[++at];
    else word += char;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** Others keep their backslash, so that paths of Windows need no thought. */
const ESCAPED = /[\s"'\\]/;

function endOfQuote(line: string, start: number): number {
  const quote = line[start];
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === quote) return at;
    if (quote === '"' && line[at] === "\\") at += 1;
  }
  return -1;
}

/** A word as a shell must have it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
