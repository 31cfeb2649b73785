import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeCookieName, encodeLiteral, encodeReserved, isToken, percentEncode } from "./percent-encode.js";

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "binary-ascii" }));

test("only unreserved characters and triplets are left, and the text comes back", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const encoded = percentEncode(text);
      return /^(?:[\w.~-]|%[\dA-F]{2})*$/.test(encoded) && decodeURIComponent(encoded) === text;
    }),
  );
});

test("a text with reserved characters kept is one value of a query all the same", () => {
  fc.assert(
    fc.property(
      anyText.filter((text) => !text.includes("%")),
      (text) => {
        const url = new URL(`http://localhost/?a=${encodeReserved(text)}&b=1`);
        return url.searchParams.get("a") === text && url.searchParams.get("b") === "1";
      },
    ),
  );
});

test("half of a surrogate pair is an error of its own", () => {
  expect(() => percentEncode("\ud800")).toThrow(URIError);
  expect(() => encodeReserved("/\ud800")).toThrow(URIError);
});

test("the fixed part of a path keeps what may stand there", () => {
  expect(encodeLiteral("/a:b;c=1,2/%41%/ä?")).toBe("/a:b;c=1,2/%41%25/%C3%A4%3F");
});

test("the name of a cookie stays where it is a token", () => {
  expect(encodeCookieName("$a!b")).toBe("$a!b");
  expect(encodeCookieName("a;b")).toBe("a%3Bb");
  expect(["x-y", "", "a b", "a:b", "a\r\n", "ü"].map(isToken)).toEqual([true, false, false, false, false, false]);
});
