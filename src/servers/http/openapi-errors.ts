import { problemDetails } from "../../dialects/problem-details.js";
import { responseV2 } from "../../dialects/response-v2.js";
import { type CallErrorData, callErrorData } from "../../envelope/call-error.js";
import type { KnownCategory } from "../../envelope/category.js";
import type { JsonSchemaObject } from "../../json/json-schema.js";
import { compact, type JsonRecord } from "../../json/value.js";
import type { DeclaredError } from "./declared-errors.js";
import { type HeaderName, headerReferences } from "./openapi-parts.js";
import { knownFailure, referenceTo } from "./openapi-schemas.js";
import { documentValue } from "./openapi-words.js";
import { ENVELOPE_TYPE } from "./printing.js";
import type { Component } from "./schema-components.js";

/** A failure that any operation may end in. */
interface SharedFailure {
  readonly name: string;
  readonly description: string;
  readonly category: KnownCategory;
  readonly message: string;
  readonly headers?: readonly HeaderName[];
  readonly about?: Partial<CallErrorData>;
}

const LIMITS = ["Retry-After", "RateLimit", "RateLimit-Policy"] as const;

const SHARED = {
  "400": {
    name: "BadRequest",
    description: "The input does not match its schema, or the request could not be read.",
    category: "validation",
    message: "The input is not valid.",
    about: { issues: [{ path: "/name", message: "is required" }] },
  },
  "401": {
    name: "Unauthorized",
    description: "The caller is not known.",
    category: "authentication",
    message: "The caller is not known.",
    headers: ["WWW-Authenticate"],
  },
  "403": {
    name: "Forbidden",
    description: "The caller is known, and may not do this.",
    category: "authorization",
    message: "This is not allowed.",
  },
  "429": {
    name: "TooManyRequests",
    description: "A limit is reached. `Retry-After` says for how long.",
    category: "rate_limit",
    message: "There were too many requests.",
    headers: LIMITS,
    about: { retryAfterMs: 30_000 },
  },
  "500": {
    name: "Failed",
    description: "The operation failed.",
    category: "execution",
    message: "The operation failed unexpectedly.",
  },
  "503": {
    name: "Unavailable",
    description: "The operation cannot be run now.",
    category: "unavailable",
    message: "The operation is not available.",
    headers: LIMITS,
  },
  "504": {
    name: "TimedOut",
    description: "The operation took too long.",
    category: "timeout",
    message: "The call timed out.",
  },
  default: {
    name: "Failure",
    description: "Any other failure.",
    category: "internal",
    message: "The operation failed unexpectedly.",
  },
} as const satisfies Record<string, SharedFailure>;

/** The responses that operations refer to. */
export function sharedResponses(): JsonRecord {
  const made = Object.values(SHARED).map(({ name, description, category, message, ...more }: SharedFailure) => {
    const example = callErrorData({ category, message, ...more.about });
    return [name, failureResponse(description, more.headers ?? [], referenceTo("Failure"), example)];
  });
  return Object.fromEntries(made);
}

/** An error that an operation declares, and the schema of its details in the document. */
export interface DescribedError extends DeclaredError {
  readonly component: Component | undefined;
}

/** The failures of an operation by their statuses; `isRestricted` where callers have to make themselves known. */
export function errorResponses(errors: readonly DescribedError[], isRestricted: boolean): JsonRecord {
  const statuses = Object.keys(SHARED).filter((status) => isRestricted || !RESTRICTED.has(status));
  const responses: JsonRecord = {};
  for (const status of statuses)
    responses[status] = { $ref: `#/components/responses/${SHARED[status as Shared].name}` };
  for (const status of new Set(errors.map((error) => String(error.status)))) {
    const declared = errors.filter((error) => String(error.status) === status);
    responses[status] = declaredResponse(declared, statuses.includes(status));
  }
  return responses;
}

type Shared = keyof typeof SHARED;

const RESTRICTED: ReadonlySet<string> = new Set(["401", "403"]);

function declaredResponse(errors: readonly DescribedError[], isShared: boolean): JsonRecord {
  const [first] = errors as [DescribedError];
  const shared: SharedFailure | undefined = isShared ? SHARED[String(first.status) as Shared] : undefined;
  const known = errors.map(({ code, component }) => knownFailure(code, component?.reference));
  const schemas = isShared ? [...known, referenceTo("Failure")] : known;
  const words = errors.map(({ code, description }) =>
    description === undefined ? `\`${code}\`` : `\`${code}\`: ${description}`,
  );
  return failureResponse(
    [...(shared === undefined ? [] : [shared.description]), ...words].join("\n\n"),
    shared?.headers ?? [],
    schemas.length === 1 ? (schemas[0] as JsonSchemaObject) : { anyOf: schemas },
    exampleError(first),
  );
}

function exampleError({ category, code, description = code, recoverable, component }: DescribedError): CallErrorData {
  const details = component?.example?.value;
  return callErrorData(compact({ category, code, message: description, recoverable, details }));
}

function failureResponse(
  description: string,
  headers: readonly HeaderName[],
  schema: JsonSchemaObject,
  error: CallErrorData,
): JsonRecord {
  const outcome = { ok: false, error, meta: {} } as const;
  return {
    description,
    headers: headerReferences([...headers, "traceparent"]),
    content: {
      "application/json": { schema, ...exampleField(responseV2.write(outcome).wire) },
      "application/problem+json": {
        schema: referenceTo("Problem"),
        ...exampleField(problemDetails.write(outcome).wire),
      },
      [ENVELOPE_TYPE]: { schema: referenceTo("FailureEnvelope") },
    },
  };
}

function exampleField(value: unknown): JsonRecord {
  const shown = documentValue(value);
  return shown === undefined ? {} : { example: shown.value };
}
