const SECRET_NAME =
  /(^|[^a-z])(secrets?|passw(or)?ds?|passwd|passphrase|pwd|pat|authorization|cookies?|credentials?|bearer|jwt|signature)($|[^a-z])|(api|access|private|secret|signing|encryption|auth|account|service)[^a-z]?keys?($|[^a-z])|(^|[^a-z])tokens?($|[^a-z])|^key$/;

/** Of these, the word token is a place in a list, or a count of words. */
const HARMLESS_TOKEN =
  /(page|next|previous|prev|progress|continuation|cursor|sync|max|min|input|output|total|num|count|usage|prompt|completion|cancel)[^a-z]?tokens?/;

/** Whether what has this name is a secret: `GITHUB_TOKEN`, `apiKey`, `X-Api-Key`, `password`. */
export function soundsSecret(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  return SECRET_NAME.test(words) && !HARMLESS_TOKEN.test(words);
}

/** Too short or too common to be looked for in texts. */
export function isTrivial(text: string): boolean {
  return text.trim().length < 4 || /^(true|false|null|none|undefined)$/i.test(text);
}

const PLAIN_WORDS =
  /^(?:[A-Za-z]{1,15}|\d{1,5}|v\d{1,3})(?:[-_./:,;=+ *]+(?:[A-Za-z]{1,15}|\d{1,5}|v\d{1,3}))*[*/;.]?$/;
const PATH = /^(?:[/~.]|[A-Za-z]:[\\/]|file:)/;

/** Whether a text is an everyday one: words, a small number, a path, an address without a password. */
export function isPlain(text: string): boolean {
  if (isTrivial(text) || /^\d{1,6}$/.test(text) || PLAIN_WORDS.test(text)) return true;
  if (/^[a-z]+:\/\//i.test(text)) return isPlainAddress(text);
  return PATH.test(text);
}

function isPlainAddress(text: string): boolean {
  return !/@|[?#]/.test(text) && text.split("/").every((part) => part.length < 30);
}
