import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instantFromIso, instantToIso, isSameInstant } from "./instant.js";

const HALF_PAST_SIX = Date.UTC(2025, 5, 17, 18, 30);

describe("instantFromIso", () => {
  test.each([
    ["2025-06-17T18:30:00Z", 0],
    ["2025-06-17T18:30Z", 0],
    ["2025-06-17T18:30:00.000Z", 0],
    ["2025-06-17T18:30:00.5Z", 500],
    ["2025-06-17T18:30:00.25Z", 250],
    ["2025-06-17T18:30:00.123Z", 123],
    ["2025-06-17T18:30:00.123456Z", 123],
    ["2025-06-17T18:30:00.123999999Z", 123],
    ["2025-06-17T20:30:00+02:00", 0],
    ["2025-06-17T20:30:00+0200", 0],
    ["2025-06-17T13:00:00-05:30", 0],
    ["2025-06-17T18:30:00+00:00", 0],
    ["2025-06-18T00:15:00.001+05:45", 1],
  ])("reads %s", (text, milliseconds) => {
    expect(instantFromIso(text)).toBe(HALF_PAST_SIX + milliseconds);
  });

  test.each([
    ["a comma before the fraction", "2025-06-17T18:30:00,5Z", 500],
    ["an offset of hours alone", "2025-06-17T20:30:00+02", 0],
  ])("reads %s, which ISO 8601 allows", (_, text, milliseconds) => {
    expect(instantFromIso(text)).toBe(HALF_PAST_SIX + milliseconds);
  });

  test("does not take a fraction of a minute for one of a second", () => {
    expect([undefined, HALF_PAST_SIX + 30_000]).toContain(instantFromIso("2025-06-17T18:30.5Z"));
  });

  test("reads the end of a day, a leap day and years far away", () => {
    expect(instantFromIso("2025-06-17T24:00:00Z")).toBe(Date.UTC(2025, 5, 18));
    expect(instantFromIso("2024-02-29T00:00:00Z")).toBe(Date.UTC(2024, 1, 29));
    expect(instantFromIso("9999-12-31T23:59:59.999Z")).toBe(253_402_300_799_999);
    expect(instantFromIso("1969-12-31T23:59:59Z")).toBe(-1000);
  });

  test.each([
    "",
    "now",
    "2025",
    "2025-06-17",
    "18:30:00Z",
    "20250617T183000Z",
    "2025-06-17 18:30:00Z",
    " 2025-06-17T18:30:00Z",
    "2025-06-17T18:30:00Z\n",
    "2025-06-17T18:30:00.Z",
    "2025-06-17T18Z",
    "17 June 2025 18:30 UTC",
    "1750185000000",
  ])("does not take %j for an instant", (text) => {
    expect(instantFromIso(text)).toBeUndefined();
  });

  test.each([
    "2025-13-01T00:00:00Z",
    "2025-00-01T00:00:00Z",
    "2025-06-00T00:00:00Z",
    "2025-06-32T00:00:00Z",
    "2025-06-31T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2025-02-30T18:30:00Z",
    "2025-06-17T25:00:00Z",
    "2025-06-17T24:00:01Z",
    "2025-06-17T18:60:00Z",
    "2025-06-17T18:30:61Z",
    "2025-06-17T18:30:00+25:00",
    "2025-06-17T18:30:00+02:60",
  ])("does not move %s, which no calendar or clock has, to another moment", (text) => {
    expect(instantFromIso(text)).toBeUndefined();
  });

  test.each([undefined, null, 0, 1_750_185_000_000, true, {}, [], new Date(0), ["2025-06-17T18:30:00Z"]])(
    "does not take %j, which is no text",
    (value) => {
      expect(instantFromIso(value)).toBeUndefined();
    },
  );
});

describe("instantToIso", () => {
  test("writes milliseconds and UTC, also of the epoch itself", () => {
    expect(instantToIso(0)).toBe("1970-01-01T00:00:00.000Z");
    expect(instantToIso(HALF_PAST_SIX + 7)).toBe("2025-06-17T18:30:00.007Z");
    expect(instantToIso(-1)).toBe("1969-12-31T23:59:59.999Z");
  });

  test.each([
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    8.64e15 + 1,
    -8.64e15 - 1,
    1e300,
  ])("has no text for %s", (instant) => {
    expect(instantToIso(instant)).toBeUndefined();
  });

  test("is read back as the same instant", () => {
    const years = { min: Date.parse("0000-01-01T00:00:00Z"), max: Date.parse("9999-12-31T23:59:59.999Z") };
    fc.assert(fc.property(fc.integer(years), (instant) => instantFromIso(instantToIso(instant)) === instant));
  });

  test("is read back as the same instant on the leap day of year zero", () => {
    const instant = Date.parse("0000-02-29T12:00:00Z");
    expect(instantFromIso(instantToIso(instant))).toBe(instant);
  });

  test.each([253_402_300_800_000, -62_198_755_200_000, 8.64e15, -8.64e15])(
    "has no text for %d, whose year does not have four digits",
    (instant) => {
      expect(instantToIso(instant)).toBeUndefined();
    },
  );
});

describe("isSameInstant", () => {
  test.each([
    ["2025-06-17T18:30:00Z", "2025-06-17T18:30:00.000Z"],
    ["2025-06-17T18:30Z", "2025-06-17T18:30:00Z"],
    ["2025-06-17T20:30:00+02:00", "2025-06-17T18:30:00Z"],
    ["2025-06-17T18:30:00.120Z", "2025-06-17T18:30:00.12Z"],
    ["2025-06-17T18:30:00.123000Z", "2025-06-17T18:30:00.123Z"],
    ["2025-06-17T18:30:00.123456Z", "2025-06-17T18:30:00.123456Z"],
  ])("finds %s and %s the same", (a, b) => {
    expect(isSameInstant(a, b)).toBe(true);
    expect(isSameInstant(b, a)).toBe(true);
  });

  test.each([
    ["2025-06-17T18:30:00.123456Z", "2025-06-17T18:30:00.123Z"],
    ["2025-06-17T18:30:00.1230001Z", "2025-06-17T18:30:00.123Z"],
    ["2025-06-17T18:30:00.123456Z", "2025-06-17T18:30:00.123457Z"],
    ["2025-06-17T18:30:00Z", "2025-06-17T18:30:01Z"],
    ["2025-06-17T18:30:00+02:00", "2025-06-17T18:30:00Z"],
    ["now", "now"],
    ["2025-06-17", "2025-06-17"],
    [undefined, undefined],
    [0, 0],
  ])("does not find %s and %s the same", (a, b) => {
    expect(isSameInstant(a, b)).toBe(false);
    expect(isSameInstant(b, a)).toBe(false);
  });
});
