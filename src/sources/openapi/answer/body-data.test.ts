import { describe, expect, test } from "vitest";
import type { AnswerOptions } from "./answer.js";
import { bodyData } from "./body-data.js";
import { type AnswerParts, answerOf, answerOptions } from "./fixtures/answer-of.js";

async function dataOf(parts: AnswerParts, options: Partial<AnswerOptions> = {}): Promise<unknown> {
  return (await bodyData(answerOf(parts), answerOptions(options))).data;
}

async function codesOf(parts: AnswerParts, options: Partial<AnswerOptions> = {}): Promise<string[]> {
  return (await bodyData(answerOf(parts), answerOptions(options))).warnings.map(({ code }) => code);
}

const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("JSON", () => {
  test.each(["application/json", "application/vnd.api+json; charset=utf-8", "text/json"])(
    "is parsed as %s",
    async (contentType) => {
      expect(await dataOf({ contentType, body: '{"a":[1,null]}' })).toEqual({ a: [1, null] });
    },
  );

  test.each(["0", "false", "null", '""', '"007"', "[]"])("may be %s", async (body) => {
    expect(await dataOf({ contentType: "application/json", body })).toEqual(JSON.parse(body));
  });

  test("may have a byte order mark or another character set", async () => {
    expect(await dataOf({ contentType: "application/json", body: '\uFEFF{"a":1}' })).toEqual({ a: 1 });
    const body = latin1('{"name":"Zoë"}');
    expect(await dataOf({ contentType: "application/json; charset=latin1", body })).toEqual({ name: "Zoë" });
    const wide = Buffer.from('\uFEFF{"name":"Zoë"}', "utf16le");
    expect(await dataOf({ contentType: "application/json", body: wide })).toEqual({ name: "Zoë" });
  });

  test("keeps a field that is called __proto__", async () => {
    const data = await dataOf({ contentType: "application/json", body: '{"__proto__":{"admin":true}}' });
    expect(Object.hasOwn(data as object, "__proto__")).toBe(true);
    expect((data as { admin?: unknown }).admin).toBeUndefined();
  });

  test("survives any depth", async () => {
    const body = "[".repeat(100_000) + "]".repeat(100_000);
    expect(Array.isArray(await dataOf({ contentType: "application/json", body }))).toBe(true);
  });

  test.each(['{"a":', "<html>", "{'a':1}", '{"a":1}}', "undefined"])(
    "that is broken, %s, keeps its text",
    async (body) => {
      await expect(dataOf({ contentType: "application/json", body })).rejects.toMatchObject({
        category: "execution",
        code: "INVALID_ANSWER",
        data: body,
      });
    },
  );

  test("that is one document a line is a list, and said so", async () => {
    const parts = { contentType: "application/json", body: '{"a":1}\r\n{"a":2}\n' };
    expect(await dataOf(parts)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await codesOf(parts)).toEqual(["NONCONFORMING"]);
  });
});

describe("no body", () => {
  test.each(["", "application/json", "text/plain", "image/png"])("is null as %j", async (contentType) => {
    expect(await dataOf({ contentType, body: "" })).toBeNull();
  });

  test("is also nothing but spaces where JSON should be", async () => {
    expect(await dataOf({ contentType: "application/json", body: " \r\n" })).toBeNull();
  });
});

describe("JSON by another name", () => {
  test.each(["text/plain", "", "application/octet-stream", "text/javascript"])(
    "is parsed as %j where it is expected",
    async (contentType) => {
      const parts = { contentType, body: ' {"a":1}' };
      expect(await dataOf(parts)).toEqual({ a: 1 });
      expect(await codesOf(parts)).toEqual(["OUTPUT_CONVERTED"]);
    },
  );

  test("stays a text where it is not expected", async () => {
    expect(await dataOf({ contentType: "text/plain", body: '{"a":1}' }, { expectsJson: false })).toBe('{"a":1}');
  });

  test.each(["007", "true", '"quoted"', "{broken", "[1] and more"])("is not guessed in %s", async (body) => {
    expect(await dataOf({ contentType: "text/plain", body })).toBe(body);
  });

  test("is not looked for in HTML", async () => {
    expect(await dataOf({ contentType: "text/html", body: "[1]" })).toBe("[1]");
  });
});

describe("text", () => {
  test.each([
    "text/plain",
    "text/html; charset=utf-8",
    "text/csv",
    "application/xml",
    "application/atom+xml",
    "application/yaml",
    "application/x-www-form-urlencoded",
    "text/plain; charset=x-unknown",
  ])("stays text as %s", async (contentType) => {
    expect(await dataOf({ contentType, body: "<a>é</a>" })).toBe("<a>é</a>");
  });

  test("is read without a content type, if people could read it", async () => {
    expect(await dataOf({ body: "hello\tworld\r\n" })).toBe("hello\tworld\r\n");
    expect(await dataOf({ body: Uint8Array.of(0x68, 0x00, 0x69) })).toMatchObject({ bytes: 3 });
  });

  test("with strange bytes stays text, and says so", async () => {
    const parts = { contentType: "text/plain", body: latin1("Zoë") };
    expect(await dataOf(parts)).toBe("Zoë");
    expect(await codesOf(parts)).toEqual(["NONCONFORMING"]);
  });
});

describe("bytes", () => {
  const body = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);

  test("are base64 with their media type", async () => {
    expect(await dataOf({ contentType: "image/png; x=1", body })).toEqual({
      mediaType: "image/png",
      bytes: 4,
      base64: "iVBORw==",
    });
  });

  test("without a content type are an octet stream", async () => {
    expect(await dataOf({ body })).toMatchObject({ mediaType: "application/octet-stream" });
  });

  test("are the right ones in a part of a larger buffer", async () => {
    const part = Uint8Array.of(1, 2, 3, 4, 5, 6).subarray(2, 5);
    expect(await dataOf({ contentType: "image/png", body: part })).toMatchObject({ base64: "AwQF" });
  });

  test("that are large are kept elsewhere and linked", async () => {
    const kept: string[] = [];
    const keepJson = async (json: string): Promise<{ uri: string }> => ({ uri: `kept:${kept.push(json)}` });
    const headers = { "content-disposition": 'attachment; filename="cat.png"' };
    const answer = answerOf({ contentType: "image/png", body, headers });
    const found = await bodyData(answer, answerOptions({ keepJson, inlineBytes: 3 }));
    expect(found.data).toEqual({ mediaType: "image/png", bytes: 4, uri: "kept:1" });
    expect(found.links).toEqual([{ type: "resource_link", uri: "kept:1", name: "cat.png", mimeType: "image/png" }]);
    expect(kept.map((json) => JSON.parse(json))).toEqual([{ mediaType: "image/png", bytes: 4, base64: "iVBORw==" }]);
  });

  test.each([
    ["are small", 4, async () => ({ uri: "kept:1" })],
    ["nobody keeps", 0, undefined],
    ["the store does not want", 0, async () => undefined],
    [
      "the store fails to keep",
      0,
      async () => {
        throw new Error("full");
      },
    ],
  ])("that %s are base64", async (_, inlineBytes, keepJson) => {
    const options = { inlineBytes, ...(keepJson !== undefined && { keepJson }) };
    expect(await dataOf({ contentType: "image/png", body }, options)).toMatchObject({ base64: "iVBORw==" });
  });
});
