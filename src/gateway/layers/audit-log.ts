import { resolve } from "node:path";
import { type CallErrorData, callErrorData, callErrorFrom } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import { createRequestId } from "../../envelope/request-id.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { parseTraceparent, traceparentOf } from "../../envelope/trace-context.js";
import { orElse } from "../../json/attempt.js";
import { printJson } from "../../json/printable.js";
import type { ExecuteOptions } from "../../registry/call-options.js";
import type { OperationType } from "../../registry/operation.js";
import type { ServedRegistry } from "../../servers/served-registry.js";
import type { LogConfig } from "../config/config.js";
import type { Layer } from "../layer.js";
import type { Log } from "../log.js";
import { watchedValues } from "../record/watched-values.js";
import type { Redactor } from "../redact.js";
import { AuditFile } from "./audit-file.js";

export interface AuditLogOptions {
  readonly log: Log;
  /** The source that brought an operation. */
  readonly sourceOf: (operationId: string) => { readonly name: string } | undefined;
  /** Asked for each call, because a configuration may be read again. */
  readonly settings: () => LogConfig | undefined;
  readonly redactor: () => Redactor;
  /** Where the path of the file starts. */
  readonly folder: string;
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

/** One line of the audit log. */
interface AuditEntry {
  readonly time: string;
  readonly event: "call";
  readonly requestId: string;
  readonly traceId?: string;
  readonly operation: string;
  /** `null` where no source has such an operation. */
  readonly source: string | null;
  readonly type: OperationType | null;
  /** `null` where the caller is not known. */
  readonly identity: string | null;
  readonly ms: number;
  readonly ok: boolean;
  readonly category?: string;
  readonly code?: string;
  /** Of a subscription: how many values came, and whether the caller ended it before its source did. */
  readonly values?: number;
  readonly stopped?: boolean;
  readonly input?: unknown;
  readonly answer?: unknown;
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
    this.#types ??= new Map(this.#registry.list().map(({ namespace, name, type }) => [`${namespace}.${name}`, type]));
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
  const requestId = createRequestId();
  if (options.onStart === undefined) return { ...options, requestId };
  return { ...options, requestId, onStart: (end) => options.onStart?.(end) };
}

/** Writes entries to where the settings say at the time. */
class AuditWriter {
  readonly #options: AuditLogOptions;
  #file: AuditFile | undefined;
  /** Of files that are written no more. */
  readonly #closing = new Set<Promise<void>>();

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    const audit = this.#options.settings()?.audit;
    return audit !== undefined && audit !== false;
  }

  /** A field with the payload, where it is asked for. */
  payload(name: "input" | "answer", value: unknown): Pick<AuditEntry, "input" | "answer"> {
    if (value === undefined || this.#options.settings()?.payloads !== true) return {};
    const plain = orElse<unknown>(() => JSON.parse(printJson(this.#options.redactor().value(value))), undefined);
    return plain === undefined ? {} : { [name]: plain };
  }

  write(entry: AuditEntry): void {
    const audit = this.#options.settings()?.audit;
    if (typeof audit === "string") this.#fileAt(resolve(this.#options.folder, audit)).write(printJson(entry));
    else if (audit === true) this.#tell(entry);
  }

  async close(): Promise<void> {
    this.#leave();
    await Promise.all(this.#closing);
  }

  /** The log has a time of its own. */
  #tell({ time: _, ...entry }: AuditEntry): void {
    this.#options.log.info(`called ${entry.operation}`, entry);
  }

  #fileAt(path: string): AuditFile {
    if (this.#file?.path !== path) this.#leave();
    this.#file ??= new AuditFile(path, this.#options.log);
    return this.#file;
  }

  #leave(): void {
    const closing = this.#file?.close();
    this.#file = undefined;
    if (closing === undefined) return;
    this.#closing.add(closing);
    void closing.then(() => this.#closing.delete(closing));
  }
}
