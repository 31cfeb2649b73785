import { describe, expect, test } from "vitest";
import { bodyKindOf, definiteType, isInRange, isStreamType } from "./body-kind.js";
import { chooseMediaType } from "./choose-media-type.js";

describe("the kind of a body", () => {
  test.each([
    ["application/json", "json"],
    ["Application/JSON; charset=utf-8", "json"],
    ["application/vnd.github+json", "json"],
    ["application/problem+json", "json"],
    ["*/*", "json"],
    ["*", "json"],
    ["multipart/form-data", "multipart"],
    ["multipart/mixed; boundary=x", "multipart"],
    ["application/x-www-form-urlencoded", "form"],
    ["text/plain", "text"],
    ["application/xml", "text"],
    ["application/soap+xml", "text"],
    ["application/x-ndjson", "text"],
    ["application/octet-stream", "binary"],
    ["image/png", "binary"],
    ["image/*", "binary"],
    ["", "binary"],
  ])("%s is %s", (mediaType, kind) => {
    expect(bodyKindOf(mediaType)).toBe(kind);
  });

  test("a range is sent as one of its types", () => {
    expect(["*/*", "text/*", "image/*", "multipart/*", "image/png"].map(definiteType)).toEqual([
      "application/json",
      "text/plain",
      "application/octet-stream",
      "multipart/form-data",
      "image/png",
    ]);
  });

  test("a type fits a range", () => {
    expect(isInRange("text/html; charset=utf-8", "text/*")).toBe(true);
    expect(isInRange("text/html", "*/*")).toBe(true);
    expect(isInRange("TEXT/html", "text/HTML")).toBe(true);
    expect(isInRange("text/html", "application/*")).toBe(false);
    expect(isInRange("nonsense", "other nonsense")).toBe(false);
  });

  test("streams are known by their type", () => {
    const streams = ["text/event-stream", "application/jsonl", "application/x-ndjson", "application/ndjson"];
    expect([...streams, "application/json-seq", "application/jsonlines"].every(isStreamType)).toBe(true);
    expect(["application/json", "text/plain", "*/*"].some(isStreamType)).toBe(false);
  });
});

describe("the type that is sent", () => {
  test.each([
    [["application/xml", "application/json", "multipart/form-data"], "application/json"],
    [["*/*", "application/merge-patch+json", "application/json-patch+json"], "application/merge-patch+json"],
    [["application/x-www-form-urlencoded", "multipart/form-data"], "multipart/form-data"],
    [["multipart/mixed", "multipart/form-data"], "multipart/form-data"],
    [["image/png", "application/xml", "application/x-www-form-urlencoded"], "application/x-www-form-urlencoded"],
    [["image/png", "application/xml"], "application/xml"],
    [["image/png", "image/gif"], "image/png"],
    [["image/png", "*/*"], "*/*"],
    [[], undefined],
  ])("of %j is %s", (types, chosen) => {
    expect(chooseMediaType(types)).toBe(chosen);
  });
});
