import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Decoded, decodeBase64, encodeBase64 } from "./base64.js";

const codeUnit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.integer({ min: 0xd800, max: 0xdfff }),
  fc.constantFrom(0, 0x41, 0xfeff, 0xfffd, 0xffff),
);
/** Any sequence of UTF-16 code units, also those that are no text. */
const anyText = fc.array(codeUnit, { maxLength: 40 }).map((units) => String.fromCharCode(...units));

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}

function textOf(decoded: Decoded): string {
  if ("fault" in decoded) throw new Error(`the fault is ${decoded.fault}`);
  return decoded.text;
}

/** Whether the text is what an encoder writes, which is what strict means. */
function isStrict(encoded: string): boolean {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(encoded) && Buffer.from(encoded, "base64").toString("base64") === encoded;
}

/** Only the call itself runs without Buffer: the test runner needs it. */
function withoutBuffer<T>(run: () => T): T {
  vi.stubGlobal("Buffer", undefined);
  try {
    return run();
  } finally {
    vi.unstubAllGlobals();
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe.each([
  ["with Buffer", encodeBase64, decodeBase64],
  [
    "without Buffer",
    (text: string) => withoutBuffer(() => encodeBase64(text)),
    (encoded: string) => withoutBuffer(() => decodeBase64(encoded)),
  ],
] as const)("base64 %s", (_, encode, decode) => {
  test("gives back any text, with U+FFFD for each lone surrogate", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(textOf(decode(encode(text)))).toBe(wellFormed(text));
      }),
      { numRuns: 1000 },
    );
  });

  test("writes what every other encoder writes", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        (text) => encode(text) === Buffer.from(text, "utf8").toString("base64"),
      ),
    );
  });

  test.each([
    ["", ""],
    ["f", "Zg=="],
    ["fo", "Zm8="],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg=="],
    ["fooba", "Zm9vYmE="],
    ["foobar", "Zm9vYmFy"],
    ["\0\0", "AAA="],
    ["\uFFFD", "77+9"],
    ["\uFEFFa", "77u/YQ=="],
    ["🎉", "8J+OiQ=="],
  ])("turns %j into %s and back", (text, encoded) => {
    expect(encode(text)).toBe(encoded);
    expect(decode(encoded)).toEqual({ text });
  });

  test.each([
    ["lone high surrogate", "\uD83C!"],
    ["lone low surrogate", "!\uDF89"],
    ["pair in the wrong order", "\uDF89\uD83C"],
  ])("writes U+FFFD for a %s", (_label, text) => {
    expect(decode(encode(text))).toEqual({ text: wellFormed(text) });
  });

  test("takes exactly what an encoder writes", () => {
    const char = fc.constantFrom(..."AQgwIZaz09+/=-_ \n\t.Ł\u3000\u0141\u013D");
    fc.assert(
      fc.property(fc.string({ unit: char, maxLength: 8 }), (encoded) => {
        const decoded = decode(encoded);
        expect("fault" in decoded && decoded.fault === "base64").toBe(!isStrict(encoded));
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    ["url-safe minus", "77-9"],
    ["url-safe underscore", "Pz8_"],
    ["line break", "Zm9v\nYmFy"],
    ["line break at the end", "Zm9vYmFy\r\n\r\n"],
    ["space that fills a group", "Zm9 "],
    ["missing padding", "Zg"],
    ["half of its padding missing", "Zg="],
    ["too much padding", "Zm9v===="],
    ["padding alone", "===="],
    ["padding in the middle", "Zg==Zg=="],
    ["padding out of order", "Z=g="],
    ["one character too many", "Zm9vY"],
    ["stray ASCII byte", "Zm9v*mFy"],
    ["stray byte before the padding", "Zm8\0Zg=="],
    ["letter beyond Latin-1 whose low byte is in the alphabet", "\u0141AAA"],
    ["letter beyond Latin-1 at the end", "AAA\u0141"],
    ["padding sign beyond Latin-1", "Zg=\u013D"],
    ["bits left over before one sign of padding", "Zm9="],
    ["bits left over before two signs of padding", "Zh=="],
    ["glued word", "Zm9vYg==Error"],
  ])("refuses a %s", (_label, encoded) => {
    expect(decode(encoded)).toEqual({ fault: "base64" });
  });

  test.each([
    ["continuation byte alone", [0x80]],
    ["cut sequence", [0xe6, 0x9d]],
    ["overlong slash", [0xc0, 0xaf]],
    ["encoded surrogate", [0xed, 0xa0, 0x80]],
    ["code point past the last", [0xf4, 0x90, 0x80, 0x80]],
    ["byte that is never used", [0x61, 0xff]],
    ["fault beside a true U+FFFD", [0xef, 0xbf, 0xbd, 0xff]],
  ])("says that the bytes are no UTF-8 for a %s", (_label, bytes) => {
    expect(decode(Buffer.from(bytes).toString("base64"))).toEqual({ fault: "utf8" });
  });

  test.each([
    ["the most that the reused buffer holds", "東".repeat(349_525)],
    ["more than the reused buffer holds", "東".repeat(349_526)],
    ["many bytes of one character each", "x".repeat(500_000)],
  ])("carries %s", (_label, text) => {
    expect(textOf(decode(encode(text))) === text).toBe(true);
    expect(encode("f")).toBe("Zg==");
  });
});

test("base64 with and without Buffer finds the same faults", () => {
  const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array).toString("base64"));
  fc.assert(
    fc.property(bytes, (encoded) => {
      expect(withoutBuffer(() => decodeBase64(encoded))).toEqual(decodeBase64(encoded));
    }),
    { numRuns: 1000 },
  );
});
