import { messageOf } from "../json/attempt.js";
import type { JsonSchema } from "../json/json-schema.js";
import { told } from "../json/told.js";
import { isRecord } from "../json/value.js";

/** A Standard Schema that can tell its JSON Schema: zod, arktype, valibot with its converter. */
export interface StandardJsonSchema {
  readonly "~standard": {
    readonly jsonSchema: Readonly<Partial<Record<SchemaSide, ToJsonSchema>>> & { readonly output: ToJsonSchema };
  };
}

type ToJsonSchema = (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;

/** A Standard Schema may convert: what it takes in and what it puts out are then two things. */
export type SchemaSide = "input" | "output";

/** What is accepted wherever a schema is asked for: TypeBox and JSON Schema as they are, or a Standard Schema. */
export type AnySchema = JsonSchema | StandardJsonSchema | object;

/** The JSON Schema of one side of a schema. Throws a `TypeError` that says what to do where there is none. */
export function toJsonSchema(schema: AnySchema, side: SchemaSide = "output"): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const standard = (schema as Partial<StandardJsonSchema> | null | undefined)?.["~standard"];
  if (standard !== undefined) return fromStandard(standard, side);
  if (isRecord(schema)) return schema;
  throw new TypeError(`A schema is wanted and ${told(schema)} was given. Pass a JSON Schema or a Standard Schema.`);
}

function fromStandard(
  standard: (Partial<StandardJsonSchema["~standard"]> & { vendor?: unknown }) | null,
  side: SchemaSide,
): JsonSchema {
  if (typeof standard?.jsonSchema?.output !== "function") throw cannotTell(standard?.vendor, ADVICE);
  try {
    const { jsonSchema } = standard;
    return (jsonSchema[side] === undefined ? jsonSchema.output : jsonSchema[side]).call(jsonSchema, TARGET[side]);
  } catch (thrown) {
    throw cannotTell(standard.vendor, messageOf(thrown), thrown);
  }
}

/** What JSON Schema cannot say of an input is left to the schema's own check; valibot must be asked for that. */
const TARGET = {
  input: { target: "draft-2020-12", libraryOptions: { errorMode: "ignore" } },
  output: { target: "draft-2020-12" },
} as const;

const ADVICE =
  'Use a version of the library with "~standard".jsonSchema, wrap the schema (valibot: toStandardJsonSchema of ' +
  "@valibot/to-json-schema), or pass the JSON Schema itself.";

function cannotTell(vendor: unknown, why: string, cause?: unknown): TypeError {
  const whose = typeof vendor === "string" ? `This ${vendor} schema` : "This Standard Schema";
  return new TypeError(`${whose} cannot tell its JSON Schema: ${why}`, cause === undefined ? undefined : { cause });
}
