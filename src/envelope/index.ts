export {
  CallError,
  type CallErrorData,
  type CallErrorInit,
  CallErrorSchema,
  callErrorData,
  callErrorFrom,
  IssueSchema,
  isCallError,
} from "./call-error.js";
export {
  CATEGORIES,
  CATEGORY_FACTS,
  type Category,
  type CategoryFacts,
  categoryFacts,
  categoryFromCode,
  categoryFromErrorType,
  categoryFromExitCode,
  categoryFromJsonRpc,
  categoryFromStatus,
  isKnownCategory,
  type KnownCategory,
} from "./category.js";
export {
  type MCPAnnotations,
  MCPAnnotationsSchema,
  type MCPContentBlock,
  MCPContentBlockSchema,
  type MCPResourceContent,
  MCPResourceContentSchema,
  type MCPResourceLink,
  MCPResourceLinkSchema,
} from "./content-block.js";
export {
  type Deprecation,
  DeprecationSchema,
  type Pagination,
  PaginationSchema,
  type RateLimit,
  RateLimitSchema,
  type ResponseHints,
  ResponseHintsSchema,
  type SkippedSource,
  type TokenUsage,
  TokenUsageSchema,
} from "./hints.js";
export {
  type HTTPResponseMeta,
  HTTPResponseMetaSchema,
  type LocalResponseMeta,
  LocalResponseMetaSchema,
  type MCPResponseMeta,
  MCPResponseMetaSchema,
  RESPONSE_SOURCES,
  type ResponseOrigin,
  type ResponseSource,
  type ScriptResponseMeta,
  ScriptResponseMetaSchema,
} from "./origin.js";
export * from "./outcome.js";
export * from "./payload.js";
export { createRequestId } from "./request-id.js";
export * from "./response-envelope.js";
export { WARNINGS, type Warning, type WarningCode, WarningSchema } from "./warning.js";
