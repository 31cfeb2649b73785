import { majorOf } from "../../dialects/helper-output-rules.js";
import { CallError } from "../../envelope/call-error.js";
import { type Demands, FUNCTION, oneOf, RECORD, SCHEMA, TEXT, TEXTS, unmetDemand } from "../../json/demands.js";
import { told } from "../../json/told.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { OPERATION_TYPES, POLICIES } from "../../registry/registration.js";

/** Throws where a definition is none, or says something that no helper has. */
export function checkDefinition(definition: unknown): void {
  const problem = isRecord(definition) ? problemOf(definition) : `the definition is ${told(definition)}`;
  if (problem === undefined) return;
  throw new CallError({
    category: "validation",
    code: "INVALID_OPERATION",
    message: `This is no helper: ${problem}.`,
  });
}

const DEMANDS: Demands = {
  name: TEXT,
  version: { what: "a semantic version such as 1.0.0", isMet: (value) => majorOf(value) !== undefined },
  run: FUNCTION,
  namespace: TEXT,
  description: TEXT,
  title: TEXT,
  tags: TEXTS,
  type: oneOf(OPERATION_TYPES),
  inputSchema: SCHEMA,
  outputSchema: SCHEMA,
  errorSchemas: RECORD,
  annotations: RECORD,
  input: oneOf(["check", "off"]),
  output: oneOf(POLICIES),
};

function problemOf(definition: JsonRecord): string | undefined {
  const absent = ["name", "version", "run"].find((field) => definition[field] === undefined);
  return absent === undefined ? unmetDemand(definition, DEMANDS) : `it has no \`${absent}\``;
}
