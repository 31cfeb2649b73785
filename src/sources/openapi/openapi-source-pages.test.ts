import { describe, expect, test } from "vitest";
import { client } from "../../registry/client.js";
import { type Arrived, failureOf, httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, type Mounted, mounted, query, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

type Page = { readonly body: unknown; readonly headers?: object };

/** An operation `list` that takes a cursor in `field`, and what it was asked. */
async function api(
  field: string,
  pages: (cursor: string | null, origin: string) => Page,
  schema: object = { type: "string" },
): Promise<Mounted & { readonly arrived: readonly Arrived[] }> {
  const server = await httpServer(({ path, headers: { host } }, response) => {
    const { body, headers } = pages(new URL(path, "http://a").searchParams.get(field), `http://${host}`);
    sendJson(response, body, 200, headers);
  });
  const operation = { operationId: "list", parameters: [query("state"), query(field, schema)] };
  const document = documentWith({ "GET /items": operation });
  return { ...(await mounted({ document, baseUrl: server.url })), arrived: server.arrived };
}

async function itemsOf({ registry }: Mounted, cursorField: string): Promise<unknown[]> {
  const found: unknown[] = [];
  const { list } = client(registry)["api"] ?? {};
  if (list === undefined) throw new Error("no such operation");
  for await (const { data } of list.pages({ state: "open" }, { cursorField, maxPages: 10 })) found.push(data);
  return found;
}

describe("pages are followed to the last", () => {
  test("by a `Link` header", async () => {
    const listed = await api("page", (page, origin) => {
      const at = Number(page ?? 1);
      const next = `<${origin}/items?state=open&page=${at + 1}>; rel="next", `;
      return { body: [at], headers: { link: `${at < 3 ? next : ""}<${origin}/items?page=1>; rel="first"` } };
    });
    expect(await itemsOf(listed, "page")).toEqual([[1], [2], [3]]);
    expect(listed.arrived.map(({ path }) => path)).toEqual([
      "/items?state=open",
      "/items?state=open&page=2",
      "/items?state=open&page=3",
    ]);
  });

  test("by a cursor in the body", async () => {
    const listed = await api("cursor", (cursor) => {
      const next = { a: "b", b: null }[cursor ?? ""] ?? (cursor === null ? "a" : null);
      return { body: { items: [cursor], next_cursor: next } };
    });
    expect(await itemsOf(listed, "cursor")).toMatchObject([{ items: [null] }, { items: ["a"] }, { items: ["b"] }]);
  });

  test("by the last item, as Stripe wants it", async () => {
    const listed = await api("starting_after", (cursor) => ({
      body: { object: "list", data: [{ id: cursor === null ? "x1" : "x2" }], has_more: cursor === null },
    }));
    expect(await itemsOf(listed, "starting_after")).toMatchObject([{ data: [{ id: "x1" }] }, { data: [{ id: "x2" }] }]);
  });

  test("by an offset", async () => {
    const page = (offset: string | null): Page => ({
      body: { items: [Number(offset ?? 0)], offset: Number(offset ?? 0), limit: 10, total: 25 },
    });
    const listed = await api("offset", page, { type: "integer" });
    expect(await itemsOf(listed, "offset")).toMatchObject([{ items: [0] }, { items: [10] }, { items: [20] }]);
  });
});

test("a cursor that comes again ends the pages with a failure", async () => {
  const listed = await api("cursor", () => ({ body: { items: [], next_cursor: "same" } }));
  expect(await failureOf(itemsOf(listed, "cursor"))).toMatchObject({ code: "CURSOR_LOOP" });
  expect(listed.arrived).toHaveLength(2);
});

test("an answer that is no page has none", async () => {
  const { call } = await api("cursor", () => ({ body: { page: "home", total: 3, next: "left" } }));
  expect((await call("list")).meta.pagination).toBeUndefined();
});
