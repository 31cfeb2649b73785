import { isRecord, type JsonRecord } from "../json/value.js";

const SETS = new WeakMap<object, object>();

/**
 * Says of the `$defs` of a schema that they are taken from a larger set: a name means the same in all that are, nothing
 * in them has a name of another kind (`$id`, `$anchor`), and all that they refer to is among them.
 */
export function markDefinitions(definitions: JsonRecord, set: object): void {
  SETS.set(definitions, set);
}

/** The definitions of a schema that mean the same in other schemas. */
export interface SharedDefinitions {
  readonly definitions: JsonRecord;
  /** Where they are taken from. */
  readonly set: object;
}

export function sharedDefinitionsOf(schema: unknown): SharedDefinitions | undefined {
  // The words of another draft may mean something else.
  if (!isRecord(schema) || schema["$schema"] !== undefined) return undefined;
  const { $defs: definitions } = schema;
  const set = isRecord(definitions) ? SETS.get(definitions) : undefined;
  return set === undefined ? undefined : { definitions: definitions as JsonRecord, set };
}
