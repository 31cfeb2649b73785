import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { describe, expect, test } from "vitest";
import { followStderr } from "./stderr-tail.js";

async function follow(chunks: readonly (string | Buffer)[], bytes = 8_192): Promise<{ tail: string; lines: string[] }> {
  const stream = new PassThrough();
  const lines: string[] = [];
  const tail = followStderr(stream, bytes, (line) => lines.push(line));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await finished(stream);
  await new Promise(setImmediate);
  return { tail: tail(), lines };
}

describe("what a process writes to stderr", () => {
  test("is told by the line, however it was cut", async () => {
    const { lines } = await follow(["on", "e\ntwo\r", "\n\nthr", "ee"]);
    expect(lines).toEqual(["one", "two", "", "three"]);
  });

  test("is told whole where a character arrives in two halves", async () => {
    const bytes = Buffer.from("東京\n");
    expect((await follow([bytes.subarray(0, 2), bytes.subarray(2)])).lines).toEqual(["東京"]);
  });

  test("is told in pieces where a line has no end", async () => {
    const { lines } = await follow(["x".repeat(9_000), "x".repeat(9_000), "x".repeat(7_000), "\n", "end\n"]);
    expect(lines.map(({ length }) => length)).toEqual([10_000, 10_000, 5_000, 3]);
  });

  test("is told to the end before the pipe says that it is closed", async () => {
    const stream = new PassThrough({ emitClose: false });
    const lines: string[] = [];
    followStderr(stream, 100, (line) => lines.push(line));
    stream.end("one\ntwo");
    await finished(stream);
    expect(lines).toEqual(["one", "two"]);
  });

  test("is kept to the last bytes", async () => {
    expect((await follow(["abcdef", "gh"], 4)).tail).toBe("efgh");
    expect((await follow(["a", "bcdefgh"], 4)).tail).toBe("efgh");
    expect((await follow(["abc"], 4)).tail).toBe("abc");
    expect((await follow(["abc"], 0)).tail).toBe("");
  });

  test("begins with a whole character", async () => {
    expect((await follow(["東京"], 4)).tail).toBe("京");
  });

  test("is read on when the listener throws", () => {
    const stream = new PassThrough();
    const tail = followStderr(stream, 100, () => {
      throw new Error("not mine");
    });
    stream.emit("data", Buffer.from("one\ntwo\n"));
    expect(tail()).toBe("one\ntwo\n");
  });
});
