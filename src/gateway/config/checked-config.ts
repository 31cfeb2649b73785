import type { Issue } from "../../json/issue.js";
import { type JsonPointer, pointerSegments } from "../../json/pointer.js";
import { isRecord, type JsonRecord, setField } from "../../json/value.js";
import { configRules } from "./config-rules.js";
import { CONFIG_SCHEMA } from "./config-schema.js";
import { fitsSchema } from "./fits-schema.js";
import { SOURCE_KINDS } from "./source-kind.js";
import { SOURCE_SCHEMAS } from "./source-schemas.js";

export interface CheckedConfig {
  readonly config: JsonRecord;
  readonly issues: readonly Issue[];
}

/**
 * Checks a configuration, and lets a text that is one variable and nothing else stand for a number, or for true or
 * false, where a text is wrong: `"port": "${PORT}"`.
 */
export async function checkedConfig(config: JsonRecord, whole: ReadonlySet<JsonPointer>): Promise<CheckedConfig> {
  if (isSoundConfig(config)) return { config, issues: [] };
  const { configIssues } = await import("./check-config.js");
  const issues = configIssues(config);
  const places = issues.map(({ path }) => path).filter((path) => whole.has(path));
  if (places.length === 0) return { config, issues };
  const filled = places.reduce((all, path) => replaced(all, pointerSegments(path)) as JsonRecord, config);
  return { config: filled, issues: configIssues(filled) };
}

/** What is sound needs nobody who can tell faults. */
function isSoundConfig(config: JsonRecord): boolean {
  const { sources = {} } = config;
  if (!fitsSchema(CONFIG_SCHEMA, config) || !isRecord(sources)) return false;
  return Object.values(sources).every(isSoundSource) && configRules(config).next().done === true;
}

function isSoundSource(source: unknown): boolean {
  const kinds = isRecord(source) ? SOURCE_KINDS.filter((kind) => Object.hasOwn(source, kind)) : [];
  const [kind] = kinds;
  return kind !== undefined && kinds.length === 1 && fitsSchema(SOURCE_SCHEMAS[kind], source);
}

function replaced(value: unknown, segments: readonly string[]): unknown {
  const [segment, ...rest] = segments;
  if (segment === undefined) return scalarOf(value);
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === segment ? replaced(item, rest) : item));
  if (!isRecord(value)) return value;
  const copy: JsonRecord = {};
  for (const [name, field] of Object.entries(value))
    setField(copy, name, name === segment ? replaced(field, rest) : field);
  return copy;
}

function scalarOf(value: unknown): unknown {
  if (value === "true" || value === "false") return value === "true";
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}
