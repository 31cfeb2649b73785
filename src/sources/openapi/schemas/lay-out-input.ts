import type { Warning } from "../../../envelope/warning.js";
import type { JsonSchema } from "../../../json/json-schema.js";
import { isRecord, type JsonRecord, setField } from "../../../json/value.js";
import { compile } from "../../../schema/compile.js";
import type { OperationDescription, ParameterDescription, ParameterLocation, SchemaPlace } from "../description.js";
import type { ApiDocument } from "../document/api-document.js";
import type { IndexedOperation } from "../document/index-operations.js";
import type { PlannedParameter, RequestPlan } from "../plan.js";
import { assignKeys, type InputField } from "./input-keys.js";
import { describedAs, type LaidOutBody, layOutBody } from "./lay-out-body.js";
import { SchemaBundle } from "./schema-bundle.js";

export interface LayOutOptions {
  /** Fields of the body whose value is known, where the body has them: nobody is asked for it. */
  readonly fixed?: Readonly<Record<string, unknown>> | undefined;
}

/** What an operation takes as one flat object, and how a request is made of it. */
export interface InputLayout {
  readonly schema: JsonSchema;
  readonly plan: RequestPlan;
  /** Where the keys belong whose name is also that of another. */
  readonly renamed: Readonly<Record<string, InputField>>;
  readonly warnings: readonly Warning[];
}

export function layOutInput(
  document: ApiDocument,
  { method, path }: IndexedOperation,
  description: OperationDescription,
  { fixed = {} }: LayOutOptions = {},
): InputLayout {
  const bundle = new SchemaBundle(document, "input");
  const parameters = inOrder(description.parameters);
  const body = description.body === undefined ? undefined : layOutBody(document, method, description.body, bundle);
  const fields = [...parameters, ...(body?.fields ?? []).map(({ name }) => ({ name, in: "body" as const }))];
  const { keys, renamed } = assignKeys(fields);
  const bodyKeys = keys.slice(parameters.length);
  const shape = new Shape();
  for (const [at, parameter] of parameters.entries())
    shape.add(
      keys[at] as string,
      schemaOf(parameter, bundle),
      parameter.required,
      defaultOf(document, parameter.schema),
    );
  for (const [at, { name, schema, isRequired }] of (body?.fields ?? []).entries()) {
    if (Object.hasOwn(fixed, name) && compile(schema).accepts(fixed[name]))
      shape.fix(bodyKeys[at] as string, fixed[name]);
    else shape.add(bodyKeys[at] as string, schema, isRequired, isRecord(schema) ? schema["default"] : undefined);
  }
  return {
    schema: bundle.finish(shape.schema(body?.additional ?? false)),
    plan: {
      method,
      path,
      parameters: parameters.map((parameter, at) => planned(parameter, keys[at] as string)),
      body: body?.plan(bodyKeys),
      fallbacks: shape.fallbacks,
    },
    renamed,
    warnings: bundle.warnings,
  };
}

/** Who comes first keeps the name. */
const LOCATIONS: readonly ParameterLocation[] = ["path", "query", "querystring", "header", "cookie"];

function inOrder(parameters: readonly ParameterDescription[]): ParameterDescription[] {
  return LOCATIONS.flatMap((location) => parameters.filter((parameter) => parameter.in === location));
}

function schemaOf(parameter: ParameterDescription, bundle: SchemaBundle): JsonSchema {
  const schema = describedAs(bundle.add(parameter.schema), parameter.description);
  return parameter.deprecated === true && typeof schema === "object" ? { ...schema, deprecated: true } : schema;
}

function defaultOf(document: ApiDocument, { schema, base }: SchemaPlace): unknown {
  const found = document.resolve({ value: schema, base })?.value;
  return isRecord(found) ? found["default"] : undefined;
}

function planned(parameter: ParameterDescription, key: string): PlannedParameter {
  const { name, in: location, style, explode, allowReserved, mediaType } = parameter;
  return { key, name, in: location, style, explode, allowReserved, ...(mediaType !== undefined && { mediaType }) };
}

/** The object schema that is being made. */
class Shape {
  readonly fallbacks: JsonRecord = {};
  readonly #properties: JsonRecord = {};
  readonly #required: string[] = [];

  /** What is required and has a default need not be given: it is sent all the same. */
  add(key: string, schema: JsonSchema, isRequired: boolean, fallback: unknown): void {
    setField(this.#properties, key, schema);
    if (isRequired && fallback === undefined) this.#required.push(key);
    else if (isRequired) this.fix(key, fallback);
  }

  fix(key: string, value: unknown): void {
    setField(this.fallbacks, key, value);
  }

  schema(additionalProperties: LaidOutBody["additional"]): JsonSchema {
    const required = this.#required.length > 0 && { required: this.#required };
    return { type: "object", properties: this.#properties, ...required, additionalProperties };
  }
}
