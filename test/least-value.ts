import { isRecord, type JsonRecord } from "../src/json/value.js";

/** A small value that fits a schema as tools have them: what is required and no more. It is no solver of schemas. */
export function leastValue(schema: unknown, root: unknown = schema, depth = 0): unknown {
  if (!isRecord(schema) || depth > 20) return {};
  if (Object.hasOwn(schema, "const")) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  if (typeof schema["$ref"] === "string") return leastValue(resolve(root, schema["$ref"]), root, depth + 1);
  const branch = [schema["anyOf"], schema["oneOf"], schema["allOf"]].find(Array.isArray)?.[0];
  if (branch !== undefined && schema["properties"] === undefined) return leastValue(branch, root, depth + 1);
  return ofType(schema, root, depth);
}

function ofType(schema: JsonRecord, root: unknown, depth: number): unknown {
  switch ([schema["type"]].flat()[0]) {
    case "string":
      return text(schema);
    case "number":
    case "integer":
      return number(schema);
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return Array.from({ length: Number(schema["minItems"] ?? 0) }, () =>
        leastValue(schema["items"], root, depth + 1),
      );
    default:
      return object(schema, root, depth);
  }
}

function object(schema: JsonRecord, root: unknown, depth: number): JsonRecord {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
  return Object.fromEntries(required.map((name) => [name, leastValue(properties[name], root, depth + 1)]));
}

function number({ minimum, exclusiveMinimum, maximum }: JsonRecord): number {
  const least = typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : Number(minimum ?? 0);
  return typeof maximum === "number" ? Math.min(least, maximum) : least;
}

const FORMATS: Readonly<Record<string, string>> = {
  uri: "http://localhost/",
  url: "http://localhost/",
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  email: "a@localhost.localdomain",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function text({ format, minLength }: JsonRecord): string {
  return FORMATS[String(format)] ?? "a".repeat(Number(minLength ?? 1));
}

function resolve(root: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\/?/, "").split("/").filter(Boolean);
  return steps.reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), root);
}
