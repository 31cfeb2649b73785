import type { Pagination } from "../../../envelope/hints.js";
import { compact, isRecord, isString, type JsonRecord } from "../../../json/value.js";
import { ownValue } from "../own-value.js";
import { cursorFromAddress } from "./next-address.js";
import { countOf, flagOf, recordsIn } from "./own-fields.js";

/** Pages that are counted, in an object of their own or, under names that mean nothing else, in the body itself. */
export function pageFromNumbers(body: JsonRecord, query: string): Pagination | undefined {
  const spring = fromSpring(body);
  if (spring !== undefined) return spring;
  const meta = recordsIn(body, ["meta"]);
  const own = [...recordsIn(body, ["pagination", "paging"]), ...meta.flatMap((one) => recordsIn(one, ["pagination"]))];
  const counted = [...own, ...meta, ...meta.flatMap((one) => recordsIn(one, ["page"])), body].filter(isCounted);
  const about = counted[0] ?? own[0];
  return about === undefined ? undefined : fromObject(about, query);
}

const PAGE = ["current_page", "currentPage", "page", "page_number", "pageNumber"];
const PAGES = ["total_pages", "totalPages", "last_page", "lastPage", "page_count", "pageCount"];
const SIZE = ["per_page", "perPage", "page_size", "pageSize", "limit"];
const TOTAL = ["total_count", "totalCount", "total", "total_items", "totalItems", "total_entries", "total_results"];
const NEXT = ["next_page", "nextPage", "next_page_url", "next_url", "nextUrl", "next"];

function isCounted(record: JsonRecord): boolean {
  const isPaged = countOf(record, PAGE) !== undefined && countOf(record, PAGES) !== undefined;
  return isPaged || [["offset"], ["limit"], ["total"]].every((names) => countOf(record, names) !== undefined);
}

function fromObject(about: JsonRecord, query: string): Pagination | undefined {
  const [page, pageSize, totalCount] = [countOf(about, PAGE), countOf(about, SIZE), countOf(about, TOTAL)];
  const found: Pagination = compact({ totalCount, pageSize, page, ...nextOf(about, query) });
  return Object.keys(found).length === 0 ? undefined : found;
}

/** What is said of the next page; else what the numbers leave no doubt of. */
function nextOf(about: JsonRecord, query: string): Pagination {
  const name = NEXT.find((candidate) => Object.hasOwn(about, candidate));
  const next = name === undefined ? undefined : about[name];
  if (isString(next) && next !== "") return { cursor: cursorFromAddress(next, query), hasMore: true };
  if (typeof next === "number" && Number.isSafeInteger(next)) return { cursor: String(next), hasMore: true };
  if (next === null) return { cursor: null, hasMore: false };
  const [page, pages] = [countOf(about, PAGE), countOf(about, PAGES)];
  if (page !== undefined && pages !== undefined) return following(page + 1, page === 0 ? pages - 1 : pages);
  const [offset, limit, total] = [["offset"], ["limit"], TOTAL].map((names) => countOf(about, names));
  if (offset !== undefined && limit !== undefined && total !== undefined && limit > 0)
    return following(offset + limit, total - 1);
  const hasMore = flagOf(about, ["has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage"]);
  return hasMore === undefined ? {} : { hasMore };
}

function following(next: number, last: number): Pagination {
  return next <= last ? { cursor: String(next), hasMore: true } : { cursor: null, hasMore: false };
}

/** Spring counts its pages from zero, and says which is the last. */
function fromSpring(body: JsonRecord): Pagination | undefined {
  const inner = ownValue(body, "page");
  const about = isRecord(inner) ? inner : body;
  const [page, pageSize] = [countOf(about, ["number"]), countOf(about, ["size"])];
  const [totalCount, pages] = [countOf(about, ["totalElements"]), countOf(about, ["totalPages"])];
  const last = flagOf(about, ["last"]) ?? (page === undefined || pages === undefined ? undefined : page + 1 >= pages);
  if (page === undefined || pageSize === undefined || last === undefined) return undefined;
  const next = last ? { cursor: null, hasMore: false } : { cursor: String(page + 1), hasMore: true };
  return compact({ totalCount, pageSize, page, ...next });
}
