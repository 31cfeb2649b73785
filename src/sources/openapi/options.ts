import { CallError } from "../../envelope/call-error.js";
import { AMOUNT, type Demands, FLAG, oneOf, unmetDemand } from "../../json/demands.js";
import { told } from "../../json/told.js";
import { compact, isRecord, isString, isStringArray } from "../../json/value.js";
import type { InputPolicy, OutputPolicy } from "../../registry/operation.js";
import { POLICIES } from "../../registry/registration.js";
import type { ResultStore } from "../../results/result-store.js";
import { areTexts, SIGNAL, SOURCE_NAME } from "../source-demands.js";
import type { OperationFilter } from "./document/operation-filter.js";
import type { Credential } from "./exchange/credentials.js";
import { isToken } from "./percent-encode.js";
import { asHeader } from "./request/header-text.js";

/** An HTTP API, by its OpenAPI document: a `file`, a `url`, or the `document` itself. */
export interface OpenApiSourceOptions extends Options<OpenApiLimits>, Options<OperationFilter> {
  /** The namespace of the operations. */
  readonly name: string;
  readonly file?: string | URL | undefined;
  readonly url?: string | URL | undefined;
  /** As an object, or as a text of JSON or YAML. */
  readonly document?: object | string | undefined;
  /** Where the API is, in place of the `servers` of the document. */
  readonly baseUrl?: string | URL | undefined;
  /** For the variables in the addresses of `servers`. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Media types, the dearest first, for operations that take their body in several. JSON is dearest otherwise. */
  readonly bodyTypes?: readonly string[] | undefined;
  /** By the names of the document's security schemes. They are sent only to the hosts of the document. */
  readonly credentials?: Readonly<Record<string, Credential>> | undefined;
  /** Sent with every request, to the hosts of the document. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether a document that came from a URL may lead to private, link-local and loopback addresses. The address that
   * `url` itself names, and that of `baseUrl`, always may be reached.
   * @default false
   */
  readonly allowPrivate?: boolean | undefined;
  /**
   * Whether mutations are sent with an `Idempotency-Key`, so that they may be tried again. A caller may give its own as
   * `idempotencyKey`.
   * @default false
   */
  readonly idempotencyKeys?: boolean | undefined;
  /**
   * Whether a document of another format in an answer is read as what it says.
   * @default true
   */
  readonly unfold?: boolean | undefined;
  /** Keeps large binary answers, which are then given as a link; who gives one closes it. */
  readonly results?: ResultStore | undefined;
  /** Gives up the opening; a source that is open is closed by `close`. */
  readonly signal?: AbortSignal | undefined;
  /** For operations of this source, as for any. */
  readonly input?: InputPolicy | undefined;
  readonly output?: OutputPolicy | undefined;
}

export interface OpenApiLimits {
  /**
   * Milliseconds for the head of an answer, and between two pieces of it.
   * @default 60_000
   */
  readonly timeout: number;
  /** @default 33_554_432 */
  readonly maxResponseBytes: number;
  /**
   * Of the document with all its files.
   * @default 67_108_864
   */
  readonly maxDocumentBytes: number;
  /**
   * How often at most a request is made again that may be.
   * @default 2
   */
  readonly retries: number;
  /**
   * Milliseconds; a server that wants a longer wait is not asked again.
   * @default 30_000
   */
  readonly maxRetryWaitMs: number;
  /**
   * Binary answers up to this size are base64 even where `results` could keep them.
   * @default 32_768
   */
  readonly inlineBytes: number;
}

/** What is left out, or said to be undefined, has its default. */
type Options<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

type Present<T> = { readonly [Name in keyof T]: Exclude<T[Name], undefined> };

/** The options with every default. */
export type Settings = Present<Omit<OpenApiSourceOptions, keyof OpenApiLimits>> & OpenApiLimits;

const MEBIBYTE = 1024 * 1024;

const DEFAULTS: OpenApiLimits = {
  timeout: 60_000,
  maxResponseBytes: 32 * MEBIBYTE,
  maxDocumentBytes: 64 * MEBIBYTE,
  retries: 2,
  maxRetryWaitMs: 30_000,
  inlineBytes: 32 * 1024,
};

export function settingsOf(options: OpenApiSourceOptions): Settings {
  const problem = problemOf(options);
  if (problem !== undefined)
    throw new CallError({ category: "validation", message: `This is no OpenAPI source: ${problem}.` });
  const { headers } = options;
  return { ...DEFAULTS, ...compact({ ...options, headers: headers && sendable(headers) }) } as Settings;
}

function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, asHeader(text)]));
}

function problemOf(options: unknown): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  if (options["name"] === undefined) return "it has no `name`";
  const given = ["file", "url", "document"].filter((origin) => options[origin] !== undefined);
  if (given.length !== 1) return "it needs one of `file`, `url` and `document`";
  return unmetDemand(options, DEMANDS);
}

const addressOf = (value: unknown): URL | undefined =>
  (isString(value) || value instanceof URL) && URL.canParse(value) ? new URL(value) : undefined;
const isAddress = (value: unknown): boolean => {
  const { protocol = "", username, password } = addressOf(value) ?? {};
  return /^https?:$/.test(protocol) && username === "" && password === "";
};
const isBase = (value: unknown): boolean =>
  isAddress(value) && addressOf(value)?.search === "" && addressOf(value)?.hash === "";
const areHeaders = (value: unknown): boolean =>
  areTexts(value) && Object.entries(value as object).every(([name, text]) => isToken(name) && !/\p{Cc}/u.test(text));
const LIST = { what: "a list of texts", isMet: isStringArray };
const PATTERNS = {
  what: "a list of texts and regular expressions",
  isMet: (value: unknown) => Array.isArray(value) && value.every((item) => isString(item) || item instanceof RegExp),
};

const DEMANDS: Demands = {
  name: SOURCE_NAME,
  file: { what: "a path", isMet: (value) => (isString(value) && value !== "") || value instanceof URL },
  url: { what: "an http or https address without a user name", isMet: isAddress, isSecret: true },
  document: { what: "an object or a text", isMet: (value) => isRecord(value) || isString(value) },
  baseUrl: {
    what: "an http or https address without a user name, a query and a fragment",
    isMet: isBase,
    isSecret: true,
  },
  variables: { what: "an object of texts", isMet: areTexts, isSecret: true },
  bodyTypes: LIST,
  include: PATTERNS,
  exclude: PATTERNS,
  tags: LIST,
  methods: LIST,
  credentials: { what: "an object by security scheme", isMet: isRecord, isSecret: true },
  headers: {
    what: "an object of texts by names that HTTP allows, each of one line",
    isMet: areHeaders,
    isSecret: true,
  },
  allowPrivate: FLAG,
  idempotencyKeys: FLAG,
  unfold: FLAG,
  results: { what: "a ResultStore", isMet: (value) => isRecord(value) && typeof value["put"] === "function" },
  signal: SIGNAL,
  input: oneOf(["check", "off"]),
  output: oneOf(POLICIES),
  timeout: AMOUNT,
  maxResponseBytes: AMOUNT,
  maxDocumentBytes: AMOUNT,
  retries: AMOUNT,
  maxRetryWaitMs: AMOUNT,
  inlineBytes: AMOUNT,
};
