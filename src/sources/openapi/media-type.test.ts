import { describe, expect, test } from "vitest";
import { mediaTypeOf } from "./media-type.js";

describe("mediaTypeOf", () => {
  test.each([
    ["application/json", "json"],
    ["Application/JSON; charset=utf-8", "json"],
    ["application/vnd.github.v3+json", "json"],
    ["application/problem+json", "json"],
    ["text/json", "json"],
    ["application/json, application/json", "json"],
    ["application/json;stream=watch", "lines"],
    ["application/x-ndjson", "lines"],
    ["application/jsonl", "lines"],
    ["application/stream+json", "lines"],
    ["application/json-seq", "sequence"],
    ["application/geo+json-seq", "sequence"],
    ["text/event-stream; charset=utf-8", "events"],
    ["text/plain", "text"],
    ["text/html", "text"],
    ["application/xml", "text"],
    ["image/svg+xml", "text"],
    ["application/yaml", "text"],
    ["application/x-www-form-urlencoded", "text"],
    ["application/octet-stream", "binary"],
    ["image/png", "binary"],
    ["application/pdf", "binary"],
    ["multipart/mixed; boundary=x", "binary"],
    ["", "unsaid"],
    ["json", "unsaid"],
    ["a/b/c", "unsaid"],
    [";;;", "unsaid"],
  ])("reads %j as %s", (contentType, kind) => {
    expect(mediaTypeOf(contentType).kind).toBe(kind);
  });

  test.each([
    ["text/plain; charset=ISO-8859-1", "iso-8859-1"],
    ['text/plain;Charset="UTF-8"', "utf-8"],
    ["text/plain; format=flowed; charset=utf-16;x=1", "utf-16"],
    ["text/plain; charset=", undefined],
    ["text/plain", undefined],
  ])("finds the character set of %j", (contentType, charset) => {
    expect(mediaTypeOf(contentType).charset).toBe(charset);
  });
});
