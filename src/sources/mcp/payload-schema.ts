import { isRecord, type JsonRecord } from "../../json/value.js";

/**
 * The schema of what is taken out of a document, where a tool declares the whole document: a tool-response or
 * response-v2 envelope, a helper's output, or data that Plico had to wrap.
 */
export function payloadSchema(schema: unknown, operation: JsonRecord): unknown {
  if (!isRecord(schema) || !isRecord(schema["properties"])) return schema;
  const { data, meta, success, schema_version: version, status, result } = schema["properties"];
  if (operation["wrapped"] === true) return inside(schema, result);
  if (version !== undefined && status !== undefined) return true;
  const isEnvelope =
    success !== undefined || (isRecord(meta) && isRecord(meta["properties"]) && isMeta(meta["properties"]));
  return data !== undefined && isEnvelope ? inside(schema, data) : schema;
}

function isMeta(properties: JsonRecord): boolean {
  return ("status" in properties && "summary" in properties) || "source" in properties;
}

/** A part by itself, with the definitions that it may refer to. */
function inside({ $schema, $defs, definitions }: JsonRecord, part: unknown): unknown {
  if (!isRecord(part)) return part;
  return {
    ...($schema !== undefined && { $schema }),
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    ...part,
  };
}
