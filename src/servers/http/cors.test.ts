import { describe, expect, test } from "vitest";
import { type CorsOptions, corsFor } from "./cors.js";

const PAGE = "https://app.example";

function asks(origin: string | undefined, method = "OPTIONS") {
  return { method, headers: { origin, "access-control-request-method": "POST" } };
}

describe("without CORS", () => {
  test("no answer has a header for it, and no request is answered by it", () => {
    const cors = corsFor(undefined);
    expect(cors.headersFor(PAGE)).toEqual({});
    expect(cors.preflight(asks(PAGE))).toBeUndefined();
  });
});

describe("with named origins", () => {
  const cors = corsFor({ origins: [PAGE, "http://localhost:3000"], headers: ["x-api-key"], credentials: true });

  test("a page that may call reads the answer, and the headers that tell something", () => {
    const headers = cors.headersFor(PAGE);
    expect(headers).toMatchObject({
      "access-control-allow-origin": PAGE,
      "access-control-allow-credentials": "true",
      vary: "origin",
    });
    const exposed = headers["access-control-expose-headers"]?.split(", ");
    expect(exposed).toEqual(expect.arrayContaining(["Link", "RateLimit", "Retry-After", "Idempotency-Replayed"]));
  });

  test.each([
    undefined,
    "https://evil.example",
    `${PAGE}.evil.example`,
    `${PAGE}:8443`,
    "http://app.example",
    "null",
    "constructor",
  ])("the origin %s learns nothing but that the answer depends on it", (origin) => {
    expect(cors.headersFor(origin)).toEqual({ vary: "origin" });
  });

  test("a browser that asks first is told what it may do", () => {
    const reply = cors.preflight(asks("http://localhost:3000"));
    expect(reply).toMatchObject({
      status: 204,
      headers: {
        "access-control-allow-origin": "http://localhost:3000",
        "access-control-allow-credentials": "true",
        "access-control-max-age": "600",
        vary: "origin",
      },
      body: "",
    });
    expect(reply?.headers["access-control-allow-methods"]?.split(", ")).toContain("POST");
    expect(reply?.headers["access-control-allow-headers"]?.split(", ")).toEqual(
      expect.arrayContaining(["content-type", "authorization", "idempotency-key", "last-event-id", "x-api-key"]),
    );
  });

  test("another page that asks first is refused", () => {
    expect(cors.preflight(asks("https://evil.example"))).toEqual({
      status: 403,
      headers: { vary: "origin" },
      body: "",
    });
  });

  test("a request that is not a browser's question is left to others", () => {
    expect(cors.preflight(asks(undefined))).toBeUndefined();
    expect(cors.preflight(asks(PAGE, "POST"))).toBeUndefined();
    expect(cors.preflight({ method: "OPTIONS", headers: { origin: PAGE } })).toBeUndefined();
  });
});

describe("with any origin", () => {
  const cors = corsFor({ origins: "*", maxAgeSeconds: 0 });

  test("every answer is the same, whoever asks", () => {
    expect(cors.headersFor(PAGE)).toEqual(cors.headersFor(undefined));
    expect(cors.headersFor(PAGE)).toMatchObject({ "access-control-allow-origin": "*" });
    expect(cors.headersFor(PAGE)).not.toHaveProperty("vary");
  });

  test("a browser that asks first may call", () => {
    expect(cors.preflight(asks("null"))).toMatchObject({
      status: 204,
      headers: { "access-control-allow-origin": "*", "access-control-max-age": "0" },
    });
  });
});

describe("the options", () => {
  test.each<[problem: string, options: CorsOptions]>([
    ["any origin with credentials", { origins: "*", credentials: true }],
    ["a star among origins", { origins: ["*"] }],
    ["a star within an origin", { origins: ["https://*.example"] }],
    ["an origin with a path", { origins: [`${PAGE}/`] }],
    ["an origin with its default port", { origins: [`${PAGE}:443`] }],
    ["an origin in upper case", { origins: ["https://APP.example"] }],
    ["a name without a scheme", { origins: ["app.example"] }],
    ["the origin of no page", { origins: ["null"] }],
    ["a text in place of the list", { origins: PAGE as "*" }],
    ["a number", { origins: [7 as unknown as string] }],
    ["a header that is no name", { origins: [PAGE], headers: ["x y"] }],
    ["a header that breaks the line", { origins: [PAGE], headers: ["x\r\ny"] }],
    ["any header", { origins: [PAGE], headers: ["*"] }],
    ["a negative time", { origins: [PAGE], maxAgeSeconds: -1 }],
  ])("are refused with %s", (_, options) => {
    expect(() => corsFor(options)).toThrow(expect.objectContaining({ category: "validation" }));
  });

  test("take the origin of a browser's extension", () => {
    const origin = "chrome-extension://abcdefghijklmnop";
    expect(corsFor({ origins: [origin] }).headersFor(origin)).toMatchObject({ "access-control-allow-origin": origin });
  });
});
