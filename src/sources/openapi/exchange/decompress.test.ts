import { Readable } from "node:stream";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { decodersFor, decompressed } from "./decompress.js";

const TEXT = "all of it, ".repeat(5_000);

describe("a body", () => {
  test.each([
    ["gzip", gzipSync(TEXT)],
    ["x-gzip", gzipSync(TEXT)],
    ["GZIP", gzipSync(TEXT)],
    ["deflate", deflateSync(TEXT)],
    ["deflate", deflateSync(TEXT, { windowBits: 9 })],
    ["deflate", deflateRawSync(TEXT)],
    ["br", brotliCompressSync(TEXT)],
    ["deflate, br", brotliCompressSync(deflateSync(TEXT))],
    ["identity", Buffer.from(TEXT)],
    ["", Buffer.from(TEXT)],
    [" , identity, gzip ", gzipSync(TEXT)],
    ["gzip", Buffer.concat([gzipSync(TEXT.slice(0, 99)), gzipSync(TEXT.slice(99))])],
  ])("in %j comes out as it was", async (encoding, encoded) => {
    expect(await read(encoding, [encoded])).toBe(TEXT);
    expect(await read(encoding, [encoded.subarray(0, 1), encoded.subarray(1, 5), encoded.subarray(5)])).toBe(TEXT);
  });

  test.each(["gzip", "deflate", "br", "gzip, br"])("of no bytes at all in %s is empty", async (encoding) => {
    expect(await read(encoding, [])).toBe("");
  });

  test.each(["zstd", "compress", "gzip, zap", "gzip, gzip, gzip", "constructor"])(
    "in %s cannot be read",
    (encoding) => {
      expect(decodersFor(encoding)).toBeUndefined();
    },
  );

  test.each(["gzip", "deflate", "br"])("that is broken in %s fails", async (encoding) => {
    await expect(read(encoding, [Buffer.alloc(50, 0x78)])).rejects.toThrow();
  });

  test("that fails itself fails its reader, before and after the first byte", async () => {
    async function* broken(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
      yield* pieces;
      throw new Error("cut");
    }
    await expect(readAll(Readable.from(broken([])), "gzip")).rejects.toThrow("cut");
    await expect(readAll(Readable.from(broken([gzipSync(TEXT).subarray(0, 9)])), "gzip")).rejects.toThrow("cut");
  });

  test("that is gone fails its reader", async () => {
    const gone = Readable.from([Buffer.from("a")]);
    gone.destroy();
    await expect(readAll(gone, "gzip")).rejects.toThrow();
  });
});

function read(encoding: string, pieces: readonly Buffer[]): Promise<string> {
  return readAll(Readable.from(pieces), encoding);
}

async function readAll(body: Readable, encoding: string): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of await decompressed(body, decodersFor(encoding) ?? [])) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
