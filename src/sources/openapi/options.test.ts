import { describe, expect, test } from "vitest";
import { isCallError } from "../../envelope/call-error.js";
import { expectNoSecret } from "./fixtures/mounted.js";
import { type OpenApiSourceOptions, settingsOf } from "./options.js";

const DOCUMENT = { openapi: "3.1.0", paths: {} };

function refusalOf(options: unknown): Error {
  try {
    settingsOf(options as OpenApiSourceOptions);
  } catch (thrown) {
    if (isCallError(thrown) && thrown.category === "validation") return thrown;
    throw thrown;
  }
  throw new Error("the options are taken");
}

const SECRET = "s3cr3t-value";

describe("an option of another value", () => {
  test.each<[option: string, values: readonly unknown[]]>([
    ["name", ["", "a.b", "a b", "-a", "x".repeat(65), "constructor", "__proto__", 5, null, {}]],
    ["variables", [[], "a=b", { port: 80 }, null]],
    ["include", ["a", [5], [null], { a: 1 }, null]],
    ["exclude", ["a", [["a"]], /a/]],
    ["tags", ["a", [/a/], [1]]],
    ["methods", ["GET", [5], null]],
    ["credentials", ["token", 5, null, [], () => "token"]],
    ["headers", ["a: b", { a: 1 }, { a: null }, { a: ["b"] }, null, []]],
    ["allowPrivate", ["true", 1, 0, null]],
    ["idempotencyKeys", ["yes", 1, null]],
    ["unfold", ["no", 0, null]],
    ["results", [{}, true, { put: true }, null, []]],
    ["input", ["strict", true, "", null]],
    ["output", ["loose", false, "", null]],
    ["timeout", [-1, Number.NaN, "60", null, {}]],
    ["maxResponseBytes", [-1, "1mb", Number.NaN, null]],
    ["maxDocumentBytes", [-1, "1mb", Number.NaN, null]],
    ["retries", [-1, "2", Number.NaN, null]],
    ["maxRetryWaitMs", [-1, "2s", Number.NaN, null]],
    ["inlineBytes", [-1, "2k", Number.NaN, null]],
    ["baseUrl", ["", "example.com", "/v1", "ftp://example.com", "file:///etc/passwd", 5, null, {}]],
  ])("%s is refused by its name", (option, values) => {
    for (const value of values)
      expect(refusalOf({ name: "api", document: DOCUMENT, [option]: value }).message).toContain(`\`${option}\``);
  });

  test.each([
    ["file", ["", 5, null, {}]],
    ["url", ["", "example.com/openapi.json", "./openapi.json", "ftp://example.com", "javascript:0", 5, null]],
    ["document", [5, null, [], true]],
  ] as const)("%s is refused by its name", (option, values) => {
    for (const value of values) expect(refusalOf({ name: "api", [option]: value }).message).toContain(`\`${option}\``);
  });
});

test("an option that does not exist is refused, and told with those that do", () => {
  const { message } = refusalOf({ name: "api", document: DOCUMENT, baseURL: "https://example.com" });
  expect(message).toContain("`baseURL`");
  expect(message).toContain("baseUrl");
});

test.each([
  ["no options", undefined],
  ["a text", "https://example.com/openapi.json"],
  ["a list", []],
  ["no name", { document: DOCUMENT }],
  ["no document", { name: "api" }],
  ["two documents", { name: "api", document: DOCUMENT, url: "https://example.com/openapi.json" }],
  ["three documents", { name: "api", document: DOCUMENT, url: "https://example.com/", file: "a.json" }],
])("%s is no source", (_, options) => {
  expect(refusalOf(options).message).toMatch(/^This is no OpenAPI source: /);
});

test.each([
  ["an address that holds a password", { url: `ftp://ada:${SECRET}@example.com` }],
  ["an address with a key in its query", { url: `example.com/?key=${SECRET}` }],
  ["a base with a password", { document: DOCUMENT, baseUrl: `https://ada:${SECRET}@example.com` }],
  ["a base with a key in its query", { document: DOCUMENT, baseUrl: `https://example.com/?key=${SECRET}` }],
  ["headers that are a list", { document: DOCUMENT, headers: [`authorization: ${SECRET}`] }],
  ["headers of which one is no text", { document: DOCUMENT, headers: { a: SECRET, b: 5 } }],
  ["headers whose text is cut in two", { document: DOCUMENT, headers: { "x-key": `${SECRET}\r\nx-other: 1` } }],
  ["credentials that are a text", { document: DOCUMENT, credentials: SECRET }],
  ["credentials that are a list", { document: DOCUMENT, credentials: [SECRET] }],
  ["variables of which one is no text", { document: DOCUMENT, variables: { a: SECRET, b: 5 } }],
])("%s is refused without being shown", (_, options) => {
  expectNoSecret(refusalOf({ name: "api", ...options }), SECRET);
});

test.each([
  ["an address with a user", { url: "https://ada:x@example.com/openapi.json" }],
  ["a base with a user", { document: DOCUMENT, baseUrl: "https://ada@example.com" }],
  ["a base with a query", { document: DOCUMENT, baseUrl: "https://example.com/v1?version=2" }],
  ["a base with a fragment", { document: DOCUMENT, baseUrl: "https://example.com/v1#a" }],
  ["a header with a name that HTTP has not", { document: DOCUMENT, headers: { "x key": "1" } }],
  ["a header without a name", { document: DOCUMENT, headers: { "": "1" } }],
  ["a header with a line break", { document: DOCUMENT, headers: { "x-key": "1\n2" } }],
])("%s, which could not be sent, is refused", (_, options) => {
  refusalOf({ name: "api", ...options });
});

test("what is left out, or undefined, has its default", () => {
  const settings = settingsOf({ name: "api", document: DOCUMENT, timeout: undefined, url: undefined, retries: 0 });
  expect(settings).toMatchObject({ timeout: 60_000, retries: 0, inlineBytes: 32_768, maxRetryWaitMs: 30_000 });
  expect(Object.hasOwn(settings, "url")).toBe(false);
});

test("addresses and files may be URLs, and patterns regular expressions", () => {
  expect(settingsOf({ name: "api", url: new URL("https://example.com/?a=1") }).url).toBeInstanceOf(URL);
  expect(settingsOf({ name: "api", file: new URL("file:///a.json"), include: [/a/, "b"] }).include).toHaveLength(2);
});
