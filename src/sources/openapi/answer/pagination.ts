import type { Pagination } from "../../../envelope/hints.js";
import { compact, isRecord } from "../../../json/value.js";
import { linksIn, targetOf } from "./link-header.js";
import { cursorFromAddress } from "./next-address.js";
import { type Asked, pageFromBody, totalBeside } from "./page-body.js";

export interface PaginationParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
  /** What the operation was called with. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The query as it was sent. */
  readonly query: string;
}

/** Which page this is and how to get the next, where headers or body say it in a way that cannot mean anything else. */
export function paginationFrom({ headers, data, input, query }: PaginationParts): Pagination | undefined {
  const asked: Asked = { input, query };
  const fromBody = isRecord(data) ? pageFromBody(data, asked) : undefined;
  const fromHeaders = pageFromHeaders(headers, query);
  if (fromBody === undefined && fromHeaders === undefined) return undefined;
  const total = isRecord(data) ? totalBeside(data) : undefined;
  return { ...(total !== undefined && { totalCount: total }), ...fromBody, ...fromHeaders };
}

type Headers = PaginationParts["headers"];

function pageFromHeaders(headers: Headers, query: string): Pagination | undefined {
  const page: Pagination = compact({
    ...fromRange(headers["content-range"]),
    totalCount: countIn(headers["x-total-count"]) ?? countIn(headers["x-total"]) ?? totalInRange(headers),
    page: countIn(headers["x-page"]),
    pageSize: countIn(headers["x-per-page"]),
    ...fromPageNumbers(headers),
    ...fromLinks(headers["link"], query),
  });
  return Object.keys(page).length === 0 ? undefined : page;
}

/** A page has links to others; one that leads to the first, the last or the one before and not to the next is the last. */
function fromLinks(header: string | undefined, query: string): Pagination {
  const links = linksIn(header);
  const next = targetOf(links, "next");
  if (next !== undefined) return { cursor: cursorFromAddress(next, query), hasMore: true };
  const isPage = ["prev", "previous", "first", "last"].some((relation) => targetOf(links, relation) !== undefined);
  return isPage ? { cursor: null, hasMore: false } : {};
}

/** GitLab's: an empty next page is none. */
function fromPageNumbers(headers: Headers): Pagination {
  const next = headers["x-next-page"]?.trim();
  if (next === "") return { cursor: null, hasMore: false };
  if (next !== undefined && /^\d{1,15}$/.test(next)) return { cursor: next, hasMore: true };
  const [page, pages] = [countIn(headers["x-page"]), countIn(headers["x-total-pages"])];
  return page === undefined || pages === undefined ? {} : { hasMore: page < pages };
}

const RANGE = /^\s*(?:([\w-]+)\s+)?(?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)\s*$/;

/** `items 0-9/100`. A range of bytes is a part of one thing, not a page of many. */
function fromRange(header: string | undefined): Pagination {
  const [, unit, , last, total] = RANGE.exec(header ?? "") ?? [];
  if (unit === "bytes" || last === undefined || total === undefined || total === "*") return {};
  return { hasMore: Number(last) + 1 < Number(total) };
}

function totalInRange(headers: Headers): number | undefined {
  const [, unit, , , total] = RANGE.exec(headers["content-range"] ?? "") ?? [];
  return unit === "bytes" ? undefined : countIn(total);
}

function countIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}
