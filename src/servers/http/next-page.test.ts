import { describe, expect, test } from "vitest";
import type { Pagination } from "../../envelope/hints.js";
import { specOf } from "../../registry/fixtures/operations.js";
import { nextPageOf } from "./next-page.js";

const CURSOR = { type: "object", properties: { cursor: { type: "string" }, page: { type: "integer" } } };

function next(pagination: Pagination | undefined, url = "/rows", inputSchema: object = CURSOR): string | undefined {
  return nextPageOf(specOf({ inputSchema }), pagination === undefined ? {} : { pagination }, url);
}

describe("the next page", () => {
  test("is the same request with another cursor", () => {
    expect(next({ cursor: "b" })).toBe("/rows?cursor=b");
    expect(next({ cursor: "b", hasMore: true }, "/rows?limit=2&cursor=a&tag=x&tag=y")).toBe(
      "/rows?limit=2&cursor=b&tag=x&tag=y",
    );
  });

  test("keeps what the query says, whatever it is", () => {
    expect(next({ cursor: "b" }, "/rows?q=a?b%26c&d=%20")).toBe("/rows?q=a%3Fb%26c&d=+&cursor=b");
    expect(next({ cursor: "b" }, "/a%2Fb/rows?")).toBe("/a%2Fb/rows?cursor=b");
  });

  test("encodes the cursor", () => {
    expect(next({ cursor: "a&b=c #東" })).toBe("/rows?cursor=a%26b%3Dc+%23%E6%9D%B1");
  });

  test("is found by the name that the input has for its cursor", () => {
    for (const name of ["page_token", "pageToken", "after", "next_token"])
      expect(next({ cursor: "b" }, "/rows", { properties: { [name]: {} } })).toBe(`/rows?${name}=b`);
  });

  test("is the page after this one where there is no cursor", () => {
    expect(next({ page: 0, hasMore: true })).toBe("/rows?page=1");
    expect(next({ page: 3, hasMore: true, cursor: null }, "/rows?page=3")).toBe("/rows?page=4");
  });

  test.each<[string, Pagination | undefined, object]>([
    ["nothing says so", undefined, CURSOR],
    ["this is the last", { cursor: "b", hasMore: false }, CURSOR],
    ["the cursor says that this is the last", { cursor: null }, CURSOR],
    ["nobody knows whether there is one", { page: 1 }, CURSOR],
    ["the input has no field for it", { cursor: "b", page: 1, hasMore: true }, { properties: { limit: {} } }],
    ["the input may be anything", { cursor: "b" }, {}],
  ])("is not known where %s", (_, pagination, inputSchema) => {
    expect(next(pagination, "/rows", inputSchema)).toBeUndefined();
  });
});
