import { describe, expect, test } from "vitest";
import { settingsOf } from "./options.js";

describe("settingsOf", () => {
  test("fills in what is left out", () => {
    const settings = settingsOf({ name: "mine", module: "./math.ts", namespace: undefined });
    expect(settings).toEqual({
      name: "mine",
      module: "./math.ts",
      cwd: process.cwd(),
      watch: false,
      startTimeout: 60_000,
    });
  });

  test("keeps a time within what timers can count", () => {
    expect(settingsOf({ name: "mine", module: "x", startTimeout: Number.POSITIVE_INFINITY }).startTimeout).toBe(
      2 ** 31 - 1,
    );
  });

  test.each([
    [undefined],
    [{ module: "./math.ts" }],
    [{ name: "mine" }],
    [{ name: "a b", module: "./math.ts" }],
    [{ name: "mine", module: "" }],
    [{ name: "mine", module: new URL("https://example.org/math.js") }],
    [{ name: "mine", module: "./math.ts", namespace: "a.b" }],
    [{ name: "mine", module: "./math.ts", watch: "yes" }],
    [{ name: "mine", module: "./math.ts", onReload: true }],
    [{ name: "mine", module: "./math.ts", follow: true }],
  ])("refuses %o", (options) => {
    expect(() => settingsOf(options as never)).toThrow(expect.objectContaining({ category: "validation" }));
  });
});
