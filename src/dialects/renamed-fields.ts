import { isHint, type ResponseHints } from "../envelope/hints.js";
import { isRecord, type JsonRecord } from "../json/value.js";

/** Our name of a field → the dialect's name. */
export type Names = Readonly<Record<string, string>>;

/** The hints that a record holds under a dialect's names; one of the wrong type is passed over. */
export function hintsFromFields(record: JsonRecord, names: Names): ResponseHints {
  const found = Object.entries(names).filter(([ours, theirs]) => isHint(ours, record[theirs]));
  return Object.fromEntries(found.map(([ours, theirs]) => [ours, record[theirs]]));
}

export function hintsToFields(hints: ResponseHints, names: Names): JsonRecord {
  const ours: JsonRecord = { ...hints };
  const present = Object.entries(names).filter(([name]) => ours[name] !== undefined);
  return Object.fromEntries(present.map(([name, theirs]) => [theirs, ours[name]]));
}

/** A hint that is itself a record, such as `pagination`, read under a dialect's names. */
export function hintFromRecord(hint: keyof ResponseHints, value: unknown, names: Names): JsonRecord | undefined {
  if (!isRecord(value)) return undefined;
  const found = Object.entries(names).filter(
    ([ours, theirs]) => value[theirs] !== undefined && isHint(hint, { [ours]: value[theirs] }),
  );
  return Object.fromEntries(found.map(([ours, theirs]) => [ours, value[theirs]]));
}

export function hintToRecord(hint: object | undefined, names: Names): JsonRecord | undefined {
  return hint === undefined ? undefined : hintsToFields(hint, names);
}
