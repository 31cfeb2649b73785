/**
 * The documents that the references of a text lead to, as they are written, without the fragment. Looks at the text
 * only, because a walk through a large document takes longer than to parse it; so it may find what is only an example.
 */
export function outsideReferences(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = text.indexOf(WORD); at >= 0; at = text.indexOf(WORD, at + WORD.length)) {
    if (isLocal(text, at + WORD.length) || !isKey(text, at - 1)) continue;
    const reference = valueAfter(text, at + WORD.length);
    if (reference !== undefined && reference !== "" && !reference.startsWith("#"))
      found.add(withoutFragment(reference));
  }
  return found;
}

const WORD = "$ref";
const [QUOTE, HASH, APOSTROPHE, COLON, SPACE] = [0x22, 0x23, 0x27, 0x3a, 0x20];

/** Whether the word stands where a key may begin, and not within another one or a text. */
function isKey(text: string, before: number): boolean {
  return before < 0 || /[\s"'{,]/.test(text.charAt(before));
}

/** Whether the value begins with `#`. Nearly all do, and there are ten thousands of them. */
function isLocal(text: string, from: number): boolean {
  for (let at = from; at < from + 10; at++) {
    const code = text.charCodeAt(at);
    if (code === HASH) return true;
    if (code !== QUOTE && code !== COLON && code !== SPACE && code !== APOSTROPHE) return false;
  }
  return false;
}

const VALUE =
  /["']?[ \t]*:(?:\s*"((?:[^"\\\n]|\\.){0,2000})"|\s*'((?:[^'\n]|''){0,2000})'|[ \t]*(?:[>|][+-]?\s+)?([^\s"'{}[\],&*!%@`][^\n,{}]{0,2000}))/y;

function valueAfter(text: string, at: number): string | undefined {
  VALUE.lastIndex = at;
  const [, double, single, plain] = VALUE.exec(text) ?? [];
  if (double !== undefined) return unescaped(double);
  if (single !== undefined) return single.replaceAll("''", "'");
  return plain?.replace(/\s#.*$/, "").trim();
}

function unescaped(text: string): string | undefined {
  if (!text.includes("\\")) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}

function withoutFragment(reference: string): string {
  const hash = reference.indexOf("#");
  return hash < 0 ? reference : reference.slice(0, hash);
}
