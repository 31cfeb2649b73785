import { describe, expect, test } from "vitest";
import { parameterOf } from "./fixtures/plans.js";
import { bodyBeside, headerTextOf, oneLine } from "./header-text.js";
import { Refusal } from "./refusal.js";

const header = parameterOf({ in: "header", name: "X-Note" });

describe("a header", () => {
  test.each(["a b", "a,b;c=d", '"quoted"', "100%", "a\tb", ""])("says %j as it is", (text) => {
    expect(headerTextOf(header, text)).toBe(text);
  });

  test.each(["a\nb", "a\r\nX-Evil: 1", "\0", "\u007f", "\u0085"])("cannot say %j", (text) => {
    expect(() => headerTextOf(header, text)).toThrow(Refusal);
    expect(() => headerTextOf(header, ["a", text])).toThrow(Refusal);
    expect(() => headerTextOf(header, { [text]: 1 })).toThrow(Refusal);
  });

  test.each(["ü", "東京🎉", "é"])("says %j by its bytes in UTF-8", (text) => {
    const sent = headerTextOf(header, text) ?? "";
    expect(sent).toMatch(/^[\0-\u00ff]*$/);
    expect(Buffer.from(sent, "latin1").toString("utf8")).toBe(text);
  });

  test("cannot say half of a surrogate pair", () => {
    expect(() => headerTextOf(header, "\ud800")).toThrow(Refusal);
  });

  test.each(["", "a b", "a:b", "a\r\nb"])("cannot be named %j", (name) => {
    expect(() => headerTextOf({ ...header, name }, "x")).toThrow(Refusal);
  });
});

test("one line is what has no end in it", () => {
  expect(oneLine("a ü")).toBe("a ü");
  expect(() => oneLine("a\n")).toThrow(Refusal);
});

test("a body beside a header of bytes is bytes too", () => {
  expect(bodyBeside({ a: "x" }, "body")).toBe("body");
  expect(bodyBeside({ a: "\u00c3\u00bc" }, "body")).toEqual(Buffer.from("body"));
  expect(bodyBeside({ a: "\u00c3\u00bc" }, undefined)).toBeUndefined();
});
