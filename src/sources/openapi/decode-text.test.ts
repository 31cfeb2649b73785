import { describe, expect, test } from "vitest";
import { decodeText } from "./decode-text.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

describe("decodeText", () => {
  test.each([
    ["UTF-8", bytes(0xc3, 0xa9), "utf-8"],
    ["UTF-8 of which nothing is said", bytes(0xc3, 0xa9), undefined],
    ["UTF-8 by a name that nobody knows", bytes(0xc3, 0xa9), "x-klingon"],
    ["UTF-8 with a byte order mark", bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), undefined],
    ["Latin-1", bytes(0xe9), "iso-8859-1"],
    ["UTF-16", bytes(0xe9, 0x00), "utf-16"],
    ["UTF-16 that begins with its other end", bytes(0x00, 0xe9), "utf-16be"],
    ["UTF-16 by its byte order mark", bytes(0xfe, 0xff, 0x00, 0xe9), undefined],
    ["UTF-16 that is called UTF-8", bytes(0xff, 0xfe, 0xe9, 0x00), "utf-8"],
  ])("reads %s", (_, given, charset) => {
    expect(decodeText(given, charset)).toEqual({ text: "é" });
  });

  test("reads what is no UTF-8 and is called nothing without losing a byte, and says so", () => {
    const all = Uint8Array.from({ length: 256 }, (_, at) => at);
    const { text, warning } = decodeText(all, undefined);
    expect(new Set(text).size).toBe(256);
    expect(warning?.code).toBe("NONCONFORMING");
  });

  test("shows bytes that the named character set does not have, and says so", () => {
    const { text, warning } = decodeText(bytes(0x61, 0xff, 0x62), "utf-8");
    expect(text).toBe("a\uFFFDb");
    expect(warning?.code).toBe("NONCONFORMING");
  });
});
