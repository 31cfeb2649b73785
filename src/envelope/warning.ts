import { type JsonSchema, objectSchema } from "../json/json-schema.js";

/** Every warning Plico gives of itself, and what it tells the consumer. */
export const WARNINGS = {
  DUPLICATE_OPERATION: "Two sources have an operation of the same id; that of the source that stands first is used.",
  ENVELOPE_DAMAGED: "The machine-readable part could not be read; the data is the text that came with it.",
  EXIT_CODE: "A program says that all went well and ended with an exit code that means failure.",
  EXPORT_SKIPPED: "A module exports something that is no operation.",
  FIELD_DEPRECATED: "The source will remove this field.",
  FILTER_UNMATCHED: "A pattern of `include` or `exclude` fits no operation.",
  MODULE_STALE: "A module could not be loaded again; the operations that it had are used.",
  NATS_REFUSES: "The NATS server does not allow something that is needed, such as a subject, and which.",
  NONCONFORMING: "The document breaks a rule of its own format but its meaning is clear.",
  NOT_UTF8: "The output of a program is not UTF-8; what could not be read of it is marked by U+FFFD.",
  OPERATION_SKIPPED: "A document describes an operation that cannot be used, and why.",
  OPERATION_UNOFFERED: "No worker offers an operation at the moment; calls of it wait, or fail, until one comes.",
  OUTPUT_CONVERTED: "A value was converted to the type that its schema declares; nothing was lost.",
  OUTPUT_FILLED: "An absent value was filled with the default that its schema declares.",
  OUTPUT_MISMATCH: "The data does not match its declared schema; it is passed on as it came.",
  OUTPUT_NOT_JSON: "The output of a program looks like JSON and is none; the data is its text.",
  OUTPUT_STRIPPED: "A field that the schema does not name was removed.",
  REF_NOT_FOLLOWED: "A document refers to another one that cannot or must not be read.",
  RETRIED: "A source failed at first, and the call was made again; `count` says how often in all.",
  SCHEMA_UNSUPPORTED: "A part of a schema could not be used and accepts anything.",
  SCRIPT_UNDESCRIBED: "A script could not be asked for its schemas; it takes and gives anything.",
  SOURCES_SKIPPED: "Some sources could not be read; the data is incomplete.",
  SOURCE_WARNING: "The source itself gave this warning, without a code.",
  TOOLS_CUT: "A server's list of tools does not end; what came of it is used.",
  TOOLS_STALE: "A server could not be asked for its tools again; those that it had are used.",
  TOOL_UNUSABLE: "A server lists a tool that cannot be called, and why.",
  TRUNCATED: "The data was cut to fit a limit.",
  VERDICTS_DIFFER: "The outer result says that the call failed, the document inside it that it succeeded.",
} as const;

export type WarningCode = keyof typeof WARNINGS;

export interface Warning {
  /** One of `WARNINGS`, or the source's own code. */
  readonly code: WarningCode | (string & {});
  readonly message: string;
  /** A JSON Pointer into the data, where the warning is about one place. */
  readonly path?: string;
  /** How often, where equal warnings are folded into one; `path` is then the first place. */
  readonly count?: number;
}

export const WarningSchema: JsonSchema = objectSchema(
  {
    code: { type: "string" },
    message: { type: "string" },
    path: { type: "string" },
    count: { type: "integer", minimum: 1 },
  },
  ["path", "count"],
);
