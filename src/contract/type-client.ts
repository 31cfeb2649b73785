import { CATEGORIES } from "../envelope/category.js";
import type { OperationSpec } from "../registry/operation.js";
import { REGISTRY_CODES } from "../registry/registry-code.js";
import { textLines } from "./type-doc.js";
import { type FieldType, named, quoted, unionOf } from "./type-expression.js";
import type { TypePrinter } from "./type-print.js";

/** `Client`: a function for each operation, by namespace and name. */
export function clientInterface(operations: readonly OperationSpec[], printer: TypePrinter): string {
  const namespaces = new Map<string, FieldType[]>();
  for (const { namespace, name, type, description } of operations) {
    const call = named(`${type === "subscription" ? "Subscribe" : "Call"}<${quoted(`${namespace}.${name}`)}>`);
    const field = { name, type: call, isOptional: false, doc: textLines(description) };
    namespaces.set(namespace, [...(namespaces.get(namespace) ?? []), field]);
  }
  const fields = [...namespaces].map(([name, inner]) => ({
    name,
    type: { kind: "object" as const, fields: inner },
    isOptional: false,
    doc: [],
  }));
  return `export interface Client ${printer.object({ kind: "object", fields }, "")}`;
}

export function operationTable(operations: readonly OperationSpec[]): string {
  const rows = operations.map(
    ({ namespace, name, type }) => `  [${[namespace, name, type].map(quoted).join(", ")}],\n`,
  );
  return `const OPERATIONS: readonly (readonly [string, string, string])[] = [\n${rows.join("")}];`;
}

/** The part of the declarations that is the same whatever the operations: a client, and what it gives. */
export function clientText(printer: TypePrinter): string {
  const union = (head: string, words: readonly string[]): string =>
    `${head}${printer.hanging(unionOf(words.map((word) => named(JSON.stringify(word)))), "", head.length)};`;
  return [
    TYPES,
    union("export type Category =", CATEGORIES),
    `/** The codes that any operation may fail with. */\n${union("export type GeneralCode =", Object.keys(REGISTRY_CODES))}`,
    RUNTIME,
  ].join("\n\n");
}

const TYPES = `export type OperationId = keyof Operations;
export type InputOf<Id extends OperationId> = Operations[Id]["input"];
export type OutputOf<Id extends OperationId> = Operations[Id]["output"];

/** What an operation may fail with. The code of a declared error tells the type of its details. */
export type ErrorOf<Id extends OperationId> = [Operations[Id]["errors"]] extends [never]
  ? ErrorData
  : Operations[Id]["errors"] | (ErrorData & { readonly code: GeneralCode });

export type OutcomeOf<Id extends OperationId> =
  | { readonly ok: true; readonly data: OutputOf<Id>; readonly meta: Meta }
  | { readonly ok: false; readonly error: ErrorOf<Id>; readonly meta: Meta };

export interface Call<Id extends OperationId> {
  /** The data. Rejects with an \`OperationError\`. */
  (...call: Arguments<Id>): Promise<OutputOf<Id>>;
  /** The data with what is told of it: warnings, pages, limits, where it comes from. */
  envelope(...call: Arguments<Id>): Promise<Envelope<OutputOf<Id>>>;
  /** Never rejects: a failure is an outcome too. */
  attempt(...call: Arguments<Id>): Promise<OutcomeOf<Id>>;
}

/** The values as they come; to leave the loop ends the subscription. */
export type Subscribe<Id extends OperationId> = (...call: Arguments<Id>) => AsyncGenerator<OutputOf<Id>, void, undefined>;

/** An input whose fields may all be left out may be left out itself. */
type Arguments<Id extends OperationId> =
  Record<never, never> extends InputOf<Id>
    ? [input?: InputOf<Id>, options?: CallOptions]
    : [input: InputOf<Id>, options?: CallOptions];

export interface CallOptions {
  /** Ends the call; \`AbortSignal.timeout(5_000)\` after five seconds. */
  readonly signal?: AbortSignal;
  /** A mutation that comes twice with the same key runs once. */
  readonly idempotencyKey?: string;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface Envelope<Data = unknown> {
  readonly data: Data;
  readonly meta: Meta;
}

/** How an answer came. */
export interface Meta {
  readonly source?: "local" | "http" | "mcp" | "script";
  readonly requestId?: string;
  readonly summary?: string;
  readonly warnings?: readonly { readonly code: string; readonly message: string; readonly path?: string }[];
  readonly pagination?: { readonly cursor?: string | null; readonly hasMore?: boolean; readonly totalCount?: number };
  readonly rateLimit?: { readonly limit?: number; readonly remaining?: number; readonly resetAt?: number };
  readonly truncated?: boolean;
  readonly [key: string]: unknown;
}

export interface ErrorData {
  readonly category: Category | (string & Record<never, never>);
  readonly code: string;
  readonly message: string;
  /** Whether to try again can help. */
  readonly recoverable: boolean;
  readonly details?: unknown;
  readonly data?: unknown;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  readonly suggestedAction?: string;
  readonly retryAfterMs?: number;
}

export type DeclaredError<Code extends string, Kind extends string, Details = unknown> = ErrorData & {
  readonly code: Code;
  readonly category: Kind;
  readonly details: Details;
};`;

const RUNTIME = `export class OperationError extends Error {
  override readonly name = "OperationError";
  readonly operation: string;
  readonly error: ErrorData;

  constructor(operation: string, error: ErrorData) {
    super(error.message);
    this.operation = operation;
    this.error = error;
  }

  get category(): ErrorData["category"] {
    return this.error.category;
  }

  get code(): string {
    return this.error.code;
  }

  /** Whether it is an error of this operation, whose code then tells its details. */
  isOf<Id extends OperationId>(id: Id): this is OperationError & { readonly error: ErrorOf<Id> } {
    return this.operation === id;
  }
}

/** Who makes the calls: \`httpCaller\`, or an \`OperationRegistry\` of Plico in the same process. */
export interface Caller {
  attempt(id: string, input?: unknown, options?: CallerOptions): Promise<CallerOutcome>;
  subscribe(id: string, input?: unknown, options?: CallerOptions): AsyncIterable<{ readonly data: unknown }>;
}

interface CallerOptions {
  readonly signal?: AbortSignal;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly onProgress?: (progress: Progress) => void;
}

type CallerOutcome =
  | { readonly ok: true; readonly data: unknown; readonly meta: object }
  | { readonly ok: false; readonly error: ErrorData; readonly meta: object };

export interface HttpOptions {
  /** Where \`plico serve\` listens, such as \`http://127.0.0.1:4100\`. */
  readonly url: string;
  /** Such as \`{ authorization: "Bearer …" }\`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default the fetch of the runtime */
  readonly fetch?: typeof fetch;
}

/** The operations as functions, by namespace and name. */
export function createClient(to: HttpOptions | Caller): Client {
  const caller = "url" in to ? httpCaller(to) : to;
  const namespaces: Record<string, Record<string, unknown>> = {};
  for (const [namespace, name, type] of OPERATIONS) {
    const id = \`\${namespace}.\${name}\`;
    const operations = (namespaces[namespace] ??= {});
    operations[name] = type === "subscription" ? subscriptionOf(caller, id) : callOf(caller, id);
  }
  return namespaces as unknown as Client;
}

function callOf(caller: Caller, id: string): unknown {
  const attempt = (input?: unknown, options?: CallOptions): Promise<CallerOutcome> =>
    caller.attempt(id, input, callerOptions(options));
  const envelope = async (input?: unknown, options?: CallOptions): Promise<{ data: unknown; meta: object }> => {
    const outcome = await attempt(input, options);
    if (!outcome.ok) throw new OperationError(id, outcome.error);
    return { data: outcome.data, meta: outcome.meta };
  };
  const call = async (input?: unknown, options?: CallOptions): Promise<unknown> => (await envelope(input, options)).data;
  return Object.assign(call, { attempt, envelope });
}

function subscriptionOf(caller: Caller, id: string): unknown {
  return async function* values(input?: unknown, options?: CallOptions): AsyncGenerator<unknown, void, undefined> {
    for await (const { data } of caller.subscribe(id, input, callerOptions(options))) yield data;
  };
}

function callerOptions({ idempotencyKey, ...options }: CallOptions = {}): CallerOptions {
  return idempotencyKey === undefined ? options : { ...options, metadata: { idempotencyKey } };
}

const ENVELOPE = "application/vnd.plico.response-envelope+json";

/** Calls a running \`plico serve\` over HTTP. */
export function httpCaller({ url, headers = {}, fetch: send = fetch }: HttpOptions): Caller {
  const post = (id: string, input: unknown, accept: string, { signal, metadata }: CallerOptions): Promise<Response> => {
    const key = metadata?.["idempotencyKey"];
    return send(\`\${url.replace(/\\/+$/, "")}/operations/\${encodeURIComponent(id)}\`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept,
        ...headers,
        ...(typeof key === "string" && { "idempotency-key": key }),
      },
      ...(input !== undefined && { body: JSON.stringify(input) }),
      ...(signal !== undefined && { signal }),
    });
  };

  return {
    async attempt(id, input, options = {}) {
      const accept = options.onProgress === undefined ? ENVELOPE : \`text/event-stream, \${ENVELOPE}\`;
      try {
        const response = await post(id, input, accept, options);
        if (!isEventStream(response)) return outcomeOf(await response.text(), response.status);
        for await (const { event, data } of eventsOf(response)) {
          if (event === "progress") options.onProgress?.(JSON.parse(data));
          else if (event === "value" || event === "failure") return outcomeOf(data, response.status);
        }
        return failure("network", "UNAVAILABLE", "The answer ended before its time.");
      } catch (thrown) {
        return unreachable(thrown, url, options.signal);
      }
    },

    async *subscribe(id, input, options = {}) {
      const stop = new AbortController();
      const signal = options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
      try {
        const response = await post(id, input, \`text/event-stream, \${ENVELOPE}\`, { ...options, signal });
        if (!isEventStream(response)) throw errorOf(id, outcomeOf(await response.text(), response.status));
        for await (const { event, data } of eventsOf(response)) {
          if (event === "end") return;
          if (event === "progress") options.onProgress?.(JSON.parse(data));
          if (event !== "value" && event !== "failure") continue;
          const outcome = outcomeOf(data, response.status);
          if (!outcome.ok) throw errorOf(id, outcome);
          yield { data: outcome.data };
        }
        throw errorOf(id, failure("network", "UNAVAILABLE", "The subscription ended before its time."));
      } catch (thrown) {
        if (thrown instanceof OperationError) throw thrown;
        throw errorOf(id, unreachable(thrown, url, options.signal));
      } finally {
        stop.abort();
      }
    },
  };
}

function isEventStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** The events of a response, each as soon as it is whole. */
async function* eventsOf(response: Response): AsyncGenerator<{ event: string; data: string }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      const blocks = (text + part.value).split("\\n\\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield { event: fieldOf(block, "event"), data: fieldOf(block, "data") };
    }
  } finally {
    // Who has heard enough holds no connection.
    reader?.cancel().catch(() => {});
  }
}

function fieldOf(block: string, name: string): string {
  const lines = block.split("\\n").filter((line) => line.startsWith(\`\${name}: \`));
  return lines.map((line) => line.slice(name.length + 2)).join("\\n");
}

function outcomeOf(text: string, status: number): CallerOutcome {
  const { data, meta } = parsed(text) ?? {};
  if (typeof meta !== "object" || meta === null)
    return failure("network", "INVALID_ANSWER", \`The server answered with the status \${status} and no envelope.\`);
  const { error, ...rest } = meta as { error?: ErrorData };
  return error === undefined ? { ok: true, data, meta } : { ok: false, error, meta: rest };
}

function parsed(text: string): { data?: unknown; meta?: unknown } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreachable(thrown: unknown, url: string, signal?: AbortSignal): CallerOutcome {
  const { reason } = signal ?? {};
  if (signal?.aborted !== true) return failure("network", "UNAVAILABLE", \`\${url} does not answer: \${causeOf(thrown)}.\`);
  const isLate = reason instanceof Error && reason.name === "TimeoutError";
  return isLate ? failure("timeout", "TIMEOUT", "The call timed out.") : failure("aborted", "ABORTED", "The call was aborted.");
}

function causeOf(thrown: unknown): string {
  const { message = String(thrown), cause } = thrown as Partial<Error>;
  return cause instanceof Error ? cause.message : message;
}

function failure(category: Category, code: string, message: string): CallerOutcome & { ok: false } {
  return { ok: false, error: { category, code, message, recoverable: category !== "aborted" }, meta: {} };
}

function errorOf(id: string, outcome: CallerOutcome): OperationError {
  const { error } = outcome.ok ? failure("network", "INVALID_ANSWER", \`\${id} answered once, and not many times.\`) : outcome;
  return new OperationError(id, error);
}`;

/** The names that the client's text defines, which no other type may have. */
export const CLIENT_NAMES: readonly string[] = [
  ...["Operations", "Client", "Category", "GeneralCode"],
  ...Array.from(
    `${TYPES}\n${RUNTIME}`.matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm),
    ([, name = ""]) => name,
  ),
];
