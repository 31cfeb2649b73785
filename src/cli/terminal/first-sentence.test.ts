import { expect, test } from "vitest";
import { firstSentence } from "./first-sentence.js";

test.each([
  ["Adds two numbers. And more.", "Adds two numbers."],
  ["Without an end", "Without an end"],
  ["Over\n  two lines. Rest", "Over two lines."],
  ["A heading\n\nAnd a paragraph.", "A heading"],
  ["Takes v1.2 files, e.g. these. Rest", "Takes v1.2 files, e.g. these."],
  ["Really? Yes.", "Really?"],
  ["", ""],
])("%j begins with %j", (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence);
});
