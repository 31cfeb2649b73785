import type { MCPResourceLink } from "../envelope/content-block.js";
import type { ResponseHints } from "../envelope/hints.js";
import type { Warning } from "../envelope/warning.js";
import type { Preview, Shortening } from "./preview.js";
import type { StoredResult } from "./result-store.js";
import { parseResultUri, printResultUri } from "./result-uri.js";

/** The link under which the whole of a result can be read. */
export function linkToResult({ uri, name = "result", bytes }: StoredResult): MCPResourceLink {
  const description = `${bytes} bytes of JSON. Read a part of it with ?pointer=/a/b, ?items=0-100 or ?bytes=0-20000.`;
  return { type: "resource_link", uri, name, title: "The whole result", description, mimeType: "application/json" };
}

/** More places than these are only counted. */
const MAX_WARNINGS = 20;

/** What the consumer of a preview must be told: that it is one, what is missing where, and where the whole result is. */
export function hintsOfPreview(
  { shortened }: Pick<Preview, "shortened">,
  link?: MCPResourceLink,
): Pick<ResponseHints, "truncated" | "warnings" | "links"> {
  const warnings = shapesOf(shortened).map(([first, count]) => warningOf(first, count, link?.uri));
  return {
    truncated: true,
    warnings: warnings.length > MAX_WARNINGS ? folded(warnings) : warnings,
    ...(link !== undefined && { links: [link] }),
  };
}

/** The same field of many items is one shape, told with its first place. */
function shapesOf(shortened: readonly Shortening[]): [first: Shortening, count: number][] {
  const shapes = new Map<string, [Shortening, number]>();
  for (const shortening of shortened) {
    const shape = `${shortening.kind} ${shortening.path.replaceAll(/\/\d+(?=\/|$)/g, "/*")}`;
    const known = shapes.get(shape);
    if (known === undefined) shapes.set(shape, [shortening, 1]);
    else known[1]++;
  }
  return [...shapes.values()];
}

function warningOf(shortening: Shortening, count: number, uri: string | undefined): Warning {
  const { path, kind, kept, total } = shortening;
  const rest = uri === undefined ? undefined : uriOfRest(shortening, uri);
  const shown = `shows ${kept} of ${total} ${UNITS[kind]}`;
  const times = count === 1 ? "" : ` (${count} places are cut like this; this is the first)`;
  const message = `${shown}${times}${rest === undefined ? "" : `; read on: ${rest}`}`;
  return { code: "TRUNCATED", message, path, ...(count > 1 && { count }) };
}

const UNITS: Readonly<Record<Shortening["kind"], string>> = {
  array: "items",
  string: "characters",
  object: "fields",
};

/** Where the missing items are, or the whole text or object. */
function uriOfRest({ path, kind, kept }: Shortening, uri: string): string | undefined {
  const known = parseResultUri(uri);
  if (known === undefined) return undefined;
  const pointer = path === "" ? {} : { pointer: path };
  return printResultUri(known.id, kind === "array" ? { ...pointer, items: { from: kept } } : pointer);
}

function folded(warnings: readonly Warning[]): Warning[] {
  const told = warnings.slice(0, MAX_WARNINGS - 1);
  const count = warnings.slice(MAX_WARNINGS - 1).reduce((sum, warning) => sum + (warning.count ?? 1), 0);
  return [...told, { code: "TRUNCATED", message: `Further places are cut (${count}).`, count }];
}
