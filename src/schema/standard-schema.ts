import { messageOf, orElse } from "../json/attempt.js";
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
  const { json, lacking } = readSchema(schema, side);
  if (lacking !== undefined) throw lacking;
  return json;
}

/** A schema as JSON Schema, as far as that can say it. */
export interface ReadSchema {
  readonly json: JsonSchema;
  /** Some of it has no word in JSON Schema, and accepts anything there. */
  readonly lacking?: TypeError;
}

/** As `toJsonSchema`, but a part that JSON Schema cannot say does not count against the rest. */
export function readSchema(schema: AnySchema, side: SchemaSide): ReadSchema {
  if (typeof schema === "boolean") return { json: schema };
  const standard = (schema as Partial<StandardJsonSchema> | null | undefined)?.["~standard"];
  if (standard !== undefined) return fromStandard(standard, side);
  if (isRecord(schema)) return { json: schema };
  const what = schema === undefined ? "nothing" : told(schema);
  throw new TypeError(`A schema is wanted and ${what} was given. Pass a JSON Schema or a Standard Schema.`);
}

/** The JSON Schema as far as it can be had; `true`, which accepts anything, where it cannot. To ask for the schema may throw. */
export function jsonSchemaOf(schema: () => unknown, side: SchemaSide): JsonSchema {
  return orElse<JsonSchema>(() => readSchema(schema() as AnySchema, side).json, true);
}

function fromStandard(
  standard: (Partial<StandardJsonSchema["~standard"]> & { vendor?: unknown }) | null,
  side: SchemaSide,
): ReadSchema {
  const { jsonSchema, vendor } = standard ?? {};
  if (typeof jsonSchema?.output !== "function") throw cannotTell(vendor, ADVICE);
  const convert = (options: ConvertOptions): JsonSchema =>
    (jsonSchema[side] === undefined ? jsonSchema.output : jsonSchema[side]).call(jsonSchema, options);
  try {
    return { json: convert(TARGET) };
  } catch (thrown) {
    const lacking = cannotTell(vendor, messageOf(thrown), thrown);
    const json = orElse(() => convert(LENIENT), undefined);
    if (json === undefined) throw lacking;
    return { json, lacking };
  }
}

const TARGET = { target: "draft-2020-12" } as const;

/** How zod and valibot are asked to leave out what JSON Schema cannot say. */
const LENIENT = { ...TARGET, libraryOptions: { unrepresentable: "any", errorMode: "ignore" } } as const;

type ConvertOptions = typeof TARGET | typeof LENIENT;

const ADVICE =
  'Use a version of the library with "~standard".jsonSchema, wrap the schema (valibot: toStandardJsonSchema of ' +
  "@valibot/to-json-schema), or pass the JSON Schema itself.";

function cannotTell(vendor: unknown, why: string, cause?: unknown): TypeError {
  const whose = typeof vendor === "string" ? `This ${vendor} schema` : "This Standard Schema";
  return new TypeError(`${whose} cannot tell its JSON Schema: ${why}`, cause === undefined ? undefined : { cause });
}
