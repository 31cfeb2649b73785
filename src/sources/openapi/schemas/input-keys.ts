import { type JsonRecord, setField } from "../../../json/value.js";
import { uniqueName } from "../../../registry/portable-name.js";
import type { ParameterLocation } from "../description.js";

type FieldPlace = ParameterLocation | "body";

/** Something that an input gives a value for. */
export interface InputField {
  readonly name: string;
  readonly in: FieldPlace;
}

export interface AssignedKeys {
  /** In the order of the fields. */
  readonly keys: readonly string[];
  /** Where the fields stand whose name is also that of another. */
  readonly renamed: Readonly<Record<string, InputField>>;
}

/** A key of the input for each field. The first of one name keeps it, the others are told apart by their place. */
export function assignKeys(fields: readonly InputField[]): AssignedKeys {
  const owners = new Map<string, InputField>();
  const shared = new Set<string>();
  for (const field of fields) {
    if (owners.has(field.name)) shared.add(field.name);
    else owners.set(field.name, field);
  }
  const taken = new Set(owners.keys());
  const renamed: JsonRecord = {};
  const keys = fields.map((field) => {
    const isOwner = owners.get(field.name) === field;
    const key = isOwner ? field.name : uniqueName(`${field.in}_${field.name}`, taken, Number.POSITIVE_INFINITY);
    taken.add(key);
    if (shared.has(field.name)) setField(renamed, key, { in: field.in, name: field.name });
    return key;
  });
  return { keys, renamed: renamed as Record<string, InputField> };
}
