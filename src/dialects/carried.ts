import { CALL_ERROR_FIELDS, type CallErrorData, isCallErrorField } from "../envelope/call-error.js";
import { isHint } from "../envelope/hints.js";
import { isResponseSource, originFaults, originFields } from "../envelope/origin.js";
import type { Outcome, OutcomeMeta } from "../envelope/outcome.js";
import type { JsonPointer } from "../json/pointer.js";
import { isEqual, isRecord, isString, isStringArray, type JsonRecord, omit, presentKeys } from "../json/value.js";

/**
 * What Plico writes under the key `plico` in a dialect's open part: the exact values where the dialect's own words are
 * coarser, and which fields are not the source's words but were added because the format requires them.
 */
export interface Carried {
  /** Places in the document that Plico filled. */
  readonly added?: readonly string[];
  /** The payload is `{ "result": value }` because the dialect only takes objects, or because names would clash. */
  readonly wrapped?: boolean;
  /** Whether the call succeeded, where the document alone would be taken for the opposite. */
  readonly ok?: boolean;
  /** The data of a success, where it must not stand in its own place. */
  readonly data?: unknown;
  /** Where in the document the data of a success stands, if not in its own place; in a text, as JSON or packed. */
  readonly at?: JsonPointer;
  /** Fields of the error. */
  readonly error?: JsonRecord;
  /** Fields of the meta, in dialects with a place for foreign metadata. */
  readonly meta?: JsonRecord;
  /** Fields of the error that the document seems to have and the outcome has not. */
  readonly absent?: readonly string[];
  /** The same of the meta. */
  readonly absentMeta?: readonly string[];
}

/** Whether a value under the key is what Plico writes there; a tool may use the name for itself. */
export function isCarried(value: unknown): value is JsonRecord {
  return isRecord(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => FIELDS.includes(key));
}

const FIELDS = ["added", "wrapped", "ok", "data", "at", "error", "meta", "absent", "absentMeta"];

/** Reads from the wire, which is not trusted: what has the wrong type is passed over. */
export function readCarried(value: unknown): Carried {
  if (!isCarried(value)) return {};
  const { added, wrapped, ok, data, at, error, meta, absent, absentMeta } = value;
  return {
    ...(isStringArray(added) && { added }),
    ...(wrapped === true && { wrapped }),
    ...(typeof ok === "boolean" && { ok }),
    ...(data !== undefined && { data }),
    ...(isString(at) && { at }),
    ...(isRecord(error) && { error: keep(error, isCallErrorField) }),
    ...(isRecord(meta) && { meta }),
    ...(isStringArray(absent) && { absent }),
    ...(isStringArray(absentMeta) && { absentMeta }),
  };
}

/** The outcome as the writer meant it, from what the dialect's own words say and what was carried beside them. */
export function restore(native: Outcome, carried: Carried): Outcome {
  const { wrapped, data, error, meta, absent = [], absentMeta = [] } = carried;
  const same = meta === undefined && absentMeta.length === 0;
  const exactMeta = same ? native.meta : soundMeta(omit({ ...native.meta, ...meta }, absentMeta));
  if (native.ok && data !== undefined) return { ok: true, data, meta: exactMeta };
  if (native.ok) return { ok: true, data: wrapped ? unwrapResult(native.data) : native.data, meta: exactMeta };
  const own = wrapped ? { ...native.error, data: unwrapResult(native.error.data) } : native.error;
  if (error === undefined && absent.length === 0) return { ok: false, error: own, meta: exactMeta };
  const exact = omit(
    { ...own, ...error },
    absent.filter((field) => !REQUIRED.includes(field)),
  );
  return { ok: false, error: exact as unknown as CallErrorData, meta: exactMeta };
}

const REQUIRED = ["category", "code", "message", "recoverable"];

/** The fields of the error that the dialect's own words do not give back. */
export function errorToCarry(
  native: CallErrorData,
  exact: CallErrorData,
  known: readonly string[] = [],
): Pick<Carried, "error" | "absent"> {
  const differing = CALL_ERROR_FIELDS.filter((field) => !isEqual(native[field], exact[field]));
  const error = differing.filter((field) => exact[field] !== undefined);
  const absent = [...known, ...differing.filter((field) => exact[field] === undefined)];
  return {
    ...(error.length > 0 && { error: Object.fromEntries(error.map((field) => [field, exact[field]])) }),
    ...(absent.length > 0 && { absent }),
  };
}

/** The fields of the meta that the dialect's own words do not give back. */
export function metaToCarry(
  native: OutcomeMeta,
  exact: OutcomeMeta,
  known: JsonRecord = {},
): Pick<Carried, "meta" | "absentMeta"> {
  const own: JsonRecord = { ...native };
  const wanted: JsonRecord = { ...exact };
  const differing = presentKeys(wanted).filter((name) => !isEqual(own[name], wanted[name]));
  const meta = { ...known, ...Object.fromEntries(differing.map((name) => [name, wanted[name]])) };
  const absentMeta = presentKeys(own).filter((name) => wanted[name] === undefined);
  return {
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(absentMeta.length > 0 && { absentMeta }),
  };
}

export function wrapResult(value: unknown): JsonRecord {
  return { result: value };
}

export function unwrapResult(value: unknown): unknown {
  return isRecord(value) && "result" in value ? value["result"] : value;
}

/** An origin only as a whole, and hints of their types. */
function soundMeta(meta: JsonRecord): OutcomeMeta {
  const source = meta["source"];
  const whole = isResponseSource(source) && originFaults(source, meta).length === 0;
  const ofOrigin = whole ? originFields(source) : [];
  return keep(meta, (name, value) => ofOrigin.includes(name) || isHint(name, value)) as unknown as OutcomeMeta;
}

function keep(record: JsonRecord, fits: (name: string, value: unknown) => boolean): JsonRecord {
  return omit(
    record,
    presentKeys(record).filter((name) => !fits(name, record[name])),
  );
}
