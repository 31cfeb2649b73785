import { expect, test } from "vitest";
import { isLiteral, targetOf, urlOf } from "./raw-url.js";

test.each([
  ["http://api.example", { isSecure: false, hostname: "api.example", port: 80, path: "/", query: "" }],
  [
    "HTTPS://API.example:443/a",
    { isSecure: true, hostname: "api.example", port: 443, host: "api.example", path: "/a" },
  ],
  ["https://api.example:8443?b=1", { port: 8443, host: "api.example:8443", path: "/", query: "b=1" }],
  ["http://[::1]:80/a/../b", { hostname: "::1", host: "[::1]", path: "/a/../b" }],
  ["http://0x7f.1/", { hostname: "127.0.0.1" }],
  ["http://b\u00fccher.example/", { hostname: "xn--bcher-kva.example" }],
  ["http://a.example\\@b.example/", { hostname: "a.example", path: "/\\@b.example/" }],
  ["http://a.example/x?y?z#w", { path: "/x", query: "y?z" }],
])("%s is read", (url, parts) => {
  expect(targetOf(url)).toMatchObject(parts);
});

test.each([
  "",
  "http:",
  "http://",
  "http:///a",
  "https://:443/",
  "http://a b/",
  "http://a:99999/",
  "http://u@a/",
  " http://a/",
])("%j is no address", (url) => {
  expect(() => targetOf(url)).toThrow(expect.objectContaining({ category: "validation" }));
});

test("what is read is written the same", () => {
  for (const url of ["http://a.example/x/../y?b=1", "https://[fd00::1]:8443/"]) expect(urlOf(targetOf(url))).toBe(url);
});

test.each([
  ["http://127.0.0.1/", true],
  ["http://[::1]/", true],
  ["http://localhost/", false],
])("%s is an address itself: %s", (url, isIt) => {
  expect(isLiteral(targetOf(url))).toBe(isIt);
});
