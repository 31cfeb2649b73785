export type { OperationFilter } from "./document/operation-filter.js";
export type { ClientCredentials } from "./exchange/client-credentials.js";
export type { Credential, UserPassword } from "./exchange/credentials.js";
export { type OpenApiHealth, type OpenApiSource, openapiSource } from "./openapi-source.js";
export type { OpenApiLimits, OpenApiSourceOptions } from "./options.js";
export type { FileInput } from "./plan.js";
