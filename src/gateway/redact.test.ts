import { describe, expect, test } from "vitest";
import { createRedactor, REDACTED } from "./redact.js";

describe("a redactor", () => {
  const { text, value } = createRedactor(["abc", "abcdef", 'q"u\\o', "a b/c", "1+1=2?"]);

  test.each([
    ["x abc y abcdef", `x ${REDACTED} y ${REDACTED}`],
    [JSON.stringify({ a: 'q"u\\o' }), `{"a":"${REDACTED}"}`],
    ["https://x/?k=a%20b%2Fc&l=a+b%2Fc", `https://x/?k=${REDACTED}&l=${REDACTED}`],
    ["1+1=2?", REDACTED],
    ["nothing", "nothing"],
  ])("takes secrets out of %s", (given, redacted) => {
    expect(text(given)).toBe(redacted);
  });

  test("takes them out of values of any depth, and out of names", () => {
    expect(value({ a: ["abc", { abc: 1 }], b: 2 })).toEqual({ a: [REDACTED, { [REDACTED]: 1 }], b: 2 });
  });

  test("takes out only what is known to be secret where that is asked for", () => {
    const { known } = createRedactor(["abc"]);
    expect(known({ password: "x", a: ["abc"] })).toEqual({ password: "x", a: [REDACTED] });
    const given = { password: "x", apiKey: 99 };
    expect(known(given)).toBe(given);
  });

  test("takes out what stands under a secret name", () => {
    const given = {
      password: "x",
      PIN: 1,
      apiKey: 99,
      headers: { Authorization: "y", accept: "z" },
      cookies: ["c", 1],
    };
    expect(value(given)).toEqual({
      password: REDACTED,
      PIN: 1,
      apiKey: REDACTED,
      headers: { Authorization: REDACTED, accept: "z" },
      cookies: [REDACTED, 1],
    });
  });

  test.each([
    { nextPageToken: "x", max_tokens: 5, tokens: 7 },
    { properties: { password: { type: "string" } }, required: ["password"] },
    { token: "", secret: null, password: true },
    [1, "two", { three: null }],
    "plain",
    undefined,
  ])("gives back the very same %j", (given) => {
    expect(value(given)).toBe(given);
  });

  test("leaves other objects alone, and ends in the depth", () => {
    const date = new Date(0);
    expect(value({ date })).toEqual({ date });
    const ring: Record<string, unknown> = {};
    ring["ring"] = ring;
    expect(JSON.stringify(value(ring))).toContain(REDACTED);
  });

  test("keeps __proto__ as a field like any other", () => {
    const redacted = value(JSON.parse('{ "__proto__": { "a": "abc" } }')) as object;
    expect(Object.keys(redacted)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(redacted)).toBe(Object.prototype);
  });

  test("without secrets changes no text", () => {
    expect(createRedactor([""]).text("abc")).toBe("abc");
  });
});
