import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Dialect } from "../../../dialects/dialect.js";
import { success, wireOf } from "../../../dialects/fixtures/reading.js";
import { responseV2 } from "../../../dialects/response-v2.js";
import { CallError } from "../../../envelope/call-error.js";
import { valuesFromAnswer } from "./answer.js";
import { answerOf, answerOptions } from "./fixtures/answer-of.js";
import { envelopesOf, untilFailure, valuesOf } from "./fixtures/streamed.js";

const EVENTS = "text/event-stream";
const LINES = "application/x-ndjson";
const SEQUENCE = "application/json-seq";

const PIECES = [{ id: 1, text: "naïve 🦩" }, [2, null], { deep: { list: ["\n", "\r", "\u2028"] } }, "last"];

const BODIES: readonly [what: string, contentType: string, body: string][] = [
  ["JSON lines", LINES, PIECES.map((piece) => `${JSON.stringify(piece)}\n`).join("")],
  ["lines that end by CRLF", LINES, PIECES.map((piece) => `${JSON.stringify(piece)}\r\n\r\n`).join("")],
  ["lines without a last line break", LINES, PIECES.map((piece) => JSON.stringify(piece)).join("\n")],
  ["lines behind a byte order mark", LINES, `\uFEFF\n${PIECES.map((piece) => JSON.stringify(piece)).join("\n")}`],
  ["lines that are called JSON", "application/json", PIECES.map((piece) => `${JSON.stringify(piece)}\n`).join("")],
  ["a JSON text sequence", SEQUENCE, PIECES.map((piece) => `\u001e${JSON.stringify(piece, null, 2)}\n`).join("")],
  ["server-sent events", EVENTS, PIECES.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join("")],
  [
    "events of several lines, comments and another line end",
    EVENTS,
    PIECES.map(
      (piece) => `: hi\r\ndata: ${JSON.stringify(piece, null, 1).replaceAll("\n", "\r\ndata: ")}\r\n\r\n`,
    ).join(""),
  ],
];

describe.each(BODIES)("%s", (_, contentType, body) => {
  test("are read one by one", async () => {
    expect(await valuesOf({ contentType, body })).toEqual(PIECES);
  });

  test("are the same however the bytes are split", async () => {
    const size = new TextEncoder().encode(body).length;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(size), { maxLength: 12 }), async (cuts) => {
        expect(await valuesOf({ contentType, body, cuts })).toEqual(PIECES);
      }),
    );
    const everywhere = Array.from({ length: size }, (_item, at) => at);
    expect(await valuesOf({ contentType, body, cuts: everywhere })).toEqual(PIECES);
  });

  test("have their origin, each", async () => {
    const headers = { "x-ratelimit-remaining": "3" };
    const envelopes = await envelopesOf({ contentType, body, headers, setCookie: ["a=1"] });
    for (const { meta } of envelopes)
      expect(meta).toMatchObject({
        source: "http",
        statusCode: 200,
        contentType,
        setCookie: ["a=1"],
        rateLimit: { remaining: 3 },
      });
  });

  test("end where nobody reads on", async () => {
    const size = new TextEncoder().encode(body).length;
    const cuts = Array.from({ length: size }, (_item, at) => at);
    const answer = answerOf({ contentType, body, cuts });
    for await (const { data } of valuesFromAnswer(answer, answerOptions())) {
      expect(data).toEqual(PIECES[0]);
      break;
    }
    expect(answer.discarded()).toBe(1);
    expect(answer.asked()).toBeLessThan(size);
  });

  test("that break off give what came before, and the failure", async () => {
    const fault = new CallError({ category: "unavailable", message: "The connection was closed." });
    const cut = { contentType, body: `${body.trimEnd()}\n\n`, fault };
    const { values, error } = await untilFailure(cut);
    expect(PIECES).toEqual(expect.arrayContaining(values));
    expect(values.length).toBeGreaterThanOrEqual(PIECES.length - 1);
    expect(error).toBe(fault);
  });
});

describe("a broken value", () => {
  test.each([
    [LINES, '{"a":1}\n{"a":\n{"a":3}\n'],
    [SEQUENCE, '\u001e{"a":1}\n\u001e{"a":\n\u001e{"a":3}\n'],
  ])("in %s fails with itself, after those before it", async (contentType, body) => {
    const { values, error } = await untilFailure({ contentType, body });
    expect(values).toEqual([{ a: 1 }]);
    expect(error).toMatchObject({ code: "INVALID_ANSWER", details: { position: 2, line: '{"a":' } });
  });

  test.each([LINES, SEQUENCE, EVENTS, "application/json"])("without an end in %s is given up", async (contentType) => {
    const piece = new TextEncoder().encode(`"${"x".repeat(1024 * 1024)}`);
    const answer = {
      ...answerOf({ contentType }),
      async *chunks() {
        for (;;) yield piece;
      },
    };
    const values = valuesFromAnswer(answer, answerOptions());
    await expect(values.next()).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });

  test("that is an event of too great a length comes after those before it", async () => {
    const { values, error } = await untilFailure({
      contentType: EVENTS,
      body: `data: 1\n\ndata: ${"x".repeat(9 * 1024 * 1024)}\n\n`,
    });
    expect(values).toEqual([1]);
    expect(error).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });

  test("is too long also where it comes in one piece", async () => {
    const body = `data: "${"x".repeat(9 * 1024 * 1024)}"\n\n`;
    await expect(valuesOf({ contentType: EVENTS, body })).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
    await expect(valuesOf({ contentType: LINES, body })).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });
});

describe("events", () => {
  test("of OpenAI end where they say that they are done", async () => {
    const body = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\ndata: {"after":1}\n\n';
    const answer = answerOf({ contentType: EVENTS, body });
    const values: unknown[] = [];
    for await (const { data } of valuesFromAnswer(answer, answerOptions())) values.push(data);
    expect(values).toEqual([{ choices: [{ delta: { content: "Hi" } }] }]);
    expect(answer.discarded()).toBe(1);
  });

  test("keep their names and ids where they have any", async () => {
    const body = 'event: ping\nid: 7\ndata: {}\n\ndata: {"a":1}\n\nevent: error\nid\ndata: {"error":{}}\n\n';
    const envelopes = await envelopesOf({ contentType: EVENTS, body });
    expect(envelopes.map(({ meta }) => meta.extra)).toEqual([
      { sse: { event: "ping", id: "7" } },
      { sse: { id: "7" } },
      { sse: { event: "error", id: "" } },
    ]);
    expect((await envelopesOf({ contentType: EVENTS, body: "data: {}\n\n" }))[0]?.meta.extra).toBeUndefined();
  });

  test.each([
    ["42", false, "42"],
    ["true", false, "true"],
    ["007", true, "007"],
    ["42", true, 42],
    ["hello", true, "hello"],
    ["{broken", true, "{broken"],
    ['"word"', false, '"word"'],
    ["", true, ""],
  ])("with the data %j, where JSON is expected: %s, are %j", async (data, expectsJson, value) => {
    expect(await valuesOf({ contentType: EVENTS, body: `data: ${data}\n\n` }, { expectsJson })).toEqual([value]);
  });

  test("of which the last has no blank line behind it give that too, and say so", async () => {
    const envelopes = await envelopesOf({ contentType: EVENTS, body: 'data: 1\n\ndata: {"a":2}' });
    expect(envelopes.map(({ data }) => data)).toEqual([1, { a: 2 }]);
    expect(envelopes[1]?.meta.warnings?.map(({ code }) => code)).toEqual(["NONCONFORMING"]);
  });

  test("may have another character set", async () => {
    const body = Buffer.from('data: {"a":"é"}\n\n', "latin1");
    expect(await valuesOf({ contentType: `${EVENTS}; charset=iso-8859-1`, body })).toEqual([{ a: "é" }]);
  });
});

describe("an answer that is no stream", () => {
  test("is one value", async () => {
    expect(await valuesOf({ body: '{\n  "a": 1\n}\n', contentType: "application/json" })).toEqual([{ a: 1 }]);
    expect(await valuesOf({ body: "hello", contentType: "text/plain" })).toEqual(["hello"]);
    expect(await valuesOf({ body: wireOf(responseV2 as Dialect, success({ a: 1 })) })).toEqual([{ a: 1 }]);
  });

  test("and is empty has no value", async () => {
    expect(await valuesOf({ status: 204 })).toEqual([]);
    expect(await valuesOf({ contentType: "application/json", body: " \n" })).toEqual([]);
    expect(await valuesOf({ contentType: EVENTS, body: ": nothing\n\n" })).toEqual([]);
  });

  test("and is broken fails with its text", async () => {
    const { error } = await untilFailure({ contentType: "application/json", body: '{\n"a"' });
    expect(error).toMatchObject({ code: "INVALID_ANSWER", data: '{\n"a"' });
  });

  test("and is a refusal fails as in a call", async () => {
    const { error } = await untilFailure({ status: 404, contentType: EVENTS, body: "data: x\n\n" });
    expect(error).toMatchObject({ category: "not_found" });
  });
});
