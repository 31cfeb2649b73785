import { type JsonSchema, objectSchema } from "../json/json-schema.js";
import { isRecord } from "../json/value.js";
import { type ResponseHints, ResponseHintsSchema } from "./hints.js";
import {
  type HTTPResponseMeta,
  HTTPResponseMetaSchema,
  isOrigin,
  isResponseSource,
  LocalResponseMetaSchema,
  type MCPResponseMeta,
  MCPResponseMetaSchema,
  type ResponseOrigin,
  type ScriptResponseMeta,
  ScriptResponseMetaSchema,
} from "./origin.js";

export type ResponseMeta = ResponseOrigin & ResponseHints;

/** Every answer, whatever brought it: `data` is the business payload, `meta` tells how it came. */
export interface ResponseEnvelope<T = unknown> {
  data: T;
  meta: ResponseMeta;
}

export function localEnvelope<T>(data: T, operationId: string): ResponseEnvelope<T> {
  return { data, meta: { source: "local", operationId, timestamp: Date.now() } };
}

// In the other three `source` comes last, so that a stray one in the caller's meta cannot override it.

export function httpEnvelope<T>(data: T, meta: Omit<HTTPResponseMeta, "source"> & ResponseHints): ResponseEnvelope<T> {
  return { data, meta: { ...meta, source: "http" } };
}

export function mcpEnvelope<T>(data: T, meta: Omit<MCPResponseMeta, "source"> & ResponseHints): ResponseEnvelope<T> {
  return { data, meta: { ...meta, source: "mcp" } };
}

export function scriptEnvelope<T>(
  data: T,
  meta: Omit<ScriptResponseMeta, "source"> & ResponseHints,
): ResponseEnvelope<T> {
  return { data, meta: { ...meta, source: "script" } };
}

/** Tells an envelope by its shape: `data`, and a `meta` with a known source and all that this source requires. */
export function isResponseEnvelope(value: unknown): value is ResponseEnvelope {
  try {
    if (!isRecord(value) || !("data" in value)) return false;
    const meta = value["meta"];
    return isRecord(meta) && isResponseSource(meta["source"]) && isOrigin(meta["source"], meta);
  } catch {
    // A getter or a proxy that throws is no envelope.
    return false;
  }
}

export function unwrap<T>(envelope: ResponseEnvelope<T>): T {
  return envelope.data;
}

export const ResponseMetaSchema: JsonSchema = {
  allOf: [
    { anyOf: [LocalResponseMetaSchema, HTTPResponseMetaSchema, MCPResponseMetaSchema, ScriptResponseMetaSchema] },
    ResponseHintsSchema,
  ],
};

export const ResponseEnvelopeSchema: JsonSchema = objectSchema({ data: true, meta: ResponseMetaSchema });
