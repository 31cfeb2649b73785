import { CallError } from "../envelope/call-error.js";
import { messageOf } from "../json/attempt.js";
import type { Issue } from "../json/issue.js";
import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { told } from "../json/told.js";
import { isRecord, isString, isStringArray, type JsonRecord } from "../json/value.js";
import { type AnySchema, readSchema, type SchemaSide } from "../schema/standard-schema.js";
import { HTTP_METHODS, type HttpMethod, type OperationSpec } from "./operation.js";
import { RESERVED } from "./portable-name.js";

/** Throws a `CallError` that names all that is wrong with a spec. */
export function checkSpec(spec: OperationSpec): void {
  const issues = isRecord(spec) ? [...issuesOf(spec)] : [{ path: "", message: `must be an object, not ${told(spec)}` }];
  if (issues.length === 0) return;
  const what = issues.map(({ path, message }) => `${path === "" ? "it" : path.slice(1)} ${message}`).join("; ");
  const name = isRecord(spec) ? `${told(spec["namespace"])}.${told(spec["name"])}` : "This";
  throw new CallError({
    category: "validation",
    code: "INVALID_OPERATION",
    message: `${name.replaceAll('"', "")} cannot be registered: ${what}.`,
    issues,
  });
}

export function checkHandler(id: string, handler: unknown): void {
  if (typeof handler === "function") return;
  throw new CallError({
    category: "validation",
    code: "INVALID_OPERATION",
    message: `The handler of ${id} must be a function, not ${told(handler)}.`,
    issues: [{ path: "/handler", message: "must be a function" }],
  });
}

export function checkPolicy(policy: unknown): void {
  if (POLICIES.includes(policy as string)) return;
  throw new TypeError(`The output policy of a registry must be ${POLICIES.join(", ")}, not ${told(policy)}.`);
}

export function duplicate(id: string, what: "operation" | "handler" = "operation"): CallError {
  return new CallError({
    category: "conflict",
    code: "DUPLICATE_OPERATION",
    message: what === "operation" ? `There is an operation ${id} already.` : `${id} has a handler already.`,
  });
}

export const NAMESPACE: RegExp = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}$/;
export const VERSION: RegExp = /^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/;

export const OPERATION_TYPES: readonly string[] = ["query", "mutation", "subscription"];
export const POLICIES: readonly string[] = ["normalise", "cast", "check", "strict", "off"];

const DELIVERIES: readonly string[] = ["once", "durable"];

function* issuesOf(spec: JsonRecord): Generator<Issue> {
  yield* nameIssues(spec, "namespace", NAMESPACE, "letters, digits, _ and -, at most 64");
  yield* nameIssues(spec, "name", NAME, "letters, digits, _, -, . and /, at most 128");
  if (typeof spec["version"] !== "string" || !VERSION.test(spec["version"]))
    yield issue("version", `must be a semantic version such as 1.0.0, not ${told(spec["version"])}`);
  if (!OPERATION_TYPES.includes(spec["type"] as string))
    yield issue("type", `must be ${OPERATION_TYPES.join(", ")}, not ${told(spec["type"])}`);
  if (typeof spec["description"] !== "string")
    yield issue("description", `must be a text, not ${told(spec["description"])}`);
  if (spec["output"] !== undefined && !POLICIES.includes(spec["output"] as string))
    yield issue("output", `must be ${POLICIES.join(", ")}, not ${told(spec["output"])}`);
  if (spec["input"] !== undefined && spec["input"] !== "check" && spec["input"] !== "off")
    yield issue("input", `must be check or off, not ${told(spec["input"])}`);
  if (spec["delivery"] !== undefined && !DELIVERIES.includes(spec["delivery"] as string))
    yield issue("delivery", `must be ${DELIVERIES.join(" or ")}, not ${told(spec["delivery"])}`);
  if (spec["delivery"] === "durable" && spec["type"] === "subscription")
    yield issue("delivery", "must be once where the operation is a subscription");
  if (spec["tags"] !== undefined && !isStringArray(spec["tags"])) yield issue("tags", "must be a list of texts");
  if (!isLazy(spec, "inputSchema")) yield* schemaIssues(spec["inputSchema"], pointerTo("inputSchema"), "input");
  if (!isLazy(spec, "outputSchema")) yield* schemaIssues(spec["outputSchema"], pointerTo("outputSchema"));
  yield* routeIssues(spec["http"]);
  yield* errorIssues(spec["errorSchemas"]);
  yield* accessIssues(spec["accessControl"]);
}

function* nameIssues(spec: JsonRecord, field: string, form: RegExp, what: string): Generator<Issue> {
  const name = spec[field];
  if (typeof name !== "string" || !form.test(name)) yield issue(field, `must be ${what}, not ${told(name)}`);
  else if (RESERVED.includes(name)) yield issue(field, `must not be ${name}, which JavaScript uses itself`);
}

/** A schema that is made when it is first needed is not asked for before. */
function isLazy(spec: JsonRecord, field: string): boolean {
  return Object.getOwnPropertyDescriptor(spec, field)?.get !== undefined;
}

const PATH = /^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@%-]|\{[A-Za-z0-9_.-]+\}|\/)*$/;

function* routeIssues(route: unknown): Generator<Issue> {
  if (route === undefined) return;
  if (!isRecord(route)) return yield issue("http", `must be { method, path }, not ${told(route)}`);
  const { method, path } = route;
  if (!HTTP_METHODS.includes(method as HttpMethod))
    yield { path: "/http/method", message: `must be ${HTTP_METHODS.join(", ")}, not ${told(method)}` };
  if (!isString(path) || !PATH.test(path))
    yield { path: "/http/path", message: `must be a path such as /users/{userId}, not ${told(path)}` };
}

function* schemaIssues(schema: unknown, path: JsonPointer, side: SchemaSide = "output"): Generator<Issue> {
  try {
    readSchema(schema as AnySchema, side);
  } catch (thrown) {
    yield { path, message: `is no schema: ${messageOf(thrown).replace(/\.$/, "")}` };
  }
}

/** What is wrong with the errors that an operation declares. */
export function* errorIssues(errors: unknown): Generator<Issue> {
  if (errors === undefined) return;
  if (!isRecord(errors)) return yield issue("errorSchemas", `must be an object by error code, not ${told(errors)}`);
  for (const [code, declaration] of Object.entries(errors)) {
    const path = pointerTo("errorSchemas", code);
    if (!isRecord(declaration)) yield { path, message: `must be an object, not ${told(declaration)}` };
    else yield* declarationIssues(declaration, path);
  }
}

function* declarationIssues({ category, recoverable, details }: JsonRecord, path: JsonPointer): Generator<Issue> {
  if (category !== undefined && typeof category !== "string")
    yield { path: `${path}/category`, message: "must be a text" };
  if (recoverable !== undefined && typeof recoverable !== "boolean")
    yield { path: `${path}/recoverable`, message: "must be true or false" };
  if (details !== undefined) yield* schemaIssues(details, `${path}/details`);
}

const SCOPE_LISTS = ["requiredScopes", "requiredScopesAny"];
const RESOURCE_FIELDS = ["resourceType", "resourceAction", "resourceIdField"];

/** A mistake here would leave an operation open to all. */
function* accessIssues(access: unknown): Generator<Issue> {
  if (access === undefined) return;
  if (!isRecord(access)) return yield issue("accessControl", `must be an object, not ${told(access)}`);
  for (const [field, value] of Object.entries(access)) {
    const path = pointerTo("accessControl", field);
    if (SCOPE_LISTS.includes(field)) {
      if (value !== undefined && !isStringArray(value)) yield { path, message: "must be a list of texts" };
    } else if (!RESOURCE_FIELDS.includes(field)) yield { path, message: "is not known here" };
    else if (value !== undefined && typeof value !== "string") yield { path, message: "must be a text" };
  }
  const { resourceType, resourceAction, resourceIdField } = access;
  if (
    (resourceType === undefined) !== (resourceAction === undefined) ||
    (resourceIdField !== undefined && resourceType === undefined)
  )
    yield issue("accessControl", "must have both resourceType and resourceAction, or neither");
}

function issue(field: string, message: string): Issue {
  return { path: pointerTo(field), message };
}
