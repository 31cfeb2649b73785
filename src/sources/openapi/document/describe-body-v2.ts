import { isString, isStringArray, type JsonRecord, setField } from "../../../json/value.js";
import type { BodyDescription, FieldEncoding } from "../description.js";
import { bodyKindOf, definiteType } from "./body-kind.js";
import { chooseMediaType } from "./choose-media-type.js";
import { commonFacts, type DeclaredParameter } from "./declared-parameters.js";
import { collectionStyle, inlineSchema } from "./describe-parameter-v2.js";
import type { OperationScope } from "./operation-scope.js";

/** In 2.0 a body is a parameter, or several fields of a form. */
export function bodyOfV2(
  scope: OperationScope,
  declared: readonly DeclaredParameter[],
  bodyTypes: readonly string[],
): BodyDescription | undefined {
  const body = declared.find(({ location }) => location === "body");
  const fields = declared.filter(({ location }) => location === "formData");
  if (body === undefined) return fields.length === 0 ? undefined : formOf(scope, fields);
  if (fields.length > 0) scope.warn("There is a body beside fields of a form; the fields are left out.");
  const type = chooseMediaType(typesOf(scope, "consumes"), bodyTypes) ?? "application/json";
  return {
    required: body.value["required"] === true,
    ...commonFacts(body),
    mediaType: definiteType(type),
    kind: bodyKindOf(type),
    schema: { schema: body.value["schema"] ?? {}, base: body.base },
    encoding: {},
  };
}

/** `consumes` or `produces`, of the operation or else of the document. */
export function typesOf({ document, operation }: OperationScope, word: "consumes" | "produces"): string[] {
  const types = operation.raw.operation[word] ?? document.root[word];
  return isStringArray(types) ? types : [];
}

function formOf(scope: OperationScope, fields: readonly DeclaredParameter[]): BodyDescription {
  const types = typesOf(scope, "consumes");
  const multipart = types.find((type) => bodyKindOf(type) === "multipart");
  const form = types.find((type) => bodyKindOf(type) === "form");
  const hasFile = fields.some(({ value }) => value["type"] === "file");
  const isMultipart = hasFile || (multipart !== undefined && form === undefined);
  return {
    required: fields.some(({ value }) => value["required"] === true),
    mediaType: isMultipart ? (multipart ?? "multipart/form-data") : (form ?? "application/x-www-form-urlencoded"),
    kind: isMultipart ? "multipart" : "form",
    schema: { schema: formSchema(fields), base: fields[0]?.base ?? scope.document.address },
    encoding: encodingsOf(scope, fields),
  };
}

function formSchema(fields: readonly DeclaredParameter[]): JsonRecord {
  const properties: JsonRecord = {};
  for (const { name, value } of fields) setField(properties, name, inlineSchema(value));
  const required = fields.filter(({ value }) => value["required"] === true).map(({ name }) => name);
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

/** Lists only: 2.0 has nothing to say of how other values are written. */
function encodingsOf(scope: OperationScope, fields: readonly DeclaredParameter[]): Record<string, FieldEncoding> {
  const encodings: JsonRecord = {};
  for (const field of fields) {
    const { type, items } = field.value;
    const isFiles = typeof items === "object" && items !== null && (items as JsonRecord)["type"] === "file";
    if (isString(type) && type === "array" && !isFiles) setField(encodings, field.name, collectionStyle(scope, field));
  }
  return encodings as Record<string, FieldEncoding>;
}
