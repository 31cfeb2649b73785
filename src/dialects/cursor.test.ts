import { describe, expect, test } from "vitest";
import { isCallError } from "../envelope/call-error.js";
import { createRequestId } from "../envelope/request-id.js";
import { decodeCursor, encodeCursor } from "./cursor.js";

function codeOf(run: () => unknown): unknown {
  try {
    run();
  } catch (thrown) {
    return isCallError(thrown) ? [thrown.category, thrown.code] : thrown;
  }
  return "nothing thrown";
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

describe("a cursor", () => {
  test("is url-safe base64 of compact JSON with version 1", () => {
    const cursor = encodeCursor({ offset: 100, after: "ÿ>?~ÿÿ?" });
    expect(cursor).toMatch(/^[\w-]+=*$/);
    const json = Buffer.from(cursor, "base64url").toString("utf8");
    expect(JSON.parse(json)).toEqual({ offset: 100, after: "ÿ>?~ÿÿ?", version: 1 });
    expect(json).not.toMatch(/[\s]/);
  });

  test.each([{}, { offset: 0 }, { after: "東京" }, { a: [null, { b: "" }] }])("comes back as %j", (position) => {
    expect(decodeCursor(encodeCursor(position))).toEqual(position);
  });

  test("is read with or without padding", () => {
    const padded = encodeCursor({ offset: 1 });
    expect(decodeCursor(padded.replace(/=+$/, ""))).toEqual({ offset: 1 });
  });

  test("cannot be given another version", () => {
    expect(codeOf(() => encodeCursor({ version: 9, offset: 1 }))).toEqual(["validation", "INVALID_CURSOR"]);
  });

  test.each([
    ["of another version", base64url({ offset: 1, version: 2 })],
    ["without a version, as in the specification's example", "eyJvZmZzZXQiOjEwMH0="],
    ["that is no object", base64url([1])],
    ["that is no JSON", Buffer.from("offset=1").toString("base64url")],
    ["that is no base64", "%%%"],
    ["that is empty", ""],
    ["with a letter from outside the alphabet", `ť${base64url({ offset: 1, version: 1 }).slice(1)}`],
  ])("%s is refused as a validation error", (_, cursor) => {
    expect(codeOf(() => decodeCursor(cursor))).toEqual(["validation", "INVALID_CURSOR"]);
  });
});

describe("a request id", () => {
  test("is req_ and twelve hexadecimal digits", () => {
    expect(createRequestId()).toMatch(/^req_[0-9a-f]{12}$/);
  });

  test("is another one each time", () => {
    expect(new Set(Array.from({ length: 100 }, createRequestId)).size).toBe(100);
  });
});
