export type { AccessControl, Identity } from "./access.js";
export type { CallOptions, ExecuteOptions, Progress } from "./call-options.js";
export { type ClientCall, type ClientOf, type ClientSubscription, client } from "./client.js";
export type { HandlerContext } from "./context.js";
export {
  type BuildEnvOptions,
  buildEnv,
  type EnvCallOptions,
  type OperationEnv,
  type OperationFunction,
} from "./env.js";
export type { InputLimits } from "./limits.js";
export { mapError } from "./map-error.js";
export {
  type AnyHandler,
  defineOperation,
  type ErrorDeclaration,
  type ErrorDeclarations,
  type HandlerResult,
  type InputPolicy,
  type Operation,
  type OperationAnnotations,
  type OperationDefinition,
  type OperationSpec,
  type OperationType,
  type OutputPolicy,
  type SubscriptionResult,
} from "./operation.js";
export type { AnyOperation, EnvOf, OperationMap, OutcomeOf } from "./operation-map.js";
export type { PageOptions } from "./pages.js";
export type { Middleware } from "./pipeline.js";
export { type ListFilter, OperationRegistry, type RegisteredOperation, type RegistryOptions } from "./registry.js";
export { REGISTRY_CODES, type RegistryCode } from "./registry-code.js";
export { mountSource, type OperationSource, type SourceHealth, type SourceStatus } from "./source.js";
