import { isRecord, type JsonRecord, setField } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import { defaultOf, fillingOf } from "../../schema/fill.js";
import { inputTextsOf } from "../input-texts.js";

/** The input with the defaults that its schema declares for the fields that are not there, as `--help` tells them. */
export function withDefaults(spec: OperationSpec, input: unknown): unknown {
  if (!isRecord(input)) return input;
  const filled: JsonRecord = { ...input };
  for (const { name, schemas } of inputTextsOf(spec).fields) {
    if (Object.hasOwn(input, name)) continue;
    const declared = schemas.map(defaultOf).find((found) => found !== undefined);
    const filling = declared === undefined ? undefined : fillingOf(declared.value);
    if (filling !== undefined) setField(filled, name, filling.copy());
  }
  return filled;
}
