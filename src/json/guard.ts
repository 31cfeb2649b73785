import { isRecord } from "./value.js";

/** Tells whether a value has a type that came from a wire. */
export type Guard = (value: unknown) => boolean;

export const anything: Guard = () => true;
export const boolean: Guard = (value) => typeof value === "boolean";
export const number: Guard = (value) => typeof value === "number";
export const string: Guard = (value) => typeof value === "string";

/** A whole number from zero up. */
export const count: Guard = (value) => Number.isInteger(value) && (value as number) >= 0;

export function nullable(guard: Guard): Guard {
  return (value) => value === null || guard(value);
}

export function oneOf(...values: readonly unknown[]): Guard {
  return (value) => values.includes(value);
}

export function listOf(guard: Guard): Guard {
  return (value) => Array.isArray(value) && value.every(guard);
}

export function mapOf(guard: Guard): Guard {
  return (value) => isRecord(value) && Object.values(value).every(guard);
}

/** The fields of a record: those that must be there, and those that may. Others are free. */
export interface Fields {
  readonly required: Readonly<Record<string, Guard>>;
  readonly optional: Readonly<Record<string, Guard>>;
}

export function fields(required: Fields["required"], optional: Fields["optional"] = {}): Fields {
  return { required, optional };
}

export function recordOf(required: Fields["required"], optional: Fields["optional"] = {}): Guard {
  const shape = fields(required, optional);
  return (value) => isRecord(value) && hasFields(shape, value);
}

/** Whether no field is missing or of the wrong type. */
export function hasFields({ required, optional }: Fields, record: Readonly<Record<string, unknown>>): boolean {
  for (const name in required) if (!required[name]?.(record[name])) return false;
  for (const name in optional) if (record[name] !== undefined && !optional[name]?.(record[name])) return false;
  return true;
}

/** The names of the fields that are missing or of the wrong type. */
export function faultsOf({ required, optional }: Fields, record: Readonly<Record<string, unknown>>): string[] {
  return [
    ...Object.entries(required).filter(([name, fits]) => !fits(record[name])),
    ...Object.entries(optional).filter(([name, fits]) => record[name] !== undefined && !fits(record[name])),
  ].map(([name]) => name);
}
