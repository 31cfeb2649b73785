import { describe, expect, test } from "vitest";
import { type GuardOptions, HttpGuard } from "./http-guard.js";

function admits(options: GuardOptions, host: string | undefined, origin?: string): boolean {
  const guard = new HttpGuard(options);
  const headers = { ...(host !== undefined && { host }), ...(origin !== undefined && { origin }) };
  const first = guard.problemOf(headers) === undefined;
  // Once more, because what was good is remembered.
  expect(guard.problemOf(headers) === undefined).toBe(first);
  return first;
}

describe("the Host header", () => {
  test.each(["localhost", "localhost:3000", "127.0.0.1:80", "127.1.2.3", "[::1]:8080", "LOCALHOST"])(
    "may be %s by default",
    (host) => {
      expect(admits({}, host)).toBe(true);
    },
  );

  test.each(["evil.test", "localhost.evil.test", "127.0.0.1.evil.test", "10.0.0.1", "", "local host", undefined])(
    "may not be %s",
    (host) => {
      expect(admits({}, host)).toBe(false);
    },
  );

  test("is one of those that were named, with any port or with that one", () => {
    const allowedHosts = ["api.test", "other.test:8443"];
    const good = ["api.test", "api.test:1", "API.test", "other.test:8443"];
    const bad = ["other.test", "other.test:1", "localhost", "x.api.test"];
    expect(good.filter((host) => !admits({ allowedHosts }, host))).toEqual([]);
    expect(bad.filter((host) => admits({ allowedHosts }, host))).toEqual([]);
  });
});

describe("a port that need not be written", () => {
  test("is the same as none", () => {
    const allowedHosts = ["api.test:80", "safe.test:443"];
    const good = ["api.test", "api.test:80", "safe.test", "safe.test:443"];
    const bad = ["api.test:81", "safe.test:444"];
    expect(good.filter((host) => !admits({ allowedHosts }, host))).toEqual([]);
    expect(bad.filter((host) => admits({ allowedHosts }, host))).toEqual([]);
  });

  test("follows from the scheme of an origin", () => {
    const options = { allowedOrigins: ["https://app.test:443/", "tool.test:80"] };
    const good = ["https://app.test", "http://tool.test"];
    const bad = ["http://app.test", "https://tool.test", "http://tool.test:81"];
    expect(good.filter((origin) => !admits(options, "localhost", origin))).toEqual([]);
    expect(bad.filter((origin) => admits(options, "localhost", origin))).toEqual([]);
  });
});

describe("the Origin header", () => {
  test("need not be there", () => {
    expect(admits({}, "localhost")).toBe(true);
  });

  test("follows the rules of the host", () => {
    expect(admits({}, "localhost", "http://localhost:5173")).toBe(true);
    expect(admits({ allowedHosts: ["api.test"] }, "api.test", "https://api.test")).toBe(true);
    for (const origin of ["https://evil.test", "null", "file://", "http://localhost.evil.test"])
      expect(admits({}, "localhost", origin)).toBe(false);
  });

  test("is one of those that were named", () => {
    const options = { allowedOrigins: ["https://app.test", "tool.test"] };
    const good = ["https://app.test", "http://tool.test:99"];
    const bad = ["http://app.test", "https://app.test:99", "http://localhost"];
    expect(good.filter((origin) => !admits(options, "localhost", origin))).toEqual([]);
    expect(bad.filter((origin) => admits(options, "localhost", origin))).toEqual([]);
  });

  test("may be any where any is allowed, also that of a page that has none", () => {
    const origins = ["https://evil.test", "null", "file://", "chrome-extension://abc", "nonsense"];
    expect(origins.filter((origin) => !admits({ allowedOrigins: "*" }, "localhost", origin))).toEqual([]);
    expect(admits({ allowedOrigins: "*" }, "evil.test")).toBe(false);
  });

  test("is that of one extension of a browser and not of all", () => {
    const options = { allowedOrigins: ["chrome-extension://abc"] };
    expect(admits(options, "localhost", "chrome-extension://abc")).toBe(true);
    for (const origin of ["chrome-extension://evil", "moz-extension://abc", "null", "file://abc"])
      expect(admits(options, "localhost", origin)).toBe(false);
  });
});
