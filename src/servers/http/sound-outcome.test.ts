import { describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import { HINT_NAMES, isHint } from "../../envelope/hints.js";
import type { Outcome } from "../../envelope/outcome.js";
import { HINT_VALUES } from "./fixtures/odd-hints.js";
import { soundOutcome } from "./sound-outcome.js";

describe("an outcome that was put together by hand", () => {
  test("keeps what is sound", () => {
    const outcome: Outcome = {
      ok: true,
      data: { a: 1 },
      meta: {
        source: "local",
        operationId: "a.b",
        timestamp: 1,
        summary: "one",
        warnings: [{ code: "A", message: "b" }],
      },
    };
    expect(soundOutcome(outcome)).toEqual(outcome);
  });

  test("loses hints that are none, and says which", () => {
    for (const name of HINT_NAMES)
      for (const value of HINT_VALUES.filter((one) => !isHint(name, one))) {
        const { meta } = soundOutcome({ ok: true, data: 1, meta: { [name]: value } as object });
        expect(Object.keys(meta)).toEqual(["warnings"]);
        expect(meta.warnings).toEqual([{ code: "NONCONFORMING", message: expect.stringContaining(name) }]);
      }
  });

  test("has data that can be printed", () => {
    const loop: Record<string, unknown> = { big: 1n };
    loop["self"] = loop;
    expect(soundOutcome({ ok: true, data: loop, meta: {} })).toMatchObject({ data: { big: "1", self: "[circular]" } });
    expect(soundOutcome({ ok: true, data: undefined, meta: {} })).toEqual({ ok: true, data: null, meta: {} });
    expect(soundOutcome({ ok: true, data: 0, meta: null as never })).toEqual({ ok: true, data: 0, meta: {} });
  });

  test("has an error that is one", () => {
    const error = new CallError({ category: "conflict", message: "taken", details: { a: 1n } });
    expect(soundOutcome({ ok: false, error, meta: {} })).toMatchObject({
      error: { category: "conflict", code: "CONFLICT", message: "taken", recoverable: false, details: { a: "1" } },
    });
    for (const broken of [null, {}, 5, { category: 5, message: {}, issues: "x", retryAfterMs: -1 }]) {
      const { error: mended } = soundOutcome({ ok: false, error: broken as never, meta: {} }) as { error: unknown };
      expect(mended).toMatchObject({ category: "internal", message: expect.any(String) });
      expect(mended).not.toHaveProperty("issues");
    }
  });
});
