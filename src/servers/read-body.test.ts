import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RawConnection } from "./http/fixtures/raw-connection.js";
import { type BodyText, NOT_TEXT, readBody, TOO_LARGE } from "./read-body.js";

/** What is read of a body that comes in these pieces; `last` is what follows them. */
function bodyOf(pieces: readonly Uint8Array[], last = "0\r\n\r\n"): Promise<BodyText> {
  return new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      response.on("finish", () => server.close());
      readBody(request, 100)
        .then(resolve, reject)
        .finally(() => response.end());
    });
    onTestFinished(() => server.closeAllConnections());
    server.listen(0, "127.0.0.1", async () => {
      const connection = await RawConnection.to(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      connection.head("POST / HTTP/1.1", "Transfer-Encoding: chunked");
      for (const piece of pieces) {
        connection.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]));
        await new Promise((wake) => setImmediate(wake));
      }
      connection.socket.end(last);
    });
  });
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("a body is one text, also where a character is split", async () => {
  const [first = 0, ...rest] = bytes("東🎉");
  expect(await bodyOf([bytes("a"), new Uint8Array([first]), new Uint8Array(rest), bytes("z")])).toBe("a東🎉z");
});

test("a body may be empty", async () => {
  expect(await bodyOf([])).toBe("");
});

test("a body may have as many bytes as were said, and not one more", async () => {
  expect(await bodyOf([bytes("x".repeat(60)), bytes("x".repeat(40))])).toBe("x".repeat(100));
  expect(await bodyOf([bytes("x".repeat(60)), bytes("x".repeat(41))])).toBe(TOO_LARGE);
  expect(await bodyOf([bytes("é".repeat(51))])).toBe(TOO_LARGE);
});

test("a body that is cut is no body", async () => {
  await expect(bodyOf([bytes("{}")], "")).rejects.toThrow();
});

test("a body that is no text is not taken for one", async () => {
  expect(await bodyOf([Uint8Array.of(0x22, 0xff, 0x22)])).toBe(NOT_TEXT);
  expect(await bodyOf([bytes('"\ufffd"')])).toBe('"\ufffd"');
});
