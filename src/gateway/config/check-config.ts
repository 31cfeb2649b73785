import type { Issue } from "../../json/issue.js";
import type { JsonSchemaObject } from "../../json/json-schema.js";
import { type JsonPointer, pointerSegments, pointerTo } from "../../json/pointer.js";
import { told } from "../../json/told.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { nearestOf } from "../../registry/refusals.js";
import { compile } from "../../schema/compile.js";
import type { SourceKind } from "./config.js";
import { configRules } from "./config-rules.js";
import { CONFIG_SCHEMA } from "./config-schema.js";
import { SOURCE_KINDS } from "./source-kind.js";
import { SOURCE_SCHEMAS } from "./source-schemas.js";

/** All that is wrong with a configuration, each with the pointer to it. A message goes on after the name of its place. */
export function configIssues(config: JsonRecord): readonly Issue[] {
  const { sources } = config;
  const found = [
    ...issuesOf(CONFIG_SCHEMA, config, ""),
    ...(isRecord(sources) ? Object.entries(sources).flatMap(([name, source]) => sourceIssues(name, source)) : []),
  ];
  const rules = [...configRules(config)];
  // They say it better, where both find a fault.
  const ofRules = new Set(rules.map(({ path }) => path));
  return [...found.filter(({ path, rule }) => rule === "additionalProperties" || !ofRules.has(path)), ...rules];
}

function sourceIssues(name: string, source: unknown): readonly Issue[] {
  const pointer = pointerTo("sources", name);
  if (!isRecord(source)) return [{ path: pointer, message: `must be an object, not ${told(source)}`, rule: "type" }];
  const kinds = SOURCE_KINDS.filter((kind) => Object.hasOwn(source, kind));
  const [kind] = kinds;
  if (kind === undefined) return [{ path: pointer, message: kindless(source), rule: "kind" }];
  if (kinds.length > 1) {
    const message = `is of one kind, and not both ${kinds.join(" and ")}; make them two sources`;
    return [{ path: pointer, message, rule: "kind" }];
  }
  return issuesOf(SOURCE_SCHEMAS[kind], source, pointer);
}

function kindless(source: JsonRecord): string {
  const needs = `needs one of ${SOURCE_KINDS.join(", ")}`;
  const { command, url } = source;
  if (command !== undefined || url !== undefined) {
    const shape = url === undefined ? '"mcp": ["program", "argument"]' : '"mcp": "https://…"';
    return `${needs}; write ${shape}, or move it to "mcpServers"`;
  }
  for (const key of Object.keys(source)) {
    const near = nearestOf(key, SOURCE_KINDS) ?? SOURCE_KINDS.find((kind) => lettersOf(kind) === lettersOf(key));
    if (near !== undefined) return `${needs}; did you mean ${near} in place of ${told(key)}?`;
  }
  return needs;
}

function issuesOf(schema: JsonSchemaObject, value: unknown, base: JsonPointer): readonly Issue[] {
  return compile(schema)
    .issues(value)
    .map(({ path, message, rule = "schema" }) => ({
      path: base + path,
      message: rule === "additionalProperties" ? unknownOption(schema, path, base) : worded(message, rule, base + path),
      rule,
    }));
}

/** What is said of a place that may hold a secret must not repeat it. */
function worded(message: string, rule: string, path: JsonPointer): string {
  if (rule === "pattern") return patternFault(path) ?? message;
  return holdsSecrets(path) ? message.replace(/, not .*$/s, "") : message;
}

const SECRET_PLACES = new Set([
  ...["env", "headers", "token", "tokens", "credentials", "mcp", "script"],
  ...["nats", "url", "password", "nkey", "sign", "signingKey", "trust"],
]);

function holdsSecrets(path: JsonPointer): boolean {
  return (
    pointerSegments(path)
      .slice(2)
      .some((segment) => SECRET_PLACES.has(segment)) || path.startsWith("/servers/auth")
  );
}

const WORDS_OF_SUBJECTS = "must be words of letters, digits, _ and -, with points between them";

const PATTERN_FAULTS: Readonly<Record<string, string>> = {
  namespace: "must be letters, digits, _ and -, at most 64",
  prefix: "must be letters, digits, _ and -, at most 32",
  operation: "must be letters, digits, _, -, . and /, at most 128",
  baseUrl: "must begin with http:// or https://",
  version: "must be a version such as 1.0.0",
  path: "must begin with /",
  subjects: WORDS_OF_SUBJECTS,
  caller: "must be letters, digits, _ and -, at most 64",
  name: "must be letters, digits, _ and -, at most 64",
  id: "must be letters, digits, _ and -, at most 64",
};

function patternFault(path: JsonPointer): string | undefined {
  if (path === "/servers/nats/prefix") return WORDS_OF_SUBJECTS;
  return PATTERN_FAULTS[pointerSegments(path).at(-1) ?? ""];
}

function unknownOption(schema: JsonSchemaObject, path: JsonPointer, base: JsonPointer): string {
  const segments = pointerSegments(path);
  const name = segments.at(-1) ?? "";
  const known = Object.keys(propertiesAt(schema, segments.slice(0, -1)));
  const near = nearestOf(name, known) ?? known.find((option) => lettersOf(option) === lettersOf(name));
  if (near !== undefined) return `is not known; did you mean ${near}?`;
  const elsewhere = base === "" || segments.length > 1 ? placeOf(name) : kindsWith(name);
  return elsewhere === undefined ? `is not known; known are ${known.join(", ")}` : `is not known here; ${elsewhere}`;
}

/** Two letters that changed places, or another case. */
function lettersOf(name: string): string {
  return [...name.toLowerCase()].sort().join("");
}

/** The section that an option belongs to. */
function placeOf(name: string): string | undefined {
  const sections: readonly (readonly string[])[] = [
    ["servers"],
    ["servers", "http"],
    ["servers", "mcp"],
    ["servers", "auth"],
    ["servers", "nats"],
    ["limits"],
    ["results"],
    ["log"],
  ];
  const found = sections.find((section) => Object.hasOwn(propertiesAt(CONFIG_SCHEMA, section), name));
  if (found !== undefined) return `it belongs to ${found.join(".")}`;
  return kindsWith(name) === undefined ? undefined : "it belongs to a source";
}

function kindsWith(name: string): string | undefined {
  const kinds = SOURCE_KINDS.filter((kind: SourceKind) => Object.hasOwn(propertiesAt(SOURCE_SCHEMAS[kind], []), name));
  return kinds.length === 0 ? undefined : `it is an option of ${kinds.join(" and ")} sources`;
}

/** The options that there are at a place of a schema. */
function propertiesAt(schema: unknown, segments: readonly string[]): JsonRecord {
  let at: unknown = schema;
  for (const segment of segments) {
    const { properties, additionalProperties } = objectIn(at);
    at = isRecord(properties) && Object.hasOwn(properties, segment) ? properties[segment] : additionalProperties;
  }
  const { properties } = objectIn(at);
  return isRecord(properties) ? properties : {};
}

/** Of alternatives the one that is an object with fields. */
function objectIn(schema: unknown): JsonRecord {
  if (!isRecord(schema)) return {};
  const { anyOf } = schema;
  const inner: unknown = Array.isArray(anyOf)
    ? anyOf.find((one) => isRecord(one) && isRecord(one["properties"]))
    : undefined;
  return isRecord(inner) ? inner : schema;
}
