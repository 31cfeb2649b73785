import { told } from "../../../json/told.js";
import { type JsonRecord, setField } from "../../../json/value.js";
import type { ParameterDescription, ParameterStyle, Serialisation } from "../description.js";
import { commonFacts, type DeclaredParameter, isIgnoredHeader } from "./declared-parameters.js";
import type { OperationScope } from "./operation-scope.js";

/** `undefined` where it cannot be sent, or belongs to the body. */
export function parameterOfV2(scope: OperationScope, declared: DeclaredParameter): ParameterDescription | undefined {
  const { name, location, value, base } = declared;
  if (isIgnoredHeader(declared) || location === "body" || location === "formData") return undefined;
  if (location !== "path" && location !== "query" && location !== "header") return scope.warnOfPlace(name, location);
  return {
    name,
    in: location,
    required: location === "path" || value["required"] === true,
    ...commonFacts(declared),
    ...collectionStyle(scope, declared),
    schema: { schema: inlineSchema(value), base },
  };
}

/** How a list is written. Of 3.x, whose words these are, other values have no such choice. */
export function collectionStyle(scope: OperationScope, { name, location, value }: DeclaredParameter): Serialisation {
  const { collectionFormat: format } = value;
  const usual: ParameterStyle = location === "query" || location === "formData" ? "form" : "simple";
  const isKnown =
    format === undefined || format === "csv" || format === "multi" || Object.hasOwn(DELIMITED, String(format));
  if (!isKnown)
    scope.warn(`The parameter ${told(name)} has the collectionFormat ${told(format)}; it is written as csv.`);
  return { style: DELIMITED[String(format)] ?? usual, explode: format === "multi", allowReserved: false };
}

const DELIMITED: Readonly<Record<string, ParameterStyle>> = {
  ssv: "spaceDelimited",
  tsv: "tabDelimited",
  pipes: "pipeDelimited",
};

/** What 2.0 says of a parameter's value beside its name and place. */
export function inlineSchema(parameter: JsonRecord): JsonRecord {
  const schema: JsonRecord = {};
  // Against the specification, but what it says is clear.
  if (parameter["type"] === undefined && parameter["schema"] !== undefined) return parameter["schema"] as JsonRecord;
  for (const word of SCHEMA_WORDS) if (parameter[word] !== undefined) setField(schema, word, parameter[word]);
  return schema;
}

const SCHEMA_WORDS = [
  ...["type", "format", "items", "default", "enum", "x-nullable", "description"],
  ...["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "multipleOf"],
  ...["maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems"],
];
