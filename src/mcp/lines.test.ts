import { PassThrough, Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idIn, LineReader, LineWriter, type LongLine } from "./lines.js";

interface Read {
  readonly lines: string[];
  readonly long: LongLine[];
}

function readerInto(read: Read, maxLength = 1_000_000): LineReader {
  return new LineReader({
    maxLength,
    onLine: (line) => read.lines.push(line),
    onLongLine: (line) => read.long.push(line),
  });
}

function linesOf(chunks: readonly string[], maxLength?: number): Read {
  const read: Read = { lines: [], long: [] };
  const reader = readerInto(read, maxLength);
  for (const chunk of chunks) reader.push(chunk);
  return read;
}

function cut(text: string, places: readonly number[]): string[] {
  const all = [0, ...[...places].sort((a, b) => a - b), text.length];
  return all.slice(1).map((place, at) => text.slice(all[at], place));
}

const line = fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.replaceAll("\n", ""));

describe("LineReader", () => {
  test("gives every line but the empty ones, however the text is split", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(fc.nat(600), { maxLength: 12 }), (lines, places) => {
        const text = lines.map((one) => `${one}\n`).join("");
        const wanted = lines.filter((one) => one !== "" && one !== "\r");
        expect(linesOf(cut(text, places))).toEqual({ lines: wanted, long: [] });
      }),
    );
  });

  test("gives lines and too long ones in their order, the same however the text is split", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.nat(30).map((length) => "x".repeat(length)),
          { maxLength: 12 },
        ),
        fc.array(fc.nat(400), { maxLength: 20 }),
        (lines, places) => {
          const text = lines.map((one) => `${one}\n`).join("");
          const { lines: given, long } = linesOf(cut(text, places), 10);
          const tooLong = lines.filter((one) => one.length > 10);
          expect(given).toEqual(lines.filter((one) => one.length > 0 && one.length <= 10));
          expect(long.map(({ tail, length }) => ({ tail, length }))).toEqual(
            tooLong.map((one) => ({ tail: one, length: one.length })),
          );
          for (const [at, { head }] of long.entries()) {
            expect(head.length).toBeGreaterThan(10);
            expect(tooLong[at]?.startsWith(head)).toBe(true);
          }
        },
      ),
    );
  });

  test.each(["\n", "\r\n"])("passes over lines with nothing but their end %j", (end) => {
    expect(linesOf([`${end}${end}{}${end}${end}`]).lines.map((one) => one.trim())).toEqual(["{}"]);
  });

  test("leaves a carriage return before the end of a line, which JSON takes for white space", () => {
    expect(JSON.parse(linesOf(['{"a":1}\r', "\n"]).lines[0] ?? "")).toEqual({ a: 1 });
  });

  test("keeps what is not a line yet", () => {
    const read: Read = { lines: [], long: [] };
    const reader = readerInto(read);
    reader.push("one\ntw");
    expect(read.lines).toEqual(["one"]);
    reader.push("");
    reader.push("o\n");
    expect(read.lines).toEqual(["one", "two"]);
  });

  test("takes a line that is just as long as allowed, and none that is longer by one", () => {
    expect(linesOf(["12345\n", "123", "456\n", "7\n"], 5)).toEqual({
      lines: ["12345", "7"],
      long: [{ head: "123456", tail: "123456", length: 6 }],
    });
  });

  test.each([
    ["at once", 1_000_000],
    ["in pieces", 777],
    ["a character at a time", 1],
  ])("tells how a long line began and ended and how long it was, when it came %s", (_, size) => {
    const head = '{"jsonrpc":"2.0","id":7,"result":';
    const tail = ',"id":8}';
    const text = `${head}${"a".repeat(10_000)}${tail}\nnext\n`;
    const { lines, long } = linesOf(cut(text, placesEvery(size, text.length)), 5_000);
    expect(lines).toEqual(["next"]);
    expect(long).toHaveLength(1);
    expect(long[0]?.head.startsWith(head)).toBe(true);
    expect(long[0]?.tail.endsWith(tail)).toBe(true);
    expect(long[0]?.length).toBe(text.length - "\nnext\n".length);
    expect((long[0]?.head.length ?? 0) + (long[0]?.tail.length ?? 0)).toBeLessThan(5_000);
  });

  test("tells of each of several long lines by itself", () => {
    const text = ["a", "b", "c"].map((letter) => `${letter.repeat(50)}\n`).join("ok\n");
    const { lines, long } = linesOf([text], 10);
    expect(lines).toEqual(["ok", "ok"]);
    expect(long.map(({ head, tail, length }) => [head[0], tail.at(-1), length])).toEqual([
      ["a", "a", 50],
      ["b", "b", 50],
      ["c", "c", 50],
    ]);
  });

  test("keeps little of a line that is far too long and never ends", () => {
    const read: Read = { lines: [], long: [] };
    const reader = readerInto(read, 100_000);
    const chunk = "x".repeat(65_536);
    for (let count = 0; count < 2_000; count++) reader.push(chunk);
    expect(read).toEqual({ lines: [], long: [] });
    reader.push("\nok\n");
    expect(read.lines).toEqual(["ok"]);
    expect(read.long[0]?.length).toBe(2_000 * 65_536);
  });

  test("reads a line of 30 MB in small pieces", () => {
    const chunk = "y".repeat(65_536);
    const { lines } = linesOf([...Array.from({ length: 460 }, () => chunk), "\n"], 40_000_000);
    expect(lines.map(({ length }) => length)).toEqual([460 * 65_536]);
  });

  test("puts characters together that a stream has split between two reads", async () => {
    const bytes = Buffer.from("Zoë 🎉\n東京\n");
    const stream = Readable.from(
      [...bytes].map((byte) => Buffer.from([byte])),
      { objectMode: false },
    );
    const read: Read = { lines: [], long: [] };
    readerInto(read).follow(stream);
    await new Promise((resolve) => stream.once("end", resolve));
    expect(read.lines).toEqual(["Zoë 🎉", "東京"]);
  });
});

describe("the id of a long line", () => {
  const long = JSON.stringify({ text: "x".repeat(3_000), id: 99, last: { id: 98 } });

  test.each<[line: string, id: unknown]>([
    [`{"jsonrpc":"2.0","id":7,"result":${long}}`, 7],
    [`{"id":"a b","result":${long}}`, "a b"],
    [`\ufeff{ "jsonrpc" : "2.0", "method" : "tools/call", "id" : 0, "params" : ${long}}`, 0],
    [`{"jsonrpc":"2.0","result":${long},"id":7}\r`, 7],
    [`{"result":${long},"id":"seven","jsonrpc":"2.0"}`, "seven"],
    [`{"id":6,"result":${long}, "id": -7 }`, -7],
    [`{"id":"a\tb","result":${long}}`, "a\tb"],
    // Those inside are about something else.
    [`{"jsonrpc":"2.0","result":${long}}`, undefined],
    [`{"jsonrpc":"2.0","result":{"id":7,"data":${long}}}`, undefined],
    [`{"jsonrpc":"2.0","result":{"data":${long},"id":7}}`, undefined],
    [`{"method":"notifications/message","params":{"id":7,"data":${long}}}`, undefined],
    [`{"id":null,"result":${long}}`, undefined],
    [`{"id":1.5,"result":${long}}`, undefined],
    [`{"id":9007199254740993,"result":${long}}`, undefined],
    [`{"text":"${"x".repeat(3_000)},\\"id\\":\\"7"}`, undefined],
    [`${"x".repeat(3_000)}`, undefined],
  ])("%.60s… is found at either end of it (%#)", (line, id) => {
    const { long: read } = linesOf([`${line}\n`], 2_500);
    expect(read.map(idIn)).toEqual([id]);
  });
});

function placesEvery(size: number, length: number): number[] {
  return Array.from({ length: Math.floor(length / size) }, (_, at) => (at + 1) * size);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("LineWriter", () => {
  function written(stream: PassThrough): string[] {
    const chunks: string[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
    return chunks;
  }

  test("writes the first line of a turn at once and the others together, in order", async () => {
    const stream = new PassThrough();
    const chunks: string[] = [];
    const write = stream.write.bind(stream);
    stream.write = ((chunk: string) => {
      chunks.push(chunk);
      return write(chunk);
    }) as typeof stream.write;
    const writer = new LineWriter(stream);
    writer.write("one");
    expect(chunks).toEqual(["one\n"]);
    writer.write("two");
    await Promise.resolve();
    writer.write("three");
    expect(chunks).toEqual(["one\n"]);
    await turn();
    expect(chunks).toEqual(["one\n", "two\nthree\n"]);
    writer.write("four");
    expect(chunks).toEqual(["one\n", "two\nthree\n", "four\n"]);
  });

  test("writes nothing twice when it is flushed before its turn", async () => {
    const stream = new PassThrough();
    const chunks = written(stream);
    const writer = new LineWriter(stream);
    writer.write("one");
    writer.flush();
    writer.write("two");
    writer.flush();
    await turn();
    await turn();
    expect(chunks.join("")).toBe("one\ntwo\n");
  });

  test("keeps an empty line", async () => {
    const stream = new PassThrough();
    const chunks = written(stream);
    const writer = new LineWriter(stream);
    writer.write("");
    writer.write("x");
    await turn();
    await turn();
    expect(chunks.join("")).toBe("\nx\n");
  });

  test.each([
    ["was destroyed", (stream: PassThrough): unknown => stream.destroy()],
    ["has ended", (stream: PassThrough): unknown => stream.end()],
  ])("drops what is written after the stream %s", async (_, close) => {
    const stream = new PassThrough();
    const errors: unknown[] = [];
    stream.on("error", (error) => errors.push(error));
    const writer = new LineWriter(stream);
    writer.write("before");
    close(stream);
    await turn();
    writer.write("after");
    writer.flush();
    await turn();
    expect(errors).toEqual([]);
    expect(stream.read()?.toString() ?? "").not.toContain("after");
  });
});
