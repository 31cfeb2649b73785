import { orElse } from "../json/attempt.js";
import type { JsonPointer } from "../json/pointer.js";

/** What of a result is meant; all of it where nothing is said. They apply in this order. */
export interface ResultRange {
  /** A value inside the result. */
  readonly pointer?: JsonPointer;
  /** Some items of the list that is meant. */
  readonly items?: Span;
  /** Some bytes of the JSON of what is meant. */
  readonly bytes?: Span;
}

/** From the first, counted from zero, up to the second, which is not included; without it, up to the end. */
export interface Span {
  readonly from: number;
  readonly to?: number;
}

export interface ResultAddress {
  readonly id: string;
  readonly range: ResultRange;
}

/** What the address of every result begins with. */
export const RESULT_PREFIX = "plico://results/";

/** Reads `plico://results/ID?pointer=/rows&items=0-100`; `undefined` where it is none. */
export function parseResultUri(uri: string): ResultAddress | undefined {
  if (!uri.startsWith(RESULT_PREFIX)) return undefined;
  const found = /^([\w-]{1,64})(?:\?([^#]*))?$/.exec(uri.slice(RESULT_PREFIX.length));
  if (found === null) return undefined;
  const [, id = "", query = ""] = found;
  const range = parseRange(query);
  return range === undefined ? undefined : { id, range };
}

export function printResultUri(id: string, { pointer, items, bytes }: ResultRange = {}): string {
  const query = [
    ...(pointer === undefined ? [] : [`pointer=${encoded(pointer)}`]),
    ...(items === undefined ? [] : [`items=${printSpan(items)}`]),
    ...(bytes === undefined ? [] : [`bytes=${printSpan(bytes)}`]),
  ];
  return `${RESULT_PREFIX}${id}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

function parseRange(query: string): ResultRange | undefined {
  const range: Record<string, unknown> = {};
  for (const pair of query === "" ? [] : query.split("&")) {
    const [name = "", ...rest] = pair.split("=");
    const value = orElse(() => decodeURIComponent(rest.join("=")), undefined);
    const read = value !== undefined && Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name]?.(value) : undefined;
    if (read === undefined || Object.hasOwn(range, name)) return undefined;
    range[name] = read;
  }
  return range;
}

const PARAMETERS: Readonly<Record<string, (text: string) => unknown>> = {
  pointer: (text) => ((text === "" || text.startsWith("/")) && !/~(?![01])/.test(text) ? text : undefined),
  items: parseSpan,
  bytes: parseSpan,
};

function parseSpan(text: string): Span | undefined {
  const found = /^(\d{1,15})-(\d{1,15})?$/.exec(text);
  if (found === null) return undefined;
  const from = Number(found[1]);
  if (found[2] === undefined) return { from };
  const to = Number(found[2]);
  return from < to ? { from, to } : undefined;
}

function printSpan({ from, to }: Span): string {
  return `${from}-${to ?? ""}`;
}

/** Slashes may stand in a query as they are. Half a pair of surrogates has no place in a URI. */
function encoded(pointer: JsonPointer): string {
  return encodeURIComponent(pointer.replaceAll(/\p{Surrogate}/gu, "\uFFFD")).replaceAll("%2F", "/");
}
