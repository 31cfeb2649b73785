import { orElse } from "../json/attempt.js";
import * as guard from "../json/guard.js";
import { type Guard, listOf, recordOf } from "../json/guard.js";
import type { Issue } from "../json/issue.js";
import { arraySchema, type JsonSchema, objectSchema } from "../json/json-schema.js";
import { compact, isRecord } from "../json/value.js";
import { type Category, categoryFacts } from "./category.js";

/** A failure as plain data: the same after every hop. */
export interface CallErrorData {
  readonly category: Category;
  readonly code: string;
  readonly message: string;
  /** What the source says about the failure: a text, or a structure of its own. */
  readonly details?: unknown;
  /** What the call returned although it failed, such as the rows that were read before it did. */
  readonly data?: unknown;
  /** One entry a field that was wrong. */
  readonly issues?: readonly Issue[];
  /** Whether trying again can help. */
  readonly recoverable: boolean;
  readonly suggestedAction?: string;
  readonly nextTool?: string;
  readonly retryAfterMs?: number;
}

/** The least that makes an error: the rest follows from the category. */
export type CallErrorInit = Pick<CallErrorData, "category" | "message"> &
  Partial<CallErrorData> & { readonly cause?: unknown };

/** The error that `execute` throws. Tell it by `isCallError`, never by `instanceof`: two copies of Plico may be loaded. */
export class CallError extends Error implements CallErrorData {
  override readonly name = "CallError";
  readonly category: Category;
  readonly code: string;
  declare readonly details?: unknown;
  declare readonly data?: unknown;
  declare readonly issues?: readonly Issue[];
  readonly recoverable: boolean;
  declare readonly suggestedAction?: string;
  declare readonly nextTool?: string;
  declare readonly retryAfterMs?: number;

  /** Also of another `CallError`, whose message is no field that a copy would take along. */
  constructor(init: CallErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    const data = callErrorData(init);
    this.category = data.category;
    this.code = data.code;
    this.recoverable = data.recoverable;
    for (const name of OPTIONAL_FIELDS) {
      if (data[name] !== undefined) Object.defineProperty(this, name, { value: data[name], enumerable: true });
    }
  }

  toJSON(): CallErrorData {
    return callErrorData(this);
  }
}

const FIELD_GUARDS: Readonly<Record<keyof CallErrorData, Guard>> = {
  category: guard.string,
  code: guard.string,
  message: guard.string,
  recoverable: guard.boolean,
  details: guard.anything,
  data: guard.anything,
  issues: listOf(isIssue),
  suggestedAction: guard.string,
  nextTool: guard.string,
  retryAfterMs: (value) => typeof value === "number" && value >= 0,
};

const OPTIONAL_FIELDS = ["details", "data", "issues", "suggestedAction", "nextTool", "retryAfterMs"] as const;

/** The fields of an error, in the order in which they are written. */
export const CALL_ERROR_FIELDS: readonly (keyof CallErrorData)[] = Object.keys(FIELD_GUARDS) as (keyof CallErrorData)[];

/** Whether a value from a wire may stand for this field of an error. */
export function isCallErrorField(name: string, value: unknown): boolean {
  return Object.hasOwn(FIELD_GUARDS, name) && FIELD_GUARDS[name as keyof CallErrorData](value);
}

export function isIssue(value: unknown): value is Issue {
  return hasIssueFields(value);
}

const hasIssueFields = recordOf({ path: guard.string, message: guard.string }, { rule: guard.string });

export function isCallError(value: unknown): value is CallError {
  return orElse(() => isRecord(value) && value["name"] === "CallError" && hasWords(value), false);
}

function hasWords({ category, code, message }: Readonly<Record<string, unknown>>): boolean {
  return typeof category === "string" && typeof code === "string" && typeof message === "string";
}

/** Plain data with the category's own code and `recoverable` where the error does not say. */
export function callErrorData(init: Omit<CallErrorInit, "cause">): CallErrorData {
  const facts = categoryFacts(init.category);
  return compact({
    category: init.category,
    code: init.code ?? facts.code,
    message: init.message,
    recoverable: init.recoverable ?? facts.recoverable,
    details: init.details,
    data: init.data,
    issues: init.issues,
    suggestedAction: init.suggestedAction,
    nextTool: init.nextTool,
    retryAfterMs: init.retryAfterMs,
  });
}

/** Whatever was thrown, as a `CallError`. The text of an unknown exception stays in `cause`, so that it does not leak. */
export function callErrorFrom(thrown: unknown): CallError {
  const known = knownError(thrown);
  if (known !== undefined) return known;
  const name = orElse(() => (isRecord(thrown) ? thrown["name"] : undefined), undefined);
  if (name === "AbortError")
    return new CallError({ category: "aborted", message: "The call was aborted.", cause: thrown });
  if (name === "TimeoutError")
    return new CallError({ category: "timeout", message: "The call timed out.", cause: thrown });
  return new CallError({ category: "internal", message: "The operation failed unexpectedly.", cause: thrown });
}

/** A `CallError`, of this copy of Plico or of another whose fields may be fewer. */
function knownError(thrown: unknown): CallError | undefined {
  return orElse(() => {
    if (!isCallError(thrown)) return undefined;
    return typeof thrown.recoverable === "boolean"
      ? thrown
      : new CallError({ ...callErrorData(thrown), cause: thrown });
  }, undefined);
}

const string = { type: "string" };

export const IssueSchema: JsonSchema = objectSchema({ path: string, message: string, rule: string }, ["rule"]);

export const CallErrorSchema: JsonSchema = objectSchema(
  {
    category: string,
    code: string,
    message: string,
    recoverable: { type: "boolean" },
    details: true,
    data: true,
    issues: arraySchema(IssueSchema),
    suggestedAction: string,
    nextTool: string,
    retryAfterMs: { type: "number", minimum: 0 },
  },
  OPTIONAL_FIELDS,
);
