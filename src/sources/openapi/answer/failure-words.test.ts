import { describe, expect, test } from "vitest";
import { computedWithin } from "../../../../test/own-time.js";
import { mediaTypeOf } from "../media-type.js";
import { codeFrom, statusLine, wordsFrom } from "./failure-words.js";

function wordsOf(body: unknown, contentType = "application/json"): string | undefined {
  return wordsFrom(body, mediaTypeOf(contentType), 404);
}

describe("wordsFrom", () => {
  test.each<[unknown, string]>([
    [{ message: "m", error: { message: "e" }, detail: "d" }, "m"],
    [{ error: { message: "e" }, error_description: "o" }, "e"],
    [{ error: "invalid_grant", error_description: "o" }, "o"],
    [{ error: "Something broke" }, "Something broke"],
    [{ errors: [{ message: "first" }, { message: "second" }] }, "first"],
    [{ errors: [{ title: "t" }] }, "t"],
    [{ errors: ["in words"] }, "in words"],
    [{ title: "t", status: 404, detail: "d", message: "m" }, "d"],
    [{ title: "t", type: "about:blank", message: "m" }, "t"],
    [{ title: "t", message: "m" }, "m"],
    [{ fault: { faultstring: "f" } }, "f"],
    [{ message: "  ", title: "t" }, "t"],
    [{ message: 5, error: null, detail: "d" }, "d"],
    [[{ message: "in a list" }], "in a list"],
    [{ message: " two\n\n lines " }, "two lines"],
  ])("finds the words of %j", (body, words) => {
    expect(wordsOf(body)).toBe(words);
  });

  test.each([
    null,
    5,
    {},
    [],
    "",
    { message: "Not Found" },
    { message: "404 not found." },
    "HTTP 404 Not Found",
    "<p></p>",
  ])("finds none in %j", (body) => {
    expect(wordsOf(body, "text/html")).toBeUndefined();
  });

  test("does not look into the prototype", () => {
    expect(
      wordsOf(JSON.parse('{"__proto__":{"message":"no"},"error":{"__proto__":{"message":"no"}}}')),
    ).toBeUndefined();
  });

  test("keeps to a length without cutting a letter in two", () => {
    const words = wordsOf({ message: "🦩".repeat(600) }) ?? "";
    expect([...words]).toHaveLength(500);
    expect(words).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
    expect(words.endsWith("…")).toBe(true);
  });

  test("reads markup of any size and shape in a short time", () => {
    for (const part of ["<", "<script", "<p>", "&amp;", "<title", "<!--"]) {
      computedWithin(1000, () => wordsOf(`<html>${part.repeat(20_000)}`, "text/html"));
    }
  });

  test("finds the words of a SOAP fault", () => {
    const body =
      "<s:Envelope><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>No such order</faultstring></s:Fault></s:Body></s:Envelope>";
    expect(wordsOf(body, "text/xml")).toBe("No such order");
  });
});

describe("codeFrom", () => {
  const options = { headers: {}, status: 404, isAboutFields: false };

  test.each<[unknown, string | undefined]>([
    [{ code: "ROW_GONE" }, "ROW_GONE"],
    [{ code: 88, error: { code: "inner" } }, "inner"],
    [{ error: { code: 404, status: "NOT_FOUND" } }, "NOT_FOUND"],
    [{ error: { code: null, type: "invalid_request_error" } }, "invalid_request_error"],
    [{ __type: "a.b#NoSuchThing" }, "NoSuchThing"],
    [{ error: "channel_not_found" }, "channel_not_found"],
    [{ error: "Missing" }, undefined],
    [{ error: "Not Found" }, undefined],
    [{ code: "Not Found" }, undefined],
    [{ code: "404" }, undefined],
    [{ errors: [{ extensions: { code: "UNAUTHENTICATED" } }] }, "UNAUTHENTICATED"],
    [{ kind: "Status", reason: "NotReady", code: 404 }, "NotReady"],
    [{ reason: "because" }, undefined],
    [null, undefined],
  ])("finds that of %j", (body, code) => {
    expect(codeFrom(body, options)).toBe(code);
  });

  test("is that of a header of AWS where the body has none", () => {
    const headers = { "x-amzn-errortype": "ThrottlingException:http://internal.amazon.com/coral/" };
    expect(codeFrom({}, { ...options, headers })).toBe("ThrottlingException");
  });

  test("is not that of a field", () => {
    expect(codeFrom({ errors: [{ code: "BLANK" }] }, { ...options, isAboutFields: true })).toBeUndefined();
  });
});

test("a status is told with its reason, if it has one", () => {
  expect(statusLine(404)).toBe("404 Not Found");
  expect(statusLine(599)).toBe("599");
});
