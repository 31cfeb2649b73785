import { CallError } from "../envelope/call-error.js";
import { outcomeFromEnvelope } from "../envelope/outcome.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { orElse } from "../json/attempt.js";
import { isRecord, setField } from "../json/value.js";
import { normalise } from "../schema/compile.js";
import { inside } from "../schema/inside.js";
import { readSchema } from "../schema/standard-schema.js";
import type { CallOptions } from "./call-options.js";
import { cursorFieldsIn } from "./cursor-field.js";
import type { Entry } from "./entry.js";
import { insideOf } from "./inside.js";
import type { OperationSpec } from "./operation.js";
import type {
  AnyOperation,
  Arguments,
  ErrorsOf,
  IsSubscription,
  NameIn,
  NamespaceOf,
  OperationMap,
  OutcomeOf,
  OutputOf,
} from "./operation-map.js";
import type { OperationRegistry } from "./registry.js";

/** The operations of a registry by namespace and name, for those who want data rather than envelopes. */
export type ClientOf<Operations> = string extends keyof Operations ? UnknownClient : KnownClient<Operations>;

/** Of a registry of which nothing is known to the compiler. */
type UnknownClient = Readonly<Record<string, Readonly<Record<string, ClientCall<AnyOperation>>>>>;

type KnownClient<Operations> = {
  readonly [Namespace in NamespaceOf<Operations>]: {
    readonly [Id in keyof Operations as NameIn<Id, Namespace>]: ClientOperation<Operations[Id]>;
  };
};

type ClientOperation<One> = IsSubscription<One> extends true ? ClientSubscription<One> : ClientCall<One>;

export interface ClientCall<One> {
  /** The data. Rejects with a `CallError`, also where an MCP tool itself says that it failed. */
  (...call: Arguments<One, CallOptions>): Promise<OutputOf<One>>;
  /** The data in its envelope, as `execute` gives it. */
  envelope(...call: Arguments<One, CallOptions>): Promise<ResponseEnvelope<OutputOf<One>>>;
  /** Never rejects. The code of a declared error tells the type of its details. */
  attempt(...call: Arguments<One, CallOptions>): Promise<OutcomeOf<OutputOf<One>, ErrorsOf<One>>>;
  /** One envelope after the other, as long as `meta.pagination.cursor` leads on. */
  pages(...call: Arguments<One, PageOptions>): AsyncGenerator<ResponseEnvelope<OutputOf<One>>, void, undefined>;
}

/** The values as they come. */
export type ClientSubscription<One> = (
  ...call: Arguments<One, CallOptions>
) => AsyncGenerator<OutputOf<One>, void, undefined>;

export interface PageOptions extends CallOptions {
  /**
   * The field of the input that takes the cursor.
   * @default `cursor`, else the first of the usual names that the input has: `after`, `page_token`, `page` and the like
   */
  readonly cursorField?: string;
  /** @default no limit */
  readonly maxPages?: number;
}

/** A client of the operations that the registry has now. The options are those of every call. */
export function client<Operations extends OperationMap>(
  registry: OperationRegistry<Operations>,
  options: CallOptions = {},
): ClientOf<Operations> {
  const made: Record<string, unknown> = {};
  const untyped = registry as unknown as OperationRegistry;
  for (const [namespace, entries] of insideOf(registry).namespaces()) {
    const functions: Record<string, unknown> = {};
    for (const entry of entries) setField(functions, entry.spec.name, functionOf(untyped, entry, options));
    setField(made, namespace, functions);
  }
  return made as ClientOf<Operations>;
}

function functionOf(registry: OperationRegistry, { id, spec }: Entry, common: CallOptions): unknown {
  if (spec.type === "subscription") {
    return (input?: unknown, options?: CallOptions) => values(registry.subscribe(id, input, { ...common, ...options }));
  }
  const envelope = (input?: unknown, options?: CallOptions): Promise<ResponseEnvelope> =>
    registry.execute(id, input, { ...common, ...options });
  return Object.assign((input?: unknown, options?: CallOptions) => envelope(input, options).then(dataOf), {
    envelope,
    attempt: (input?: unknown, options?: CallOptions) => registry.attempt(id, input, { ...common, ...options }),
    pages: (input?: unknown, options?: PageOptions) => pagesOf(id, spec, envelope, input, options),
  });
}

/** No generator of its own, which would be busy while it waits, and could not be ended meanwhile. */
function values(
  envelopes: AsyncGenerator<ResponseEnvelope, undefined, undefined>,
): AsyncGenerator<unknown, void, undefined> {
  const dataIn = async (result: IteratorResult<ResponseEnvelope>): Promise<IteratorResult<unknown, undefined>> => {
    if (result.done === true) return { done: true, value: undefined };
    const outcome = outcomeFromEnvelope(result.value);
    if (outcome.ok) return { done: false, value: outcome.data };
    await envelopes.return(undefined);
    throw new CallError(outcome.error);
  };
  return {
    next: () => envelopes.next().then(dataIn),
    return: () => envelopes.return(undefined).then(dataIn),
    throw: (thrown) => envelopes.throw(thrown).then(dataIn),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function dataOf(envelope: ResponseEnvelope): unknown {
  const outcome = outcomeFromEnvelope(envelope);
  if (!outcome.ok) throw new CallError(outcome.error);
  return outcome.data;
}

async function* pagesOf(
  id: string,
  spec: OperationSpec,
  call: (input: unknown, options: CallOptions) => Promise<ResponseEnvelope>,
  input: unknown,
  { cursorField: given, maxPages = Number.POSITIVE_INFINITY, ...options }: PageOptions = {},
): AsyncGenerator<ResponseEnvelope, void, undefined> {
  const cursorField = given ?? cursorFieldsIn(spec.inputSchema)[0] ?? "cursor";
  const seen = new Set<unknown>(isRecord(input) ? [input[cursorField]] : []);
  let asked = input;
  for (let count = 0; count < maxPages; count++) {
    const page = await call(asked, options);
    dataOf(page);
    yield page;
    const { cursor, hasMore } = page.meta.pagination ?? {};
    if (cursor === undefined || cursor === null || hasMore === false) return;
    if (seen.has(cursor)) throw cursorLoop(id);
    seen.add(cursor);
    asked = { ...(isRecord(input) ? input : {}), [cursorField]: fittingCursor(spec, cursorField, cursor) };
  }
}

/** The number of a page is a text in the envelope, as every cursor is, and a number in some inputs. */
function fittingCursor({ inputSchema }: OperationSpec, field: string, cursor: string): unknown {
  const part = orElse(() => inside(readSchema(inputSchema, "input").json, field), undefined);
  if (!isRecord(part)) return cursor;
  const { value, isValid } = normalise(part, cursor);
  return isValid ? value : cursor;
}

function cursorLoop(id: string): CallError {
  return new CallError({
    category: "execution",
    code: "CURSOR_LOOP",
    message: `${id} gave a cursor for the second time; its pages would never end.`,
  });
}
