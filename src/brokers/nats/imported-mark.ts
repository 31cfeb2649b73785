import { isRecord } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";

const KEY = "plico/nats";

/** The spec with a word of where it was imported from, so that no worker offers it there again. */
export function markImported(spec: OperationSpec, prefix: string): OperationSpec {
  return { ...spec, _meta: { ...spec._meta, [KEY]: { prefix } } };
}

/** The prefix of the subjects that an operation was imported from. */
export function importedFrom({ _meta }: OperationSpec): string | undefined {
  const mark = isRecord(_meta) ? _meta[KEY] : undefined;
  return isRecord(mark) && typeof mark["prefix"] === "string" ? mark["prefix"] : undefined;
}
