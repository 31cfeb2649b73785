import { isResponseSource } from "../envelope/origin.js";
import { isRecord, isString, type JsonRecord } from "../json/value.js";
import { inside } from "../schema/inside.js";

/**
 * The schema of what is taken out of a document, where a tool declares the whole document: a tool-response or
 * response-v2 envelope, a helper's output, or data that Plico had to wrap.
 */
export function payloadSchema(schema: unknown, operation: JsonRecord): unknown {
  if (!isRecord(schema) || !isRecord(schema["properties"])) return schema;
  const { data, meta, success, schema_version: version, status, result } = schema["properties"];
  if (operation["wrapsOutput"] === true) return result === undefined ? undefined : inside(schema, "result");
  // Plico shows the data of a tool-response as what it is where the call has not failed.
  const ofSuccess = isRecord(schema["else"]) ? schema["else"]["properties"] : undefined;
  if (isRecord(ofSuccess) && ofSuccess["data"] !== undefined) return inside(schema, "data", "/else/properties");
  if (version !== undefined && status !== undefined) return true;
  const fields = propertiesOf(meta, schema);
  return data !== undefined && isEnvelope(fields, success !== undefined) ? inside(schema, "data") : schema;
}

/** Those of a part, which may stand elsewhere in the whole. */
function propertiesOf(part: unknown, whole: JsonRecord): JsonRecord {
  const reference = isRecord(part) ? part["$ref"] : undefined;
  const name = isString(reference) ? /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1] : undefined;
  const definitions = isRecord(whole["$defs"]) ? whole["$defs"] : {};
  const found = name === undefined ? part : definitions[decodeURIComponent(name)];
  return isRecord(found) && isRecord(found["properties"]) ? found["properties"] : {};
}

/** Whether documents with such a meta will be known for what they are. */
function isEnvelope(meta: JsonRecord, hasSuccess: boolean): boolean {
  if (hasSuccess) return "version" in meta;
  return ("status" in meta && "summary" in meta) || isKnownSource(meta["source"]);
}

function isKnownSource(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  const values = Array.isArray(schema["enum"]) ? schema["enum"] : [schema["const"]];
  return values.every(isResponseSource);
}
