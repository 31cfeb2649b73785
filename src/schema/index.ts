export {
  type CompiledSchema,
  type CompileOptions,
  check,
  compile,
  type Normalised,
  type NormaliseOptions,
  normalise,
} from "./compile.js";
export type { Infer } from "./infer.js";
export type { Documents } from "./resources.js";
export type { SchemaWarning } from "./site.js";
export type { Excess, SizeLimits } from "./size.js";
export { type AnySchema, type SchemaSide, type StandardJsonSchema, toJsonSchema } from "./standard-schema.js";
