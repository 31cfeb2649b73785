import { isRecord, type JsonRecord, setField } from "../json/value.js";
import type { CompiledSchema } from "../schema/compile.js";
import { cutText } from "./cut-text.js";
import { asJson, encodedSize, writtenNames } from "./encoded-size.js";
import { type Rules, rulesFor } from "./part-rules.js";

/** Bytes that may be checked again and again before the search is given up. */
const WORK = 32 * 1024 * 1024;

/**
 * The last resort for a schema that refuses what the rules advise: cuts one part after another, the largest first, and
 * asks each time whether the whole is still accepted. Gives up in bounded time with the smallest that was found.
 */
export function squeeze(data: unknown, schema: CompiledSchema, bytes: number): unknown {
  let best = data;
  let size = encodedSize(best);
  let trials = Math.min(Math.max(WORK / size, 8), 500);
  while (size > bytes) {
    const cuts = cutsOf(best, rulesFor(schema, best), size, bytes);
    const found = cuts.find((cut) => --trials >= 0 && schema.accepts(replaced(best, cut.path, cut.value)));
    if (found === undefined) return best;
    best = replaced(best, found.path, found.value);
    size = encodedSize(best);
  }
  return best;
}

type Path = readonly (string | number)[];

/** Something smaller for one place; `undefined` where a field is to go. */
interface Cut {
  readonly path: Path;
  readonly value: unknown;
  /** Of what is there now. */
  readonly size: number;
  /** No more is cut than must be. */
  readonly isGentle: boolean;
}

interface Search {
  readonly excess: number;
  /** Small parts of large data are not worth a trial. */
  readonly worthwhile: number;
  readonly found: Cut[];
}

/** What could be cut: first the gentle cuts, each kind at the largest parts first. */
function cutsOf(data: unknown, rulesOfData: Rules, size: number, bytes: number): Cut[] {
  const excess = size - bytes;
  const search: Search = { excess, worthwhile: Math.max(1, excess / 1000), found: [] };
  collect(search, data, [], () => rulesOfData);
  return search.found.sort((a, b) => Number(b.isGentle) - Number(a.isGentle) || b.size - a.size);
}

function collect(search: Search, given: unknown, path: Path, rulesOf: () => Rules): void {
  const { excess, worthwhile, found } = search;
  const value = asJson(given);
  const size = encodedSize(value);
  if (size < worthwhile) return;
  const rules = rulesOf();
  if (rules.hasFormat) return;
  for (const shorter of shorterThan(value, size, excess))
    if (size - encodedSize(shorter.value) >= worthwhile) found.push({ path, size, ...shorter });
  if (Array.isArray(value))
    for (const [at, item] of value.entries()) collect(search, item, [...path, at], () => rules.below(at, item));
  else if (isRecord(value))
    for (const name of writtenNames(value).reverse()) {
      const member = [...path, name];
      found.push({ path: member, value: undefined, size: encodedSize(value[name]), isGentle: false });
      collect(search, value[name], member, () => rules.below(name, value[name]));
    }
}

/** What may stand in the place of a value. */
function shorterThan(value: unknown, size: number, excess: number): Pick<Cut, "value" | "isGentle">[] {
  if (typeof value === "string")
    return [
      { value: cutText(value, size - excess, 0).value, isGentle: true },
      { value: cutText(value, 0, 0).value, isGentle: false },
    ];
  if (!Array.isArray(value)) return isRecord(value) ? [{ value: {}, isGentle: false }] : [];
  const count = Math.max(0, Math.floor(value.length * (1 - excess / size)));
  return [
    { value: value.slice(0, count), isGentle: true },
    { value: value.slice(0, 1), isGentle: false },
    { value: [], isGentle: false },
  ];
}

/** The data with another value at one place. */
function replaced(data: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const json = asJson(data);
  if (Array.isArray(json)) return json.map((item, at) => (at === key ? replaced(item, rest, value) : item));
  const record: JsonRecord = {};
  for (const [name, member] of Object.entries(json as JsonRecord)) {
    if (name !== key) setField(record, name, member);
    else if (rest.length > 0 || value !== undefined) setField(record, name, replaced(member, rest, value));
  }
  return record;
}
