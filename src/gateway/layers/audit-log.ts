import { type CallErrorData, callErrorData, callErrorFrom } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import { createRequestId } from "../../envelope/request-id.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { parseTraceparent, traceparentOf } from "../../envelope/trace-context.js";
import { type ExecuteOptions, withOptions } from "../../registry/call-options.js";
import type { OperationType } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import type { Layer } from "../layer.js";
import { watchedValues } from "../watched-values.js";
import { AuditWriter, type AuditWriterOptions } from "./audit-writer.js";

export interface AuditLogOptions extends AuditWriterOptions {
  /** The source that brought an operation. */
  readonly sourceOf: (operationId: string) => { readonly name: string } | undefined;
  /** @default Date.now */
  readonly now?: () => number;
}

export interface AuditLog {
  readonly layer: Layer;
  /** Once all that was said is written. */
  close(): Promise<void>;
}

/** Who called what, when, and how it ended: one entry a call, also of those that were refused. */
export function auditLog(options: AuditLogOptions): AuditLog {
  const writer = new AuditWriter(options);
  return {
    layer: (registry) => new AuditLayer(registry, writer, options),
    close: () => writer.close(),
  };
}

class AuditLayer implements ServedRegistry {
  readonly #registry: ServedRegistry;
  readonly #writer: AuditWriter;
  readonly #options: AuditLogOptions;
  #types: ReadonlyMap<string, OperationType> | undefined;

  constructor(registry: ServedRegistry, writer: AuditWriter, options: AuditLogOptions) {
    this.#registry = registry;
    this.#writer = writer;
    this.#options = options;
    registry.onChange(() => {
      this.#types = undefined;
    });
  }

  list(): ReturnType<ServedRegistry["list"]> {
    return this.#registry.list();
  }

  onChange(listener: () => void): () => void {
    return this.#registry.onChange(listener);
  }

  attempt(id: string, input?: unknown, options?: ExecuteOptions): Promise<Outcome> {
    if (!this.#writer.isOn) return this.#registry.attempt(id, input, options);
    const call = this.#begin(id, input, options);
    return this.#registry.attempt(id, input, call.options).then((outcome) => {
      call.end(outcome.ok ? { answer: outcome.data } : { error: outcome.error });
      return outcome;
    });
  }

  subscribe(id: string, input?: unknown, options?: ExecuteOptions): AsyncGenerator<ResponseEnvelope> {
    if (!this.#writer.isOn) return this.#registry.subscribe(id, input, options);
    const call = this.#begin(id, input, options);
    let values = 0;
    const onFailed = (thrown: unknown): void => call.end({ values, error: callErrorFrom(thrown) });
    try {
      return watchedValues(this.#registry.subscribe(id, input, call.options), {
        onValue: () => {
          values += 1;
          return undefined;
        },
        onDone: () => call.end({ values }),
        onStopped: () => call.end({ values, stopped: true }),
        onFailed,
      });
    } catch (thrown) {
      onFailed(thrown);
      throw thrown;
    }
  }

  #begin(id: string, input: unknown, given: ExecuteOptions | undefined): AuditedCall {
    const now = this.#options.now ?? Date.now;
    const start = now();
    const options = withRequestId(given);
    const trace = parseTraceparent(traceparentOf(options.metadata));
    const about = {
      time: new Date(start).toISOString(),
      event: "call" as const,
      requestId: options.requestId ?? "",
      ...(trace !== undefined && { traceId: trace.traceId }),
      operation: id,
      source: this.#options.sourceOf(id)?.name ?? null,
      type: this.#typeOf(id),
      identity: options.identity?.id ?? null,
    };
    // As it came: a handler may change it.
    const payload = this.#writer.payload("input", input);
    const end = ({ error, answer, ...more }: Ending): void =>
      this.#writer.write({
        ...about,
        ms: now() - start,
        ok: error === undefined,
        ...(error !== undefined && { category: error.category, code: error.code }),
        ...more,
        ...payload,
        ...this.#writer.payload("answer", error === undefined ? answer : callErrorData(error)),
      });
    return { options, end };
  }

  #typeOf(id: string): OperationType | null {
    this.#types ??= new Map(this.#registry.list().map((spec) => [operationIdOf(spec), spec.type]));
    return this.#types.get(id) ?? null;
  }
}

interface AuditedCall {
  readonly options: ExecuteOptions;
  readonly end: (ending: Ending) => void;
}

interface Ending {
  readonly error?: CallErrorData;
  readonly answer?: unknown;
  readonly values?: number;
  readonly stopped?: boolean;
}

/** By this id the caller, the source and the log speak of the same call. */
function withRequestId(options: ExecuteOptions = {}): ExecuteOptions {
  if (options.requestId !== undefined) return options;
  return withOptions(options, { requestId: createRequestId() });
}
