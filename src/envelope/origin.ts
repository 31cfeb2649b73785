import * as guard from "../json/guard.js";
import { type Fields, faultsOf, fields, hasFields, listOf, mapOf, nullable } from "../json/guard.js";
import { arraySchema, type JsonSchema, objectSchema } from "../json/json-schema.js";
import { isRecord, type JsonRecord } from "../json/value.js";
import { AnyContentBlockSchema, type MCPContentBlock } from "./content-block.js";

/** Every place an answer can come from. */
export const RESPONSE_SOURCES = ["local", "http", "mcp", "script"] as const;

export type ResponseSource = (typeof RESPONSE_SOURCES)[number];

export interface LocalResponseMeta {
  source: "local";
  /** The whole id, `namespace.name`. */
  operationId: string;
  /** Unix epoch milliseconds. */
  timestamp: number;
}

export interface HTTPResponseMeta {
  source: "http";
  statusCode: number;
  /** Names in lower case; repeated headers are joined with a comma, `Set-Cookie` is kept apart in `setCookie`. */
  headers: Record<string, string>;
  contentType: string;
  setCookie?: string[];
}

export interface MCPResponseMeta {
  source: "mcp";
  /** The tool ran and says that it failed. */
  isError: boolean;
  content: MCPContentBlock[];
  structuredContent?: unknown;
  _meta?: Record<string, unknown>;
}

export interface ScriptResponseMeta {
  source: "script";
  command: string[];
  /** `null` when a signal ended the process. */
  exitCode: number | null;
  /** Unix epoch milliseconds. */
  timestamp: number;
  schemaVersion?: string;
  agent?: string;
}

export type ResponseOrigin = LocalResponseMeta | HTTPResponseMeta | MCPResponseMeta | ScriptResponseMeta;

const ORIGIN_FIELDS: Record<ResponseSource, Fields> = {
  local: fields({ operationId: guard.string, timestamp: guard.number }),
  http: fields(
    { statusCode: guard.number, headers: mapOf(guard.string), contentType: guard.string },
    { setCookie: listOf(guard.string) },
  ),
  mcp: fields(
    { isError: guard.boolean, content: listOf(isRecord) },
    { structuredContent: guard.anything, _meta: isRecord },
  ),
  script: fields(
    { command: listOf(guard.string), exitCode: nullable(guard.number), timestamp: guard.number },
    { schemaVersion: guard.string, agent: guard.string },
  ),
};

export function isResponseSource(value: unknown): value is ResponseSource {
  return RESPONSE_SOURCES.includes(value as ResponseSource);
}

/** The names an origin uses, `source` included. */
export function originFields(source: ResponseSource): string[] {
  const { required, optional } = ORIGIN_FIELDS[source];
  return ["source", ...Object.keys(required), ...Object.keys(optional)];
}

/** Whether the origin has all that it requires. */
export function isOrigin(source: ResponseSource, meta: JsonRecord): boolean {
  return hasFields(ORIGIN_FIELDS[source], meta);
}

/** The origin's fields that are missing or of the wrong type. */
export function originFaults(source: ResponseSource, meta: JsonRecord): string[] {
  return faultsOf(ORIGIN_FIELDS[source], meta);
}

const string = { type: "string" };
const number = { type: "number" };

export const LocalResponseMetaSchema: JsonSchema = objectSchema({
  source: { const: "local" },
  operationId: string,
  timestamp: number,
});

export const HTTPResponseMetaSchema: JsonSchema = objectSchema(
  {
    source: { const: "http" },
    statusCode: number,
    headers: { type: "object", additionalProperties: string },
    contentType: string,
    setCookie: arraySchema(string),
  },
  ["setCookie"],
);

export const MCPResponseMetaSchema: JsonSchema = objectSchema(
  {
    source: { const: "mcp" },
    isError: { type: "boolean" },
    content: arraySchema(AnyContentBlockSchema),
    structuredContent: true,
    _meta: { type: "object" },
  },
  ["structuredContent", "_meta"],
);

export const ScriptResponseMetaSchema: JsonSchema = objectSchema(
  {
    source: { const: "script" },
    command: arraySchema(string),
    exitCode: { type: ["number", "null"] },
    timestamp: number,
    schemaVersion: string,
    agent: string,
  },
  ["schemaVersion", "agent"],
);
