import { CALL_ERROR_FIELDS } from "../envelope/call-error.js";
import type { Outcome } from "../envelope/outcome.js";
import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { getAt, leaves } from "../json/residue.js";
import { isEqual, isRecord, type JsonRecord, presentKeys } from "../json/value.js";
import type { Loss } from "./dialect.js";

/** What of `outcome` is not in `back`, its reading from the wire of `dialect`. */
export function losses(outcome: Outcome, back: Outcome, dialect: string): Loss[] {
  const compare = comparison(dialect);
  return [...verdictLosses(outcome, back, compare), ...metaLosses(outcome, back, dialect, compare)];
}

type Compare = (path: JsonPointer, left: unknown, right: unknown) => Loss[];

function verdictLosses(outcome: Outcome, back: Outcome, compare: Compare): Loss[] {
  if (outcome.ok !== back.ok) return compare("/ok", outcome.ok, back.ok);
  if (outcome.ok && back.ok) return compare("/data", outcome.data, back.data);
  if (outcome.ok || back.ok) return [];
  const { error } = outcome;
  return CALL_ERROR_FIELDS.flatMap((field) =>
    error[field] === undefined ? [] : compare(pointerTo("error", field), error[field], back.error[field]),
  );
}

function metaLosses(outcome: Outcome, back: Outcome, dialect: string, compare: Compare): Loss[] {
  const meta: JsonRecord = { ...outcome.meta };
  const other: JsonRecord = { ...back.meta };
  return presentKeys(meta).flatMap((name) => {
    const path = pointerTo("meta", name);
    if (name === "extra") return extraLosses(outcome, back, dialect, compare);
    const [left, right] = [meta[name], other[name]];
    if (!isRecord(left) || !isRecord(right)) return compare(path, left, right);
    return presentKeys(left).flatMap((key) =>
      compare(path + pointerTo(key), left[key], Object.hasOwn(right, key) ? right[key] : undefined),
    );
  });
}

/** Fields that only another dialect knows. A text that repeats the data in JSON is not missed. */
function extraLosses(outcome: Outcome, back: Outcome, dialect: string, compare: Compare): Loss[] {
  const foreign = Object.entries(outcome.meta.extra ?? {}).filter(([name]) => name !== dialect);
  const missing = foreign.flatMap(([name, tree]) =>
    leaves(tree).flatMap(([pointer, value]) => {
      const path = `/meta/extra${pointerTo(name)}${pointer}`;
      return repeatsData(value, outcome) ? [] : compare(path, value, getAt(back, path));
    }),
  );
  return missing;
}

function comparison(dialect: string): Compare {
  return (path, left, right) => {
    if (isEqual(left, right)) return [];
    const instead = right === undefined ? undefined : JSON.stringify(right);
    const short = instead !== undefined && instead.length <= 60;
    return [{ path, reason: short ? `${dialect} can only say ${instead}` : `${dialect} has no place for it` }];
  };
}

/** Whether a value of `extra` is only the data once more, as JSON in the text of one block. */
export function repeatsData(value: unknown, outcome: Outcome): boolean {
  const block: unknown = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
  const text =
    isRecord(block) && block["type"] === "text" && presentKeys(block).length === 2 ? block["text"] : undefined;
  if (typeof text !== "string" || !outcome.ok) return false;
  try {
    return isEqual(JSON.parse(text), outcome.data);
  } catch {
    return false;
  }
}
