import type { DialectName } from "../../dialects/all.js";
import type { HelperStatus } from "../../dialects/helper-output.js";
import type { SkippedSource } from "../../envelope/hints.js";
import type { JsonRecord } from "../../json/value.js";
import { emitTo } from "./emit-to.js";
import { takeProcess } from "./own-process.js";

export interface EmitOptions {
  /** @default "ok" */
  readonly status?: HelperStatus;
  /** Of every status but `ok`; a partial answer may leave it out. */
  readonly error?: { readonly code: string; readonly message: string; readonly [field: string]: unknown } | null;
  /** The helper's own version. @default "1.0.0" */
  readonly schemaVersion?: string;
  /** Of a partial answer. */
  readonly skippedSources?: readonly SkippedSource[];
  /** @default what the environment tells */
  readonly agent?: string;
  /** @default "helper-output" */
  readonly envelope?: DialectName;
}

/**
 * Prints the answer of a script that does without `runHelper`, and ends the process once all of it is written. Throws a
 * `TypeError`, and writes nothing, where the options contradict each other.
 */
export function emit(content: Readonly<JsonRecord>, options: EmitOptions = {}): Promise<void> {
  return emitTo(takeProcess, content, options);
}
