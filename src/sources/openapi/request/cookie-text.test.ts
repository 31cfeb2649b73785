import { describe, expect, test } from "vitest";
import { cookieTextOf } from "./cookie-text.js";
import { parameterOf } from "./fixtures/plans.js";
import { Refusal } from "./refusal.js";

const cookie = parameterOf({ in: "cookie", name: "greeting" });

describe("a cookie", () => {
  test("is encoded as the specification does", () => {
    expect(cookieTextOf(cookie, "Hello, world!")).toBe("greeting=Hello%2C%20world%21");
    expect(cookieTextOf(cookie, "a; admin=1\r\n")).toBe("greeting=a%3B%20admin%3D1%0D%0A");
  });

  test("keeps its name where it may have it", () => {
    expect(cookieTextOf({ ...cookie, name: "__Host-a$" }, 1)).toBe("__Host-a$=1");
    expect(cookieTextOf(cookie, { "a;b": 1 })).toBe("a%3Bb=1");
  });
});

describe("a cookie that is not to be encoded", () => {
  const raw = { ...cookie, allowReserved: true };

  test("is as it is", () => {
    expect(cookieTextOf(raw, { greeting: "Hello%2C world!", code: 42 })).toBe("greeting=Hello%2C world!; code=42");
  });

  test("is bytes where it is not ASCII", () => {
    expect(Buffer.from(cookieTextOf(raw, "ü"), "latin1").toString()).toBe("greeting=ü");
  });

  test.each(["a; admin=1", "a\nb"])("cannot be %j, which would end it", (text) => {
    expect(() => cookieTextOf(raw, text)).toThrow(Refusal);
    expect(() => cookieTextOf(raw, [text])).toThrow(Refusal);
  });
});
