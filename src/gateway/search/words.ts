/** The words of a text, as a search compares them: `listUserFiles` and "Lists the files of a user" have some in common. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize("NFKD").replaceAll(/\p{Mn}/gu, "");
  const split = plain.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return (split.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(stem);
}

/** Without the endings that make the same word two in English. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:[sxz]|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}
