/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = boolean | JsonSchemaObject;

export type JsonSchemaObject = { readonly [keyword: string]: unknown };

/** Properties with their schemas; `optional` names those that may be absent. Other keys are allowed. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] | "all" = [],
): JsonSchemaObject {
  const required = optional === "all" ? [] : Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

export function arraySchema(items: JsonSchema): JsonSchemaObject {
  return { type: "array", items };
}
