import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { traceIn } from "../envelope/trace-context.js";
import { setField } from "../json/value.js";
import type { CallOptions, ExecuteOptions } from "./call-options.js";
import type { HandlerContext } from "./context.js";
import type { Entry } from "./entry.js";
import { insideOf } from "./inside.js";
import type { EnvOf, OperationMap } from "./operation-map.js";
import type { OperationRegistry } from "./registry.js";

/** The operations by namespace and name, as functions that answer in an envelope. */
export type OperationEnv = Readonly<Record<string, Readonly<Record<string, OperationFunction>>>>;

// biome-ignore lint/suspicious/noExplicitAny: without the registry's types the data is not known
export type OperationFunction = (input?: any, options?: EnvCallOptions) => Promise<ResponseEnvelope<any>>;

/** A nested call has the deadline, signal and identity of the one that makes it, unless it is told less. */
export type EnvCallOptions = Pick<CallOptions, "signal" | "deadline" | "onProgress" | "metadata">;

export interface BuildEnvOptions<Operations extends OperationMap> {
  readonly registry: OperationRegistry<Operations>;
  readonly context: HandlerContext;
  /** Others are left out. */
  readonly allowedNamespaces?: readonly string[];
}

/** The operations of a registry for a handler. Subscriptions are left out; calls are trusted and know their parent. */
export function buildEnv<Operations extends OperationMap>({
  registry,
  context,
  allowedNamespaces,
}: BuildEnvOptions<Operations>): EnvOf<Operations> {
  const isAllowed = (namespace: string): boolean => allowedNamespaces?.includes(namespace) ?? true;
  const { namespaces, callTrusted } = insideOf(registry);
  const call: NestedCall = (id, input, options) => callTrusted(id, input, nestedOptions(context, options));
  return envOf(namespaces(), isAllowed, call) as unknown as EnvOf<Operations>;
}

type NestedCall = (id: string, input: unknown, options: EnvCallOptions | undefined) => Promise<ResponseEnvelope>;

/** A namespace is made when it is first looked at, because most handlers use few of many. */
export function envOf(
  namespaces: ReadonlyMap<string, readonly Entry[]>,
  isAllowed: (namespace: string) => boolean,
  call: NestedCall,
): OperationEnv {
  const env: Record<string, Readonly<Record<string, OperationFunction>>> = {};
  for (const [namespace, entries] of namespaces) {
    if (!isAllowed(namespace)) continue;
    let made: Readonly<Record<string, OperationFunction>> | undefined;
    const get = (): Readonly<Record<string, OperationFunction>> => {
      made ??= functionsOf(entries, call);
      return made;
    };
    Object.defineProperty(env, namespace, { get, enumerable: true });
  }
  return env;
}

function functionsOf(entries: readonly Entry[], call: NestedCall): Readonly<Record<string, OperationFunction>> {
  const functions: Record<string, OperationFunction> = {};
  for (const { id, spec } of entries) {
    if (spec.type !== "subscription")
      setField(functions, spec.name, (input: unknown, options?: EnvCallOptions) => call(id, input, options));
  }
  return functions;
}

/** A nested call ends with the one that makes it, and belongs to the same trace unless it is told other metadata. */
export function nestedOptions(context: HandlerContext, options: EnvCallOptions = {}): ExecuteOptions {
  const deadlines = [context.deadline, options.deadline].filter((deadline) => deadline !== undefined);
  const { identity, requestId } = context;
  const { signal, onProgress, metadata = traceIn(context.metadata) } = options;
  // Nothing else of what it is told counts: a nested call acts for the same caller.
  return {
    parentRequestId: requestId,
    parentSignal: context.signal,
    ...(signal !== undefined && { signal }),
    ...(onProgress !== undefined && { onProgress }),
    ...(metadata !== undefined && { metadata }),
    ...(identity !== undefined && { identity }),
    ...(deadlines.length > 0 && { deadline: Math.min(...deadlines) }),
  };
}
