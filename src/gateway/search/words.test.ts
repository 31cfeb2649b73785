import { expect, test } from "vitest";
import { wordsOf } from "./words.js";

test.each([
  ["listUserFiles", ["list", "user", "file"]],
  ["get_HTTPResponse-codes", ["get", "http", "response", "code"]],
  ["Lists the queries of a class", ["list", "the", "query", "of", "a", "class"]],
  ["Größe, café", ["große", "cafe"]],
  ["v2 boxes", ["v2", "box"]],
  ["", []],
  ["…!?", []],
])("%j has the words %j", (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});
