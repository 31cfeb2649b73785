export { detectAgent } from "./agent.js";
export { DIALECTS, type DialectName, dialectNamed } from "./all.js";
export type { Carried } from "./carried.js";
export {
  type ComposeOptions,
  composeToolPayload,
  type ToolPayload,
  type ToolResponseEnvelope,
  type ToolResponseMeta,
  type ToolResponseStatus,
} from "./compose-tool-payload.js";
export { type ConsumeOptions, consumeHelperOutput, type HelperAdvice } from "./consume-helper-output.js";
export { type AnyDialectName, type Conversion, convert, type FoundReading, read, validate, write } from "./convert.js";
export { decodeCursor, encodeCursor } from "./cursor.js";
export { type Carrier, type DetectOptions, detect, type Found, find } from "./detect.js";
export type { Dialect, Layout, Loss, Reading, RuleLevel, Rules, Violation, WriteOptions, Writing } from "./dialect.js";
export { defineDialect } from "./frame.js";
export type { Broken, Draft, DraftOptions, Grammar, Opened, OpenedBody } from "./grammar.js";
export { type HelperOutput, type HelperStatus, helperOutput } from "./helper-output.js";
export {
  buildStructuredResponse,
  buildToolResponse,
  type DefaultToolResponseData,
  type LegacyResponseOptions,
} from "./legacy-tool-response.js";
export { type McpResult, mcpResult } from "./mcp-result.js";
export { type ProblemDetails, problemDetails } from "./problem-details.js";

export { responseEnvelope } from "./response-envelope.js";
export { type ResponseV2, responseV2 } from "./response-v2.js";
export { type ToolEnvelope, type ToolEnvelopeWire, toolEnvelopeV1 } from "./tool-envelope-v1.js";
export { type ToolResponse, toolResponse } from "./tool-response.js";
export { createToolResponseEnvelopeSchema, ToolResponseMetaSchema } from "./tool-response-schema.js";
