import { type JsonPointer, pointerSegments, pointerTo } from "../json/pointer.js";
import { printJson } from "../json/printable.js";
import { told } from "../json/told.js";
import { isRecord } from "../json/value.js";
import { bytesInMemory, type ResultBytes, readText } from "./result-bytes.js";
import { invalid } from "./result-errors.js";
import { printResultUri, type ResultAddress, type ResultRange, type Span } from "./result-uri.js";

export interface ResultPart {
  /** What was really read: ranges end at the end of a character, of an item or of the result. */
  readonly uri: string;
  readonly text: string;
  /** `application/json`, or `text/plain` for bytes out of the middle. */
  readonly mimeType: string;
  /** The bytes of the text. */
  readonly bytes: number;
  /** The bytes of the whole result. */
  readonly total: number;
  /** The address of what follows, where something does. */
  readonly next?: string;
}

/** Reads a range of a result, in so many bytes; what does not fit is left for the next one. */
export async function readPart(
  source: ResultBytes,
  { id, range }: ResultAddress,
  maxBytes: number,
): Promise<ResultPart> {
  const total = source.length;
  if (range.pointer === undefined && range.items === undefined) {
    return partOf(id, total, await readBytes(source, range, maxBytes));
  }
  const selection = select(await parsed(source), range);
  const items = range.bytes === undefined ? firstItems(selection, maxBytes) : undefined;
  if (items !== undefined) return partOf(id, total, items);
  const bytes = bytesInMemory(Buffer.from(printJson(selection.value)));
  const read = await readBytes(bytes, range, maxBytes);
  return partOf(id, total, { ...read, next: read.next ?? selection.next });
}

interface Read {
  readonly range: ResultRange;
  readonly text: string;
  readonly isJson: boolean;
  readonly next: ResultRange | undefined;
}

function partOf(id: string, total: number, { range, text, isJson, next }: Read): ResultPart {
  return {
    uri: printResultUri(id, range),
    text,
    mimeType: isJson ? "application/json" : "text/plain",
    bytes: Buffer.byteLength(text),
    total,
    ...(next !== undefined && { next: printResultUri(id, next) }),
  };
}

async function readBytes(source: ResultBytes, range: ResultRange, maxBytes: number): Promise<Read> {
  const { length } = source;
  const asked = range.bytes ?? { from: 0 };
  const { from, to } = within(asked, length, "bytes");
  const end = Math.min(to, from + Math.max(1, maxBytes));
  const { text, ...read } = await readText(source, from, end);
  const isJson = read.from === 0 && read.to === length;
  const isCut = end < to && read.to < to;
  const next = isCut ? { ...asked, from: read.to } : following(read.to, to - from, length);
  return {
    range: isJson || text === "" ? range : { ...range, bytes: read },
    text,
    isJson,
    next: next && { ...range, bytes: next },
  };
}

interface Selection {
  readonly value: unknown;
  readonly range: ResultRange;
  /** The items that follow those that are selected. */
  readonly next: ResultRange | undefined;
}

function select(data: unknown, range: ResultRange): Selection {
  const { pointer = "", items } = range;
  const value = valueAt(data, pointer);
  if (items === undefined) return { value, range, next: undefined };
  if (!Array.isArray(value)) throw invalid(`${named(pointer)} is ${described(value)}, and only a list has items`);
  const { from, to } = within(items, value.length, "items");
  const next = following(to, to - from, value.length);
  const { bytes: _bytes, ...place } = range;
  return { value: value.slice(from, to), range, next: next && { ...place, items: next } };
}

/** As many whole items as there is room for; `undefined` where other than items is selected, or where not one fits. */
function firstItems({ value, range, next }: Selection, maxBytes: number): Read | undefined {
  if (range.items === undefined || !Array.isArray(value)) return undefined;
  const { from } = range.items;
  const texts: string[] = [];
  let size = 1;
  for (const item of value) {
    const text = printJson(item);
    size += Buffer.byteLength(text) + 1;
    if (size > maxBytes) break;
    texts.push(text);
  }
  if (texts.length === 0 && value.length > 0) return undefined;
  const to = from + texts.length;
  const isCut = texts.length < value.length;
  return {
    range: texts.length === 0 ? range : { ...range, items: { from, to } },
    text: `[${texts.join(",")}]`,
    isJson: true,
    next: isCut ? { ...range, items: { ...range.items, from: to } } : next,
  };
}

/** A range of the same width after one that was read to its end. */
function following(from: number, width: number, length: number): Span | undefined {
  return from < length ? { from, to: Math.min(from + width, length) } : undefined;
}

function within({ from, to }: Span, length: number, unit: string): Required<Span> {
  if (from > length) throw invalid(`The range begins at ${from}, and there are only ${length} ${unit}`);
  return { from, to: Math.min(to ?? length, length) };
}

/** Whoever reads a part soon reads the next one. What is remembered counts for no limit, so memory may take it back. */
const PARSED = new WeakMap<ResultBytes, WeakRef<object>>();

async function parsed(source: ResultBytes): Promise<unknown> {
  const known = PARSED.get(source)?.deref();
  if (known !== undefined) return known;
  const value = parse((await source.read(0, source.length)).toString("utf8"));
  if (typeof value === "object" && value !== null) PARSED.set(source, new WeakRef(value));
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("The result is no JSON, so that only ?bytes= can be read of it");
  }
}

function valueAt(data: unknown, pointer: JsonPointer): unknown {
  let value = data;
  let at = "";
  for (const segment of pointerSegments(pointer)) {
    if (typeof value !== "object" || value === null || !hasMember(value, segment)) {
      throw invalid(`There is nothing at ${pointer}: ${named(at)} is ${described(value)}`);
    }
    value = (value as Record<string, unknown>)[segment];
    at += pointerTo(segment);
  }
  return value;
}

function hasMember(value: object, segment: string): boolean {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(segment) && Number(segment) < value.length;
  return Object.hasOwn(value, segment);
}

function named(pointer: JsonPointer): string {
  return pointer === "" ? "the result" : pointer;
}

/** So much of a value as helps to find the right address. */
function described(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length} items`;
  if (!isRecord(value)) return value === null ? "null" : `a ${typeof value}`;
  const names = Object.keys(value);
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return `an object with the fields ${names.slice(0, 10).map(told).join(", ")}${more}`;
}
