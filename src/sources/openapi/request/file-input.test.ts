import { describe, expect, test } from "vitest";
import { fileType, readFileInput, readFileInputs } from "./file-input.js";

describe("a file", () => {
  test("is a text, or bytes in base64", () => {
    expect(readFileInput("a")).toEqual({ content: "a" });
    expect(readFileInput({ text: "", filename: "a.txt" })).toEqual({ content: "", filename: "a.txt" });
    expect(readFileInput({ base64: "AP8=", mediaType: "image/png" })).toEqual({
      content: Buffer.from([0, 255]),
      mediaType: "image/png",
    });
    expect(readFileInput({ base64: "" })).toEqual({ content: Buffer.alloc(0) });
  });

  test.each([
    [{ base64: "AP8" }, ["base64"], "contentEncoding"],
    [{ base64: "AP8=\n" }, ["base64"], "contentEncoding"],
    [{ base64: "data:image/png;base64,AP8=" }, ["base64"], "contentEncoding"],
    [{ base64: 1 }, ["base64"], "type"],
    [{ text: null }, ["text"], "type"],
    [{ text: "a", filename: 1 }, ["filename"], "type"],
    [{ text: "a", mediaType: "a/b\r\nX-Evil: 1" }, ["mediaType"], "pattern"],
    [{ text: "a", mediaType: "png" }, ["mediaType"], "pattern"],
    [{ text: "a", base64: "" }, [], "type"],
    [{}, [], "type"],
    [null, [], "type"],
    [7, [], "type"],
    [["a"], [], "type"],
    ["\ud800", [], "encoding"],
  ])("%j is refused at %j", (value, place, rule) => {
    expect(() => readFileInput(value)).toThrow(expect.objectContaining({ place, rule }));
  });

  test("is told apart from others in its list", () => {
    expect(readFileInputs(["a", { text: "b" }], true)).toEqual([{ content: "a" }, { content: "b" }]);
    const fault = { place: [1, "base64"], rule: "contentEncoding" };
    expect(() => readFileInputs(["a", { base64: "?" }], true)).toThrow(expect.objectContaining(fault));
    expect(() => readFileInputs("a", true)).toThrow(expect.objectContaining({ place: [], rule: "type" }));
  });
});

test.each([
  ["image/png", "image/jpeg", "image/png"],
  ["image/*", "image/jpeg", "image/jpeg"],
  ["image/png, image/jpeg", "image/jpeg", "image/jpeg"],
  ["application/octet-stream", "image/jpeg", "image/jpeg"],
  [undefined, "image/jpeg", "image/jpeg"],
  ["image/png", undefined, "image/png"],
  ["image/*", undefined, "application/octet-stream"],
  [undefined, undefined, "application/octet-stream"],
])("the type of a file that is planned as %s and said to be %s is %s", (planned, own, expected) => {
  expect(fileType(planned, own)).toBe(expected);
});
