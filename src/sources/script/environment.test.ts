import { afterEach, describe, expect, test, vi } from "vitest";
import { environmentOf, traceVariables } from "./environment.js";

afterEach(() => vi.unstubAllEnvs());

describe("the environment of a program", () => {
  test("has what every program needs, and none of our secrets", () => {
    vi.stubEnv("PLICO_SECRET", "x");
    const env = environmentOf({});
    expect(env["PATH"]).toBe(process.env["PATH"]);
    expect(Object.keys(env)).not.toContain("PLICO_SECRET");
  });

  test("tells which agent it is for", () => {
    vi.stubEnv("CODEX_PROFILE", "mine");
    expect(environmentOf({})).toMatchObject({ CODEX_PROFILE: "mine" });
  });

  test("has what is named, also by its beginning, where it is set", () => {
    vi.stubEnv("PLICO_ONE", "1");
    vi.stubEnv("PLICO_STAR_A", "a");
    vi.stubEnv("PLICO_STAR_B", "");
    const env = environmentOf({ passEnv: ["PLICO_ONE", "PLICO_NONE", "PLICO_STAR_*"] });
    const ours = Object.entries(env).filter(([name]) => name.startsWith("PLICO_"));
    expect(Object.fromEntries(ours)).toEqual({ PLICO_ONE: "1", PLICO_STAR_A: "a", PLICO_STAR_B: "" });
  });

  test("has what is given before all else", () => {
    vi.stubEnv("PLICO_ONE", "1");
    expect(environmentOf({ passEnv: ["PLICO_ONE"], env: { PLICO_ONE: "2", PATH: "/" } })).toMatchObject({
      PLICO_ONE: "2",
      PATH: "/",
    });
  });
});

describe("the trace of a call", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  test("goes on in the variables of its program", () => {
    expect(traceVariables({ traceparent, tracestate: "a=1" })).toEqual({
      TRACEPARENT: traceparent,
      TRACESTATE: "a=1",
    });
  });

  test.each([undefined, {}, { traceparent: "nonsense" }, { tracestate: "a=1" }, { traceparent: 1 }])(
    "is none in %j",
    (metadata) => {
      expect(traceVariables(metadata)).toEqual({});
    },
  );
});
