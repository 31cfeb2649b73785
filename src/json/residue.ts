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
  return setAll(document, [[pointer, value]]);
}

/** As `setAt` for many places, each record copied once. */
export function setAll(document: JsonRecord, places: readonly (readonly [JsonPointer, unknown])[]): JsonRecord {
  const fresh = new Set<JsonRecord>();
  let root = document;
  for (const [pointer, value] of places) {
    if (pointer === "" || (value === undefined && getAt(root, pointer) === undefined)) continue;
    if (root === document) root = { ...document };
    setIn(root, pointerSegments(pointer), value, fresh.add(root));
  }
  return root;
}

/** Sets a place in a record that may be changed; the records on the way are copied unless they are fresh. */
function setIn(root: JsonRecord, path: readonly string[], value: unknown, fresh: Set<JsonRecord>): void {
  const last = path.length - 1;
  let record = root;
  for (const key of path.slice(0, last)) {
    const inner = Object.hasOwn(record, key) ? record[key] : undefined;
    const next = isRecord(inner) ? (fresh.has(inner) ? inner : { ...inner }) : {};
    fresh.add(next);
    setField(record, key, next);
    record = next;
  }
  const key = path[last] ?? "";
  if (value === undefined) delete record[key];
  else setField(record, key, value);
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
  return setAll(
    document,
    pointers.map((pointer) => [pointer, undefined]),
  );
}
