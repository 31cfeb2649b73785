import type { Pagination } from "../../../envelope/hints.js";
import { compact, isRecord, isString, type JsonRecord } from "../../../json/value.js";
import { cursorFromAddress } from "./next-address.js";
import { countOf, flagOf, isCount, recordsIn } from "./own-fields.js";
import { pageFromNumbers } from "./page-numbers.js";

/** What was asked for. */
export interface Asked {
  readonly input: Readonly<Record<string, unknown>>;
  readonly query: string;
}

/** A way to tell of pages; `undefined` where a body does not have it. */
type Convention = (body: JsonRecord, asked: Asked) => Pagination | undefined;

/** The page that a body says it is, by the first convention that it follows. */
export function pageFromBody(body: JsonRecord, asked: Asked): Pagination | undefined {
  for (const convention of CONVENTIONS) {
    const page = convention(body, asked);
    if (page !== undefined) return page;
  }
  return undefined;
}

/** How many there are in all, by a name that means this beside a page. */
export function totalBeside(body: JsonRecord): number | undefined {
  const places = [body, ...recordsIn(body, ["meta", "pagination", "paging", "page", "pageInfo", "page_info"])];
  return places.map((place) => countOf(place, TOTALS)).find((total) => total !== undefined);
}

const TOTALS = ["total_count", "totalCount", "total", "total_results", "totalResults", "@odata.count"];

/** A list of Kubernetes: the last page has an empty `continue`, or none. */
function kubernetes({ kind, apiVersion, metadata, items }: JsonRecord, { input }: Asked): Pagination | undefined {
  if (!isString(kind) || !kind.endsWith("List") || !isString(apiVersion) || !isRecord(metadata)) return undefined;
  const { continue: next, remainingItemCount: remaining } = metadata;
  const isFirst = !Object.hasOwn(input, "continue");
  const total = isFirst && isCount(remaining) && Array.isArray(items) ? items.length + remaining : undefined;
  if (isString(next) && next !== "") return compact({ cursor: next, hasMore: true, totalCount: total });
  return { cursor: null, hasMore: false };
}

const NEXT_NAMES = [
  ...[
    "next_cursor_str",
    "next_cursor",
    "nextCursor",
    "next_page_token",
    "nextPageToken",
    "next_token",
    "nextToken",
    "NextToken",
  ],
  ...["next_page_cursor", "nextPageCursor", "continuation_token", "continuationToken", "ContinuationToken"],
];

const CONTAINERS = ["response_metadata", "meta", "pagination", "paging", "page_info", "pageInfo", "metadata"];

/** A token for the next page, by its name, in the body or where bodies tell of themselves. */
function namedCursor(body: JsonRecord, { input }: Asked): Pagination | undefined {
  for (const place of [body, ...recordsIn(body, CONTAINERS)]) {
    const name = NEXT_NAMES.find((candidate) => Object.hasOwn(place, candidate));
    const cursor = name === undefined ? undefined : tokenOf(place[name], name);
    if (cursor !== undefined) return { cursor, hasMore: flagOf(place, HAS_MORE) ?? cursor !== null };
  }
  return wasLast(body, input) ? { cursor: null, hasMore: false } : undefined;
}

const HAS_MORE = ["has_more", "hasMore", "has_next_page", "hasNextPage", "has_next", "hasNext"];

/** `null` where there is no next: nothing, an empty text, or Twitter's zero. */
function tokenOf(value: unknown, name: string): string | null | undefined {
  if (value === null || value === "" || value === 0 || (value === "0" && name === "next_cursor_str")) return null;
  if (isString(value)) return value;
  return isCount(value) ? String(value) : undefined;
}

/** Who asked with a token and is given no other has the last page; who asked without may have all there is. */
function wasLast(body: JsonRecord, input: Asked["input"]): boolean {
  const isSure = ["pageToken", "page_token", "nextToken", "NextToken", "next_token"].some(
    (name) => Object.hasOwn(input, name) && isString(input[name]) && input[name] !== "",
  );
  const { meta } = body;
  const isTwitter = isRecord(meta) && isCount(meta["result_count"]) && isString(meta["previous_token"]);
  return isTwitter || (isSure && Object.values(body).some(Array.isArray));
}

/** Stripe's list, whose next page begins after its last item; of others that say `has_more`, no more is known. */
function hasMoreFlag(body: JsonRecord): Pagination | undefined {
  const hasMore = flagOf(body, ["has_more", "hasMore"]);
  const { object, data, last_id } = body;
  if (hasMore === undefined) return undefined;
  if (object !== "list" || !Array.isArray(data)) return { hasMore };
  if (!hasMore) return { cursor: null, hasMore };
  const last: unknown = data.at(-1);
  const id = isString(last_id) ? last_id : isRecord(last) ? last["id"] : undefined;
  return isString(id) ? { cursor: id, hasMore } : { hasMore };
}

/** Relay's connection. */
function pageInfo(body: JsonRecord): Pagination | undefined {
  for (const info of recordsIn(body, ["pageInfo", "page_info"])) {
    const hasMore = flagOf(info, ["hasNextPage", "has_next_page"]);
    const end = info["endCursor"] ?? info["end_cursor"];
    if (hasMore === undefined) continue;
    if (!hasMore) return { cursor: null, hasMore };
    return isString(end) ? { cursor: end, hasMore } : { hasMore };
  }
  return undefined;
}

/** HubSpot's `paging.next.after`, and Facebook's cursors, which count only where there is a next page. */
function paging({ paging: about }: JsonRecord): Pagination | undefined {
  if (!isRecord(about)) return undefined;
  const { next, cursors } = about;
  if (isRecord(next) && isString(next["after"])) return { cursor: next["after"], hasMore: true };
  if (!isRecord(cursors) || !isString(cursors["after"])) return undefined;
  return isString(next) ? { cursor: cursors["after"], hasMore: true } : { cursor: null, hasMore: false };
}

/** The links of JSON:API and of HAL. */
function links(body: JsonRecord, { query }: Asked): Pagination | undefined {
  for (const place of recordsIn(body, ["links", "_links"])) {
    const next = addressOf(place["next"]);
    if (next !== undefined) return { cursor: cursorFromAddress(next, query), hasMore: true };
    const others = ["first", "last", "prev", "previous"].filter((name) => addressOf(place[name]) !== undefined);
    if (others.length > 0) return { cursor: null, hasMore: false };
  }
  return undefined;
}

function addressOf(link: unknown): string | undefined {
  const address = isRecord(link) ? link["href"] : link;
  return isString(address) && address !== "" ? address : undefined;
}

function nextLink(body: JsonRecord, { query }: Asked): Pagination | undefined {
  const inner = Array.isArray(body["value"]) ? ["@odata.nextLink", "odata.nextLink", "nextLink"] : ["@odata.nextLink"];
  const next = inner.map((name) => body[name]).find((value) => isString(value) && value !== "");
  return isString(next) ? { cursor: cursorFromAddress(next, query), hasMore: true } : undefined;
}

/** `next` is an address, or `null` on the last page, beside `previous` or a list: Django's, Spotify's. */
function nextAddress(body: JsonRecord, { query }: Asked): Pagination | undefined {
  const { next, results, items } = body;
  const isList = Array.isArray(results) || Array.isArray(items);
  if (!Object.hasOwn(body, "next") || !(isList && Object.hasOwn(body, "previous"))) return undefined;
  const about = compact({ totalCount: countOf(body, ["count", "total"]), pageSize: countOf(body, ["limit"]) });
  if (next === null) return { ...about, cursor: null, hasMore: false };
  if (!isString(next) || !/^(https?:\/\/|[/?])/.test(next)) return undefined;
  return { ...about, cursor: cursorFromAddress(next, query), hasMore: true };
}

const CONVENTIONS: readonly Convention[] = [
  kubernetes,
  namedCursor,
  pageInfo,
  hasMoreFlag,
  paging,
  links,
  nextLink,
  nextAddress,
  (body, { query }) => pageFromNumbers(body, query),
];
