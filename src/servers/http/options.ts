import { CallError } from "../../envelope/call-error.js";
import { AMOUNT, type Demand, type Demands, FLAG, FUNCTION, TEXT, TEXTS, unmetDemand } from "../../json/demands.js";
import { told } from "../../json/told.js";
import { isRecord, isString, isStringArray, type JsonRecord } from "../../json/value.js";
import type { Identity } from "../../registry/access.js";
import type { OperationSpec } from "../../registry/operation.js";
import { isServedRegistry, type ServedRegistry } from "../../registry/served-registry.js";
import type { GuardOptions } from "../http-guard.js";
import type { CorsOptions } from "./cors.js";

/** What is known of a request before its body was read; of `node:http` an `IncomingMessage` is one. */
export interface RequestHead {
  readonly method: string;
  /** The path and the query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: RequestHeaders;
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpServerOptions extends GuardOptions {
  readonly registry: ServedRegistry;
  /** What the OpenAPI document says of the whole. */
  readonly info?: ApiInfo | undefined;
  /** Comes before every path, such as `/api`. */
  readonly basePath?: string | undefined;
  /** Operations for which it is false are not served. */
  readonly filter?: ((spec: OperationSpec) => boolean) | undefined;
  /**
   * Who makes a request. A `CallError` of the category `authentication` or `authorization` is answered with 401 or 403;
   * without an identity, operations that ask for anything are neither shown nor run.
   */
  readonly authorize?: ((request: RequestHead) => Identity | undefined | Promise<Identity | undefined>) | undefined;
  /** The web pages that may call. Without it no page of another origin can. */
  readonly cors?: CorsOptions | undefined;
  /** @default 4 MiB */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Milliseconds that a call may take; a subscription may take longer.
   * @default 60_000
   */
  readonly timeout?: number | undefined;
  readonly streams?: StreamOptions | undefined;
  readonly idempotency?: IdempotencyOptions | undefined;
  /** Hears of what no client can be told. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface ApiInfo {
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
}

/** Of subscriptions. */
export interface StreamOptions {
  /**
   * Milliseconds for which a subscription goes on without its client, which may come back and miss nothing.
   * @default 10_000
   */
  readonly resumeMs?: number;
  /**
   * Subscriptions that go on without their clients at one time.
   * @default 100
   */
  readonly maxHeld?: number;
  /**
   * Values that are kept of each, for a client that comes back.
   * @default 10_000
   */
  readonly bufferEvents?: number;
  /** @default 1 MiB */
  readonly bufferBytes?: number;
}

/** How long the answers to requests with an `Idempotency-Key` are kept. */
export interface IdempotencyOptions {
  /** @default 24 hours */
  readonly ttlMs?: number;
  /** @default 10_000 */
  readonly maxEntries?: number;
  /** @default 64 MiB */
  readonly maxBytes?: number;
}

const ORIGINS = { what: 'a list of texts, or "*"', isMet: (value: unknown) => value === "*" || isStringArray(value) };

/** Of what is said in an option that is an object. */
const INNER: Readonly<Record<string, Demands>> = {
  info: demandEach(TEXT, "title", "version", "description"),
  cors: { origins: ORIGINS, headers: TEXTS, credentials: FLAG, maxAgeSeconds: AMOUNT },
  streams: demandEach(AMOUNT, "resumeMs", "maxHeld", "bufferEvents", "bufferBytes"),
  idempotency: demandEach(AMOUNT, "ttlMs", "maxEntries", "maxBytes"),
};

function demandEach(demand: Demand, ...names: readonly string[]): Demands {
  return Object.fromEntries(names.map((name) => [name, demand]));
}

function objectLike(option: string): Demand {
  return { what: `{ ${Object.keys(INNER[option] ?? {}).join(", ")} }`, isMet: isRecord };
}

export const DEMANDS: Demands = {
  registry: { what: "an OperationRegistry", isMet: isServedRegistry },
  info: objectLike("info"),
  basePath: { what: "a path such as /api", isMet: (value) => isString(value) && /^(\/[\w.~-]+)*$/.test(value) },
  filter: FUNCTION,
  authorize: FUNCTION,
  cors: objectLike("cors"),
  maxBodyBytes: AMOUNT,
  timeout: AMOUNT,
  streams: objectLike("streams"),
  idempotency: objectLike("idempotency"),
  onError: FUNCTION,
  allowedHosts: TEXTS,
  allowedOrigins: ORIGINS,
};

/** Throws where the options of a server are none, before anybody calls it. */
export function checkOptions(options: unknown, demands: Demands = DEMANDS): void {
  const problem = problemOf(options, demands);
  if (problem !== undefined)
    throw new CallError({ category: "validation", message: `This cannot be served: ${problem}.` });
}

function problemOf(options: unknown, demands: Demands): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  if (options["registry"] === undefined) return "there is no `registry`";
  return unmetDemand(options, demands) ?? innerProblemOf(options);
}

function innerProblemOf(options: JsonRecord): string | undefined {
  for (const [option, demands] of Object.entries(INNER)) {
    const inner = options[option];
    const problem = isRecord(inner) ? unmetDemand(inner, demands) : undefined;
    if (problem !== undefined) return `in \`${option}\` ${problem}`;
  }
  return undefined;
}
