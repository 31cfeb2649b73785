import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareVersions, isBumped, type VersionPart, versionDue } from "./version-bump.js";

describe("the version that is due", () => {
  test.each<[from: string, part: VersionPart, due: string]>([
    ["1.0.0", "major", "2.0.0"],
    ["1.0.0", "minor", "1.1.0"],
    ["1.0.0", "patch", "1.0.1"],
    ["1.2.3", "major", "2.0.0"],
    ["1.2.3", "minor", "1.3.0"],
    ["1.2.3+build.7", "patch", "1.2.4"],
    ["0.3.1", "major", "0.4.0"],
    ["0.3.1", "minor", "0.3.2"],
    ["0.3.1", "patch", "0.3.2"],
    ["2.0.0-beta.1", "major", "2.0.0-beta.2"],
    ["2.0.0-beta", "minor", "2.0.0-beta.1"],
    ["1.1.0-rc.9", "minor", "1.1.0-rc.10"],
    ["1.1.0-rc.9", "major", "2.0.0"],
    ["1.1.1-rc.9", "minor", "1.2.0"],
    ["0.4.0-beta.1", "major", "0.4.0-beta.2"],
    ["0.4.1-beta.1", "major", "0.5.0"],
    ["9007199254740993.0.0", "major", "9007199254740994.0.0"],
  ])("after %s with %s is %s", (from, part, due) => {
    expect(versionDue(from, part)).toBe(due);
  });

  test("is enough, whatever it was before", () => {
    const number = fc.nat({ max: 3 });
    const preRelease = fc.constantFrom("", "-alpha", "-beta.1", "-0", "-rc.1.x");
    const version = fc.tuple(number, number, number, preRelease).map(([a, b, c, pre]) => `${a}.${b}.${c}${pre}`);
    fc.assert(
      fc.property(version, fc.constantFrom<VersionPart>("major", "minor", "patch"), (from, part) => {
        expect(isBumped(from, versionDue(from, part), part)).toBe(true);
        expect(isBumped(from, from, part)).toBe(false);
        expect(isBumped(versionDue(from, part), from, part)).toBe(false);
      }),
    );
  });
});

describe("a version", () => {
  test.each<[from: string, to: string, part: VersionPart]>([
    ["1.0.0", "1.1.0", "minor"],
    ["1.0.0", "1.4.2", "minor"],
    ["1.0.0", "2.0.0", "patch"],
    ["1.0.0", "1.1.0-beta.1", "minor"],
    ["0.3.1", "0.4.0", "major"],
    ["0.3.1", "1.0.0", "major"],
    ["2.0.0-beta.1", "2.0.0", "major"],
  ])("that goes from %s to %s is enough for %s", (from, to, part) => {
    expect(isBumped(from, to, part)).toBe(true);
  });

  test.each<[from: string, to: string, part: VersionPart]>([
    ["1.0.0", "1.0.0", "patch"],
    ["1.0.0", "1.0.0+other", "patch"],
    ["1.0.0", "1.0.1", "minor"],
    ["1.0.0", "1.9.9", "major"],
    ["2.0.0", "1.9.0", "minor"],
    ["1.0.0", "1.0.0-beta.1", "patch"],
    ["0.3.1", "0.3.2", "major"],
    ["2.0.0-beta.2", "2.0.0-beta.1", "patch"],
  ])("that goes from %s to %s is not enough for %s", (from, to, part) => {
    expect(isBumped(from, to, part)).toBe(false);
  });

  test("has its place in the order of the specification", () => {
    const inOrder = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11"];
    const all = [...inOrder, "1.0.0-rc.1", "1.0.0", "1.0.10", "1.2.0", "2.0.0"];
    expect([...all].reverse().sort(compareVersions)).toEqual(all);
  });

  test("is nothing else", () => {
    expect(() => versionDue("1.0", "minor")).toThrow(RangeError);
  });
});
