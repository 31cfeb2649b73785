import { describe, expect, test } from "vitest";
import { type PaginationParts, paginationFrom } from "./pagination.js";

function pageOf(parts: Partial<PaginationParts>): unknown {
  return paginationFrom({ headers: {}, data: undefined, input: {}, query: "", ...parts });
}

const LAST = { cursor: null, hasMore: false };

describe("headers", () => {
  const github = "https://api.github.com/repositories/1300192/issues";

  test.each<[string, Record<string, string>, string, object]>([
    [
      "GitHub's Link with a next page",
      { link: `<${github}?page=2>; rel="next", <${github}?page=7>; rel="last"` },
      "",
      { cursor: "2", hasMore: true },
    ],
    [
      "GitHub's Link on the last page",
      { link: `<${github}?page=6>; rel="prev", <${github}?page=1>; rel="first"` },
      "page=7",
      LAST,
    ],
    [
      "GitHub's Link by cursor",
      { link: `<${github}?per_page=30&after=Y3Vy>; rel="next"` },
      "per_page=30",
      { cursor: "Y3Vy", hasMore: true },
    ],
    [
      "a Link to an address that says no more",
      { link: '<https://a.example/p/2>; rel="next"' },
      "",
      {
        cursor: "https://a.example/p/2",
        hasMore: true,
      },
    ],
    [
      "GitLab's",
      {
        "x-next-page": "3",
        "x-page": "2",
        "x-per-page": "20",
        "x-prev-page": "1",
        "x-total": "93",
        "x-total-pages": "5",
      },
      "page=2",
      { cursor: "3", hasMore: true, page: 2, pageSize: 20, totalCount: 93 },
    ],
    [
      "GitLab's on the last page",
      { "x-next-page": "", "x-page": "5", "x-per-page": "20", "x-total": "93", "x-total-pages": "5" },
      "page=5",
      { ...LAST, page: 5, pageSize: 20, totalCount: 93 },
    ],
    ["a number of pages", { "x-page": "2", "x-total-pages": "5" }, "", { page: 2, hasMore: true }],
    ["a total", { "x-total-count": "120" }, "", { totalCount: 120 }],
    ["a range of items", { "content-range": "items 0-9/100" }, "", { totalCount: 100, hasMore: true }],
    ["the last range of items", { "content-range": "posts 90-99/100" }, "", { totalCount: 100, hasMore: false }],
    ["PostgREST's range", { "content-range": "0-24/3573" }, "", { totalCount: 3573, hasMore: true }],
    ["an empty range", { "content-range": "*/0" }, "", { totalCount: 0 }],
  ])("tell by %s", (_, headers, query, expected) => {
    expect(pageOf({ headers, query })).toEqual(expected);
  });

  test.each<[string, Record<string, string>]>([
    ["no header", {}],
    ["a Link to something else", { link: '<https://a.example/style.css>; rel="preload"' }],
    ["a range of bytes", { "content-range": "bytes 0-499/1234" }],
    ["a range without an end", { "content-range": "items 0-9/*" }],
    ["garbage", { link: "<<<;;;>>>", "x-total": "-4", "x-total-count": "many", "x-page": "1e9", "x-next-page": "?" }],
  ])("say nothing by %s", (_, headers) => {
    expect(pageOf({ headers })).toBeUndefined();
  });
});

test("headers count before the body, which adds what they leave out", () => {
  const headers = { link: '</search?q=x&page=2>; rel="next"' };
  const data = { total_count: 40, incomplete_results: false, items: [] };
  expect(pageOf({ headers, data, query: "q=x" })).toEqual({ cursor: "2", hasMore: true, totalCount: 40 });
});
