import { CallError } from "../envelope/call-error.js";
import { outcomeFromEnvelope } from "../envelope/outcome.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { setField } from "../json/value.js";
import type { CallOptions } from "./call-options.js";
import type { Entry } from "./entry.js";
import { insideOf } from "./inside.js";
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
import { dataOf, type PageOptions, pagesOf } from "./pages.js";
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
