import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isHint } from "../../../envelope/hints.js";
import { type PaginationParts, paginationFrom } from "./pagination.js";

function pageOf(parts: Partial<PaginationParts>): unknown {
  return paginationFrom({ headers: {}, data: undefined, input: {}, query: "", ...parts });
}

const LAST = { cursor: null, hasMore: false };

describe("bodies", () => {
  test.each<[string, unknown, object]>([
    [
      "Slack's cursor",
      { ok: true, channels: [], response_metadata: { next_cursor: "dGVhbTpD" } },
      {
        cursor: "dGVhbTpD",
        hasMore: true,
      },
    ],
    ["Slack's empty cursor", { ok: true, channels: [], response_metadata: { next_cursor: "" } }, LAST],
    ["Google's token", { files: [], nextPageToken: "~!!~AI9" }, { cursor: "~!!~AI9", hasMore: true }],
    ["Google's newer token, at its end", { operations: [], next_page_token: "" }, LAST],
    ["AWS's token", { Items: [], NextToken: "AAA" }, { cursor: "AAA", hasMore: true }],
    [
      "Notion's",
      { object: "list", results: [], next_cursor: "33e1", has_more: true },
      { cursor: "33e1", hasMore: true },
    ],
    ["Notion's on the last page", { object: "list", results: [], next_cursor: null, has_more: false }, LAST],
    ["MCP's own word", { tools: [], nextCursor: "b" }, { cursor: "b", hasMore: true }],
    ["Twitter's", { data: [], meta: { result_count: 10, next_token: "7140w" } }, { cursor: "7140w", hasMore: true }],
    ["Twitter's last", { data: [], meta: { result_count: 3, previous_token: "77qp8" } }, LAST],
    ["Twitter's old zero", { ids: [], next_cursor: 0, next_cursor_str: "0" }, LAST],
    [
      "Twitter's old number",
      { ids: [], next_cursor: 2 ** 60, next_cursor_str: "1374004777531007833" },
      {
        cursor: "1374004777531007833",
        hasMore: true,
      },
    ],
    [
      "Stripe's list",
      { object: "list", url: "/v1/customers", has_more: true, data: [{ id: "cus_1" }, { id: "cus_2" }] },
      { cursor: "cus_2", hasMore: true },
    ],
    ["Stripe's last list", { object: "list", has_more: false, data: [{ id: "cus_3" }] }, LAST],
    [
      "OpenAI's list",
      { object: "list", data: [{ id: "a" }, { id: "b" }], first_id: "a", last_id: "b", has_more: true },
      { cursor: "b", hasMore: true },
    ],
    ["a list whose items have no id", { object: "list", has_more: true, data: [1] }, { hasMore: true }],
    ["has_more alone", { items: [], has_more: true }, { hasMore: true }],
    [
      "HubSpot's",
      { results: [], paging: { next: { after: "NTI1", link: "https://api.hubapi.com/x" } } },
      {
        cursor: "NTI1",
        hasMore: true,
      },
    ],
    [
      "Facebook's",
      { data: [], paging: { cursors: { before: "a", after: "b" }, next: "https://graph.example.com/?after=b" } },
      { cursor: "b", hasMore: true },
    ],
    ["Facebook's last", { data: [], paging: { cursors: { before: "a", after: "b" } } }, LAST],
    ["Relay's", { nodes: [], pageInfo: { hasNextPage: true, endCursor: "Y3" } }, { cursor: "Y3", hasMore: true }],
    ["Relay's last", { nodes: [], pageInfo: { hasNextPage: false, endCursor: "Y3" } }, LAST],
    [
      "JSON:API's links",
      {
        data: [],
        links: { self: "/a?page[number]=3", next: "/a?page[number]=4", last: "/a?page[number]=13" },
        meta: { total: 130 },
      },
      { cursor: "4", hasMore: true, totalCount: 130 },
    ],
    ["JSON:API's last links", { data: [], links: { self: "/a", prev: "/a?page=1", next: null } }, LAST],
    [
      "HAL's links",
      { _embedded: {}, _links: { self: { href: "/o" }, next: { href: "/o?cursor=abc" } } },
      { cursor: "abc", hasMore: true },
    ],
    ["HAL's last links", { _links: { self: { href: "/o?page=2" }, prev: { href: "/o?page=1" } } }, LAST],
    [
      "OData's",
      {
        "@odata.context": "x",
        "@odata.count": 81,
        value: [],
        "@odata.nextLink": "https://o.example/Users?$skiptoken=Rx",
      },
      { cursor: "Rx", hasMore: true, totalCount: 81 },
    ],
    [
      "Azure's",
      { value: [], nextLink: "https://m.example/subs?api-version=1&$skiptoken=e0" },
      {
        cursor: "e0",
        hasMore: true,
      },
    ],
    [
      "Spotify's",
      {
        href: "x",
        items: [],
        limit: 20,
        next: "https://api.spotify.com/v1/me?offset=20&limit=20",
        offset: 0,
        previous: null,
        total: 57,
      },
      { cursor: "20", hasMore: true, totalCount: 57, pageSize: 20 },
    ],
    [
      "Django's",
      {
        count: 1023,
        next: "https://api.example.org/accounts/?page=5",
        previous: "https://api.example.org/accounts/?page=3",
        results: [],
      },
      { cursor: "5", hasMore: true, totalCount: 1023 },
    ],
    ["Django's last", { count: 2, next: null, previous: null, results: [1, 2] }, { ...LAST, totalCount: 2 }],
    [
      "Spring's",
      { content: [], totalElements: 95, totalPages: 10, last: false, first: true, number: 0, size: 10, empty: false },
      { cursor: "1", hasMore: true, totalCount: 95, pageSize: 10, page: 0 },
    ],
    [
      "Spring's last",
      { content: [], totalElements: 95, totalPages: 10, last: true, number: 9, size: 10 },
      { ...LAST, totalCount: 95, pageSize: 10, page: 9 },
    ],
    [
      "Spring's in an object of its own",
      { content: [], page: { size: 10, number: 9, totalElements: 95, totalPages: 10 } },
      { ...LAST, totalCount: 95, pageSize: 10, page: 9 },
    ],
    [
      "Kubernetes'",
      {
        kind: "PodList",
        apiVersion: "v1",
        metadata: { resourceVersion: "1", continue: "eyJ2", remainingItemCount: 7 },
        items: [1, 2, 3],
      },
      { cursor: "eyJ2", hasMore: true, totalCount: 10 },
    ],
    ["Kubernetes' last", { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] }, LAST],
    [
      "an object about pages",
      { items: [], pagination: { page: 2, per_page: 20, total_pages: 5, total_count: 93 } },
      { cursor: "3", hasMore: true, page: 2, pageSize: 20, totalCount: 93 },
    ],
    [
      "an object about the last page",
      { items: [], pagination: { currentPage: 5, pageSize: 20, totalPages: 5, totalItems: 93 } },
      { ...LAST, page: 5, pageSize: 20, totalCount: 93 },
    ],
    [
      "an object that counts items",
      { data: [], pagination: { offset: 20, limit: 10, total: 31 } },
      {
        cursor: "30",
        hasMore: true,
        pageSize: 10,
        totalCount: 31,
      },
    ],
    [
      "an object with the next page",
      { data: [], meta: { pagination: { page: 1, next_page: 2 } } },
      {
        cursor: "2",
        hasMore: true,
        page: 1,
      },
    ],
    [
      "Laravel's meta",
      { data: [], meta: { current_page: 1, last_page: 4, per_page: 15, total: 50, path: "x" } },
      { cursor: "2", hasMore: true, page: 1, pageSize: 15, totalCount: 50 },
    ],
    [
      "pages in the body itself",
      { page: 1, results: [], total_pages: 500, total_results: 9999 },
      {
        cursor: "2",
        hasMore: true,
        page: 1,
        totalCount: 9999,
      },
    ],
  ])("tell by %s", (_, data, expected) => {
    expect(pageOf({ data })).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ["a list", [1, 2]],
    ["a text", "next_cursor"],
    ["nothing", null],
    ["a total alone", { items: [], total: 4, count: 4 }],
    ["a step that is called next", { next: "press the button", previous: "wait", steps: [] }],
    ["a next without a list", { next: "https://a.example/?page=2" }],
    ["a page of a book", { page: 12, title: "Emma" }],
    ["links of one thing", { id: 1, links: { self: "/a/1", html: "/a/1.html" } }],
    ["a number that is not exact", { ids: [], next_cursor: 2 ** 60 }],
    ["wrong types", { next_cursor: {}, has_more: "yes", links: "none", paging: 3, pagination: [], pageInfo: null }],
    ["names of the prototype", JSON.parse('{"__proto__":{"next_cursor":"x"},"links":{"__proto__":{"next":"/a"}}}')],
    ["Google's page, of which it may be the last", { files: [] }],
  ])("say nothing by %s", (_, data) => {
    expect(pageOf({ data })).toBeUndefined();
  });

  test("that give no further token to somebody who came with one are the last", () => {
    expect(pageOf({ data: { files: [] }, input: { pageToken: "b" } })).toEqual(LAST);
    expect(pageOf({ data: { error: "x" }, input: { pageToken: "b" } })).toBeUndefined();
    expect(pageOf({ data: { files: [] }, input: { pageToken: "" } })).toBeUndefined();
  });

  test("tell the total of Kubernetes only on the first page", () => {
    const data = { kind: "PodList", apiVersion: "v1", metadata: { continue: "c", remainingItemCount: 7 }, items: [1] };
    expect(pageOf({ data, input: { continue: "b" } })).toEqual({ cursor: "c", hasMore: true });
  });
});

test("whatever a body is, the hint has the right type", () => {
  const names = fc.constantFrom(
    ...["next_cursor", "has_more", "data", "object", "paging", "pagination", "meta", "links", "_links", "next"],
    ...["previous", "results", "page", "number", "size", "last", "total", "offset", "limit", "kind", "apiVersion"],
    ...["metadata", "continue", "current_page", "last_page", "pageInfo", "cursors", "after", "__proto__"],
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(
        null,
        true,
        false,
        0,
        1,
        -1,
        1.5,
        1e300,
        Number.POSITIVE_INFINITY,
        "",
        "x",
        "/a?page=2",
        "PodList",
      ),
      fc.array(tie("tree"), { maxLength: 2 }),
      fc.dictionary(names, tie("tree"), { maxKeys: 6 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (data) => {
      const page = pageOf({ data });
      expect(page === undefined || isHint("pagination", page)).toBe(true);
    }),
  );
});
