import { isRecord, type JsonRecord, presentKeys } from "../json/value.js";

/** The types of JSON. Whole numbers are none of their own: that a number is one in one run tells nothing of the next. */
export type TypeName = "null" | "boolean" | "number" | "string" | "array" | "object";

/** What values that stand in one place have in common. */
export interface Shape {
  /** The types that were seen there; none where nothing was seen, as in an empty list. */
  readonly types: ReadonlySet<TypeName>;
  /** The fields of the objects among them. */
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** The fields that all of those objects have, in their order; `undefined` where they have them in several orders. */
  readonly order: readonly string[] | undefined;
  /** What is in the lists among them. */
  readonly items: Shape | undefined;
  /** There is more below, and it was not looked at. */
  readonly isCut: boolean;
}

export interface FieldShape {
  readonly shape: Shape;
  /** Some of the objects do not have it. */
  readonly isOptional: boolean;
}

/** What is deeper, or comes after so many places, is not looked at. */
const MOST_LEVELS = 200;
const MOST_PLACES = 50_000;

/** The shape of a JSON value. The elements of a list have one shape together, whatever their order. */
export function shapeOf(value: unknown): Shape {
  return shapeOfAll([value], { level: 0, budget: { places: MOST_PLACES } });
}

interface Site {
  readonly level: number;
  readonly budget: { places: number };
}

function shapeOfAll(values: readonly unknown[], site: Site): Shape {
  site.budget.places -= 1;
  const types = new Set(values.map(typeOf));
  if (!types.has("object") && !types.has("array")) return { ...FLAT, types };
  if (site.level >= MOST_LEVELS || site.budget.places < 0) return { ...FLAT, types, isCut: true };
  const records = values.filter(isRecord);
  const below = { ...site, level: site.level + 1 };
  return {
    types,
    fields: fieldsOf(records, below),
    order: orderOf(records),
    items: types.has("array") ? shapeOfAll(values.filter((value) => Array.isArray(value)).flat(), below) : undefined,
    isCut: false,
  };
}

const FLAT: Omit<Shape, "types"> = { fields: new Map(), order: [], items: undefined, isCut: false };

function typeOf(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "boolean" || type === "number" ? type : "object";
}

function fieldsOf(records: readonly JsonRecord[], site: Site): ReadonlyMap<string, FieldShape> {
  const found = new Map<string, unknown[]>();
  for (const record of records)
    for (const key of presentKeys(record)) {
      const values = found.get(key);
      if (values === undefined) found.set(key, [record[key]]);
      else values.push(record[key]);
    }
  const fields = new Map<string, FieldShape>();
  for (const [key, values] of found)
    fields.set(key, { shape: shapeOfAll(values, site), isOptional: values.length < records.length });
  return fields;
}

function orderOf(records: readonly JsonRecord[]): readonly string[] | undefined {
  const [first, ...others] = records.map(presentKeys);
  if (first === undefined) return [];
  const inAll = others.reduce((left, keys) => intersection(left, new Set(keys)), new Set(first));
  const order = first.filter((key) => inAll.has(key));
  const isSame = (keys: readonly string[]): boolean =>
    keys.filter((key) => inAll.has(key)).every((key, at) => key === order[at]);
  return others.every(isSame) ? order : undefined;
}

function intersection(left: Set<string>, right: ReadonlySet<string>): Set<string> {
  for (const key of left) if (!right.has(key)) left.delete(key);
  return left;
}
