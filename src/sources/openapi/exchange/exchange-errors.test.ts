import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { errorFromNetwork, isConnectionLoss } from "./exchange-errors.js";
import { CERTIFICATE, KEY } from "./fixtures/exchange-certificate.js";
import { client, control, failureOf, get, httpServer, tidyUpExchanges } from "./fixtures/exchange-servers.js";

tidyUpExchanges();

let secure: Server;
let port: number;

beforeEach(async () => {
  secure = createServer({ key: KEY, cert: CERTIFICATE }, (_request, response) => response.end("ok"));
  secure.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  port = (secure.address() as AddressInfo).port;
});

afterEach(() => new Promise((resolve) => secure.close(resolve)));

test("a certificate that nobody knows is told, and asking again does not help", async () => {
  const error = await failureOf(client().send(get(`https://localhost:${port}/?key=secret`), control()));
  expect(error).toMatchObject({ category: "unavailable", code: "UNAVAILABLE", recoverable: false });
  expect(error.details).toEqual({ host: `localhost:${port}`, reason: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  expect(error.message).not.toContain("secret");
  expect(isConnectionLoss(error)).toBe(false);
});

test("TLS to a server without is told, and asking again does not help", async () => {
  const server = await httpServer((_arrived, response) => response.end());
  const error = await failureOf(client().send(get(`https://127.0.0.1:${server.port}/`), control()));
  expect(error).toMatchObject({ category: "unavailable", recoverable: false });
});

test("no TLS to a server with it is told", async () => {
  const error = await failureOf(client().send(get(`http://127.0.0.1:${port}/`), control()));
  expect(["unavailable", "execution"]).toContain(error.category);
});

test.each([
  ["ECONNREFUSED", true],
  ["ECONNRESET", true],
  ["EAI_AGAIN", true],
  ["ETIMEDOUT", true],
  ["ENOTFOUND", false],
  ["CERT_HAS_EXPIRED", false],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", false],
  ["ERR_SSL_WRONG_VERSION_NUMBER", false],
])("%s may pass: %s", (code, mayPass) => {
  const error = errorFromNetwork(Object.assign(new Error("words"), { code }), "api.example");
  expect(error).toMatchObject({ category: "unavailable", recoverable: mayPass, details: { reason: code } });
  expect(isConnectionLoss(error)).toBe(mayPass);
});

test("what has no code is told in its own words", () => {
  expect(errorFromNetwork(new Error("strange things"), "api.example").message).toContain("strange things");
});
