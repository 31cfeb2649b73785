export * from "./dialects/index.js";
export * from "./envelope/index.js";
export type { Issue } from "./json/issue.js";
export type { JsonSchema } from "./json/json-schema.js";
export type { JsonPointer } from "./json/pointer.js";
export type { JsonRecord } from "./json/value.js";
export * from "./protocol/index.js";
export * from "./registry/index.js";
export * from "./schema/index.js";
