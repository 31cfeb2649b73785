import { typeText } from "../contract/type-text.js";
import type { AccessControl } from "../registry/access.js";
import type { OperationAnnotations } from "../registry/operation.js";
import type { DescribedError, DescribedOperation } from "./description.js";
import type { Style } from "./terminal/style.js";
import { table } from "./terminal/table.js";

/** An operation as a person reads it. */
export function descriptionText(operation: DescribedOperation, style: Style): string {
  const { description, annotations, schemas, inputSchema, outputSchema, errors, access, delivery, example } = operation;
  const sections = [
    headline(operation, style),
    description.trim() === "" ? [] : [description.trim()],
    [...annotationLines(annotations, style), ...(delivery === "durable" ? [DURABLE] : [])],
    section("Input", schemas.input ? typeText(inputSchema) : "anything", style),
    section("Output", schemas.output ? typeText(outputSchema) : "not described", style),
    schemas.problems.length === 0 ? [] : section("Schema problems", schemas.problems.join("\n"), style),
    errors.length === 0 ? [] : section("Errors", errorTable(errors).join("\n"), style),
    access === undefined ? [] : section("Access", accessText(access), style),
    section("Try it", example, style),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const DURABLE = "Durable: a call is kept until a worker has done it, and its result after that.";

function headline(
  { id, title, description, type, version, source, tags = [] }: DescribedOperation,
  style: Style,
): string[] {
  const facts = [
    type,
    `version ${version}`,
    source === undefined ? undefined : `from ${source.name} (${source.kind})`,
    tags.length === 0 ? undefined : `tags ${tags.join(", ")}`,
  ];
  const named = title === undefined || title === id || title === description ? "" : `  ${title}`;
  return [`${style.bold(id)}${named}`, style.dim(facts.filter((fact) => fact !== undefined).join(", "))];
}

function annotationLines(annotations: OperationAnnotations = {}, { red, green }: Style): string[] {
  const { destructive, readOnly, idempotent, openWorld } = annotations;
  return [
    ...(destructive === true ? [red("Destructive: `plico call` asks first, or takes --yes.")] : []),
    ...(readOnly === true ? [green("Read-only: it changes nothing.")] : []),
    ...(idempotent === true ? ["Idempotent: to call it twice does no more than once."] : []),
    ...(openWorld === true ? ["Open world: it reaches systems outside of its own."] : []),
  ];
}

function section(title: string, text: string, { bold }: Style): string[] {
  return [bold(title), text.replaceAll(/^(?=.)/gm, "  ")];
}

function errorTable(errors: readonly DescribedError[]): string[] {
  const rows = errors.map(({ code, category, exitCode, recoverable, description = "" }) => [
    code,
    category,
    `exit code ${exitCode}`,
    recoverable ? "may be tried again" : "",
    description,
  ]);
  const details = errors.flatMap(({ code, details: schema }) =>
    schema === undefined ? [] : [`details of ${code}: ${typeText(schema)}`],
  );
  return [...table(rows, [{}, {}, {}, {}, {}], Number.POSITIVE_INFINITY), ...details];
}

function accessText({
  requiredScopes = [],
  requiredScopesAny = [],
  resourceType,
  resourceAction,
}: AccessControl): string {
  const lines = [
    requiredScopes.length === 0 ? undefined : `scopes, all of: ${requiredScopes.join(", ")}`,
    requiredScopesAny.length === 0 ? undefined : `scopes, one of: ${requiredScopesAny.join(", ")}`,
    resourceType === undefined ? undefined : `${resourceAction ?? "any action"} on ${resourceType}`,
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}
