import { isRecord, type JsonRecord, omit, orNull, presentKeys } from "../json/value.js";
import { type Carried, wrapResult } from "./carried.js";
import type { Layout } from "./dialect.js";

/** A payload whose fields share one record with the dialect's own. */
export interface PayloadFields {
  readonly fields: JsonRecord;
  readonly carried: Carried;
}

/** The fields to write for a payload: its own, or `result` where it has none or their names are taken. */
export function payloadToFields(payload: unknown, taken: readonly string[]): PayloadFields {
  if (isRecord(payload) && !presentKeys(payload).some((key) => taken.includes(key))) {
    return { fields: payload, carried: {} };
  }
  return { fields: wrapResult(orNull(payload)), carried: { wrapped: true } };
}

/** Whether a document is written again as it was: then its own fields may have names that Plico would else keep free. */
export function reproduces(layout: Layout | undefined): boolean {
  return layout !== undefined && layout.wrapped !== true;
}

/** The same for what came with a failure, which is mostly nothing. */
export function errorDataToFields(data: unknown, taken: readonly string[]): PayloadFields {
  return data === undefined ? { fields: {}, carried: {} } : payloadToFields(data, taken);
}

/** The fields that are not the dialect's own, or `undefined` where there are none. */
export function errorDataFromFields(record: JsonRecord, taken: readonly string[]): JsonRecord | undefined {
  const rest = omit(record, taken);
  return Object.keys(rest).length === 0 ? undefined : rest;
}
