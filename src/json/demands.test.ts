import { describe, expect, test } from "vitest";
import { AMOUNT, type Demands, FLAG, FUNCTION, oneOf, unmetDemand } from "./demands.js";

const DEMANDS: Demands = {
  count: AMOUNT,
  isOn: FLAG,
  run: FUNCTION,
  mode: oneOf(["fast", "slow"]),
  token: { what: "a text", isMet: (value) => typeof value === "string", isSecret: true },
};

describe("options", () => {
  test.each([
    {},
    { count: 0 },
    { count: Number.POSITIVE_INFINITY },
    { isOn: false },
    { run: () => {}, mode: "slow", token: "" },
    { count: undefined, token: undefined },
  ])("%o are what they must be", (options) => {
    expect(unmetDemand(options, DEMANDS)).toBeUndefined();
  });

  test.each<[object, string]>([
    [{ count: -1 }, "`count` must be a number from 0, not -1"],
    [{ count: Number.NaN }, "`count` must be a number from 0, not NaN"],
    [{ count: "1" }, '`count` must be a number from 0, not "1"'],
    [{ count: null }, "`count` must be a number from 0, not null"],
    [{ isOn: 0 }, "`isOn` must be true or false, not 0"],
    [{ run: {} }, "`run` must be a function, not an object"],
    [{ mode: "toString" }, '`mode` must be fast or slow, not "toString"'],
    [{ speed: 1 }, "there is no option `speed`; there are count, isOn, run, mode, token"],
    [{ speed: undefined }, "there is no option `speed`; there are count, isOn, run, mode, token"],
    [{ constructor: 1 }, "there is no option `constructor`; there are count, isOn, run, mode, token"],
  ])("%o are not: %s", (options, problem) => {
    expect(unmetDemand({ ...options }, DEMANDS)).toBe(problem);
  });

  test("that are secret are not shown", () => {
    expect(unmetDemand({ token: 123_456 }, DEMANDS)).toBe("`token` must be a text");
  });
});
