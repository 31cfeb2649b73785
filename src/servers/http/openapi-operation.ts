import { printJson } from "../../json/printable.js";
import { compact, type JsonRecord } from "../../json/value.js";
import { isShownTo } from "../../registry/access.js";
import type { OperationSpec } from "../../registry/operation.js";
import { portableName } from "../../registry/portable-name.js";
import { declaredErrors } from "./declared-errors.js";
import { isDeprecated, metaOf } from "./listing.js";
import { type DescribedError, errorResponses } from "./openapi-errors.js";
import { parameterReference } from "./openapi-parts.js";
import { streamResponse, successResponse } from "./openapi-responses.js";
import type { RequestParts } from "./openapi-routes.js";
import { isAlwaysWrapped } from "./openapi-schemas.js";
import { documentValue } from "./openapi-words.js";
import type { Component, SchemaComponents } from "./schema-components.js";

/** An operation in the words of OpenAPI, but for the way on which its input travels. */
export class OpenApiOperation {
  readonly id: string;
  readonly spec: OperationSpec;
  readonly input: Component;
  readonly #data: Component;
  readonly #errors: readonly DescribedError[];
  readonly #responses: JsonRecord;

  constructor(spec: OperationSpec, operationId: string, components: SchemaComponents, hasSecurity: boolean) {
    this.id = `${spec.namespace}.${spec.name}`;
    this.spec = spec;
    this.input = components.add(`${operationId}.input`, () => spec.inputSchema, "input");
    this.#data = components.add(`${operationId}.data`, () => spec.outputSchema, "output");
    this.#errors = declaredErrors(spec).map((error): DescribedError => {
      const { code, details } = error;
      const name = `${operationId}.error.${portableName(code)}`;
      const component = details === undefined ? undefined : components.add(name, () => details, "output");
      return { ...error, component };
    });
    const isRestricted = hasSecurity || !isShownTo(spec.accessControl, undefined, this.id);
    const answer = spec.type === "subscription" ? streamResponse : successResponse;
    this.#responses = { 200: answer(this.id, this.#data), ...errorResponses(this.#errors, isRestricted) };
  }

  /** With an id that no other has, and what Plico wants to know of it. */
  described(operationId: string, { parameters, requestBody }: RequestParts, plico: JsonRecord): JsonRecord {
    const { title = this.id, description, namespace, tags = [], type } = this.spec;
    const headers =
      type === "mutation"
        ? [parameterReference("Idempotency-Key")]
        : type === "subscription"
          ? [parameterReference("Last-Event-ID")]
          : [];
    const all = [...parameters, ...headers];
    return compact({
      operationId,
      summary: title,
      description,
      tags: [...new Set([namespace, ...tags])],
      deprecated: isDeprecated(this.spec) ? true : undefined,
      parameters: all.length === 0 ? undefined : all,
      requestBody,
      responses: this.#responses,
      "x-plico": plico,
    });
  }

  /** All of the operation that OpenAPI has no place for, so that an importer of Plico gives back the same. */
  get plico(): JsonRecord {
    const { version, type, title, tags, annotations, http } = this.spec;
    const _meta = metaOf(this.spec);
    const warnings = [...this.input.warnings, ...this.#data.warnings];
    return compact({
      id: this.id,
      version,
      type,
      title,
      tags,
      annotations,
      http,
      wrapsOutput: isAlwaysWrapped(this.#data) ? true : undefined,
      errors: this.#errors.length === 0 ? undefined : Object.fromEntries(this.#errors.map(errorEntry)),
      _meta: _meta === undefined ? undefined : shownMeta(_meta),
      warnings: warnings.length === 0 ? undefined : warnings,
    });
  }
}

function errorEntry({ code, description, category, recoverable, component }: DescribedError): [string, JsonRecord] {
  return [code, compact({ description, category, recoverable, details: component?.reference })];
}

/** Whatever it holds, the document must not fail for it. */
function shownMeta(meta: JsonRecord): JsonRecord {
  const entries = Object.entries(JSON.parse(printJson(meta)) as JsonRecord);
  return Object.fromEntries(entries.filter(([, value]) => documentValue(value) !== undefined));
}
