import type { JsonSchema, JsonSchemaObject } from "../../json/json-schema.js";
import { isRecord } from "../../json/value.js";
import { CONFIG_SCHEMA } from "./config-schema.js";
import { named, text, texts } from "./schema-words.js";
import { SOURCE_KINDS } from "./source-kind.js";
import { SOURCE_SCHEMAS } from "./source-schemas.js";

/** What stands in `plico.schema.json`: the whole schema in one, for editors. */
export function publishedSchema(): JsonSchemaObject {
  const { description, properties, ...rest } = CONFIG_SCHEMA as {
    properties: Record<string, JsonSchemaObject>;
  } & JsonSchemaObject;
  const { sources = {}, mcpServers = {}, ...others } = properties;
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "plico.json",
    description,
    // Words of VS Code.
    allowComments: true,
    allowTrailingCommas: true,
    ...rest,
    anyOf: [{ required: ["sources"] }, { required: ["mcpServers"] }],
    properties: {
      ...(withVariables(others) as JsonSchemaObject),
      sources: { ...sources, propertyNames: { pattern: SOURCE_NAME }, additionalProperties: ANY_SOURCE },
      mcpServers: { ...mcpServers, additionalProperties: SERVER_ENTRY },
    },
    definitions: Object.fromEntries(SOURCE_KINDS.map((kind) => [kind, withVariables(SOURCE_SCHEMAS[kind])])),
  };
}

const SOURCE_NAME = "^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$";

const ANY_SOURCE: JsonSchemaObject = {
  description: "A source. Its kind is the key mcp, openapi, script, module or nats.",
  oneOf: SOURCE_KINDS.map((kind) => ({ $ref: `#/definitions/${kind}` })),
};

const SERVER_ENTRY: JsonSchemaObject = {
  type: "object",
  properties: {
    command: text("The program."),
    args: texts("Its arguments."),
    env: named("Variables that it gets.", { type: ["string", "number", "boolean", "null"] }),
    cwd: text("Where it runs."),
    url: text("The address of a server that runs."),
    headers: named("Sent with every request.", { type: "string" }),
    disabled: { description: "Left out.", type: "boolean" },
  },
};

const VARIABLE: JsonSchemaObject = { type: "string", pattern: "^\\$\\{[^}]+\\}$" };

/** A variable may stand for a number, for true or false, and for one of several words. */
function withVariables(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withVariables);
  if (!isRecord(schema)) return schema;
  const { type, enum: values, description, default: standard } = schema;
  const said = {
    ...(description !== undefined && { description }),
    ...(standard !== undefined && { default: standard }),
  };
  if (Array.isArray(values)) return { ...said, anyOf: [{ type: "string", enum: values }, VARIABLE] };
  if (type === "integer" || type === "number" || type === "boolean")
    return { ...schema, type: [type, "string"], pattern: VARIABLE["pattern"] };
  return Object.fromEntries(
    Object.entries(schema).map(([word, value]) => [word, SAID.has(word) ? value : withVariables(value)]),
  );
}

const SAID = new Set(["default", "examples", "required"]);

/** Its text, as the file has it. */
export function publishedSchemaText(): string {
  return `${JSON.stringify(publishedSchema() satisfies JsonSchema, null, 2)}\n`;
}
