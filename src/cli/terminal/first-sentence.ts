const ABBREVIATIONS = /\b(?:e\.g|i\.e|etc|vs|cf|approx|no)\.$/i;

/** The first sentence of a description, on one line. */
export function firstSentence(text: string): string {
  const [paragraph = ""] = text.trim().split(/\n\s*\n/);
  const line = paragraph.replaceAll(/\s+/g, " ");
  for (const { index } of line.matchAll(/[.!?。！？](?= |$)/g)) {
    const sentence = line.slice(0, index + 1);
    if (!ABBREVIATIONS.test(sentence)) return sentence;
  }
  return line;
}
