export type { SchemaWarning } from "./changes.js";
export {
  type CompiledSchema,
  type CompileOptions,
  check,
  compile,
  type Normalised,
  type NormaliseOptions,
  normalise,
} from "./compile.js";
export { type AnySchema, type SchemaSide, type StandardJsonSchema, toJsonSchema } from "./standard-schema.js";
