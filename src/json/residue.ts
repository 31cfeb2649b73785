import { type JsonPointer, pointerSegments, pointerTo } from "./pointer.js";
import { isEqual, isRecord, type JsonRecord, presentKeys, setField } from "./value.js";

/** What one document has beyond another: fields that are missing there or differ, and fields that only the other has. */
export interface Residue {
  readonly set: JsonRecord;
  readonly unset: readonly JsonPointer[];
}

/** Deeper than this a record counts as a whole, so that no document exhausts the stack. */
const DEPTH = 200;

/** Records are compared field by field; anything else, arrays too, counts as a whole. */
export function subtract(whole: JsonRecord, part: JsonRecord, at: JsonPointer = "", depth: number = DEPTH): Residue {
  const set: JsonRecord = {};
  const unset = presentKeys(part)
    .filter((key) => !Object.hasOwn(whole, key) || whole[key] === undefined)
    .map((key) => at + pointerTo(key));
  for (const key of presentKeys(whole)) {
    const left = whole[key];
    const right = Object.hasOwn(part, key) ? part[key] : undefined;
    if (left === right) continue;
    if (isRecord(left) && isRecord(right) && depth > 0) {
      const inner = subtract(left, right, at + pointerTo(key), depth - 1);
      unset.push(...inner.unset);
      if (Object.keys(inner.set).length > 0) setField(set, key, inner.set);
    } else if (!isEqual(left, right)) setField(set, key, left);
  }
  return { set, unset };
}

/** The values of a tree of records, each with its place. An empty record is a value. */
export function leaves(tree: unknown, at: JsonPointer = "", depth: number = DEPTH + 1): [JsonPointer, unknown][] {
  if (!isRecord(tree) || depth === 0 || presentKeys(tree).length === 0) return [[at, tree]];
  return presentKeys(tree).flatMap((key) => leaves(tree[key], at + pointerTo(key), depth - 1));
}

export function getAt(document: unknown, pointer: JsonPointer): unknown {
  let value = document;
  for (const key of pointerSegments(pointer)) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A copy with one place set; only the records on the way are copied. `undefined` removes the place. */
export function setAt(document: JsonRecord, pointer: JsonPointer, value: unknown): JsonRecord {
  return setIn(document, pointerSegments(pointer), 0, value);
}

function setIn(record: JsonRecord, path: readonly string[], at: number, value: unknown): JsonRecord {
  const key = path[at];
  if (key === undefined) return record;
  const inner = Object.hasOwn(record, key) ? record[key] : undefined;
  if (value === undefined && inner === undefined) return record;
  const copy = { ...record };
  if (at < path.length - 1) {
    if (!isRecord(inner) && value === undefined) return record;
    setField(copy, key, setIn(isRecord(inner) ? inner : {}, path, at + 1, value));
  } else if (value === undefined) delete copy[key];
  else setField(copy, key, value);
  return copy;
}

/** A copy without one place, and without the records that it leaves empty. */
export function removeLeaf(document: JsonRecord, pointer: JsonPointer): JsonRecord {
  const copy = setAt(document, pointer, undefined);
  const parent = pointer.slice(0, pointer.lastIndexOf("/"));
  const holder = getAt(copy, parent);
  return parent !== "" && isRecord(holder) && Object.keys(holder).length === 0 ? removeLeaf(copy, parent) : copy;
}

/** A copy without the named places. */
export function unsetAll(document: JsonRecord, pointers: readonly JsonPointer[]): JsonRecord {
  return pointers.reduce((copy, pointer) => setAt(copy, pointer, undefined), document);
}
