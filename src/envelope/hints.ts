import * as guard from "../json/guard.js";
import { type Guard, listOf, nullable, oneOf, recordOf } from "../json/guard.js";
import { arraySchema, type JsonSchema, objectSchema } from "../json/json-schema.js";
import { isRecord } from "../json/value.js";
import { type MCPResourceLink, MCPResourceLinkSchema } from "./content-block.js";
import { type Warning, WarningSchema } from "./warning.js";

/** What a consumer may look for in `meta` whatever the source. Each is absent where the source did not say it. */
export interface ResponseHints {
  readonly requestId?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  /** Unix epoch milliseconds. */
  readonly timestamp?: number;
  readonly status?: "ok" | "info" | "warn";
  /** One line for people. */
  readonly summary?: string;
  readonly details?: readonly string[];
  readonly nextSteps?: readonly string[];
  readonly warnings?: readonly Warning[];
  readonly skippedSources?: readonly SkippedSource[];
  readonly deprecations?: readonly Deprecation[];
  readonly pagination?: Pagination;
  readonly rateLimit?: RateLimit;
  readonly tokenUsage?: TokenUsage;
  readonly telemetry?: Readonly<Record<string, unknown>>;
  /** Something shown inline was shortened. */
  readonly truncated?: boolean;
  readonly links?: readonly MCPResourceLink[];
  /** By dialect, the fields that only this dialect knows, so that writing it again loses nothing. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A source that was left out: its name, or what the helper said about it. */
export type SkippedSource = string | Readonly<Record<string, unknown>>;

export interface Deprecation {
  /** Where the field is, such as `payload.steps`. */
  readonly field: string;
  readonly since: number;
  readonly removeInVersion: number;
  readonly replacement?: string;
  readonly note?: string;
}

export interface Pagination {
  /** `null` on the last page. */
  readonly cursor?: string | null;
  readonly hasMore?: boolean;
  readonly totalCount?: number;
  readonly pageSize?: number;
  readonly page?: number;
}

export interface RateLimit {
  readonly limit?: number;
  readonly remaining?: number;
  /** Unix epoch milliseconds. */
  readonly resetAt?: number;
  readonly resetSeconds?: number;
  readonly retryAfterMs?: number;
}

export interface TokenUsage {
  readonly inline?: number;
  readonly total?: number;
}

const string = { type: "string" };
const number = { type: "number" };
const count = { type: "integer", minimum: 0 };

export const DeprecationSchema: JsonSchema = objectSchema(
  { field: string, since: number, removeInVersion: number, replacement: string, note: string },
  ["replacement", "note"],
);

export const PaginationSchema: JsonSchema = objectSchema(
  {
    cursor: { type: ["string", "null"] },
    hasMore: { type: "boolean" },
    totalCount: count,
    pageSize: count,
    page: count,
  },
  "all",
);

export const RateLimitSchema: JsonSchema = objectSchema(
  { limit: number, remaining: number, resetAt: number, resetSeconds: number, retryAfterMs: number },
  "all",
);

export const TokenUsageSchema: JsonSchema = objectSchema({ inline: number, total: number }, "all");

/** The schema of each hint by its name. */
export const HINT_SCHEMAS: Readonly<Record<keyof ResponseHints, JsonSchema>> = {
  requestId: string,
  traceId: string,
  spanId: string,
  timestamp: number,
  status: { enum: ["ok", "info", "warn"] },
  summary: string,
  details: arraySchema(string),
  nextSteps: arraySchema(string),
  warnings: arraySchema(WarningSchema),
  skippedSources: arraySchema({ type: ["string", "object"] }),
  deprecations: arraySchema(DeprecationSchema),
  pagination: PaginationSchema,
  rateLimit: RateLimitSchema,
  tokenUsage: TokenUsageSchema,
  telemetry: { type: "object" },
  truncated: { type: "boolean" },
  links: arraySchema(MCPResourceLinkSchema),
  extra: { type: "object" },
};

export const ResponseHintsSchema: JsonSchema = objectSchema(HINT_SCHEMAS, "all");

const isLink = recordOf(
  { type: oneOf("resource_link"), uri: guard.string, name: guard.string },
  { title: guard.string, description: guard.string, mimeType: guard.string },
);

const hasDeprecationFields = recordOf(
  { field: guard.string, since: guard.number, removeInVersion: guard.number },
  { replacement: guard.string, note: guard.string },
);

const HINT_GUARDS: Readonly<Record<keyof ResponseHints, Guard>> = {
  requestId: guard.string,
  traceId: guard.string,
  spanId: guard.string,
  timestamp: guard.number,
  status: oneOf("ok", "info", "warn"),
  summary: guard.string,
  details: listOf(guard.string),
  nextSteps: listOf(guard.string),
  warnings: listOf(recordOf({ code: guard.string, message: guard.string }, { path: guard.string, count: guard.count })),
  skippedSources: listOf((value) => typeof value === "string" || isRecord(value)),
  deprecations: listOf(isDeprecation),
  pagination: recordOf(
    {},
    {
      cursor: nullable(guard.string),
      hasMore: guard.boolean,
      totalCount: guard.count,
      pageSize: guard.count,
      page: guard.count,
    },
  ),
  rateLimit: recordOf(
    {},
    {
      limit: guard.number,
      remaining: guard.number,
      resetAt: guard.number,
      resetSeconds: guard.number,
      retryAfterMs: guard.number,
    },
  ),
  tokenUsage: recordOf({}, { inline: guard.number, total: guard.number }),
  telemetry: isRecord,
  truncated: guard.boolean,
  links: listOf(isLink),
  extra: isRecord,
};

export const HINT_NAMES: readonly (keyof ResponseHints)[] = Object.keys(HINT_GUARDS) as (keyof ResponseHints)[];

/** Whether a value from a wire may stand for this hint. */
export function isHint(name: string, value: unknown): boolean {
  return Object.hasOwn(HINT_GUARDS, name) && HINT_GUARDS[name as keyof ResponseHints](value);
}

/** The hints among the fields of a meta, whatever it is. */
export function hintsIn(meta: unknown): ResponseHints {
  const entries = isRecord(meta) ? Object.entries(meta) : [];
  return Object.fromEntries(entries.filter(([name, value]) => isHint(name, value)));
}

export function isDeprecation(value: unknown): value is Deprecation {
  return hasDeprecationFields(value);
}
