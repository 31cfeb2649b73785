import { callErrorData, callErrorFrom } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { messageOf } from "../../json/attempt.js";
import { printJson } from "../../json/printable.js";
import { randomHex } from "../../json/random-hex.js";
import type { ExecuteOptions, Progress } from "../../registry/call-options.js";
import { hintsOfFailure } from "../../registry/failure-hints.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import type { Layer } from "../layer.js";
import { type Log, SILENT } from "../log.js";
import type { Redactor } from "../redact.js";
import { watchedValues } from "../watched-values.js";
import { plainJson } from "./plain-json.js";
import { RecordedOperations } from "./recorded-operations.js";
import type { CallAbout, EndLine, RecordedLine, ValueLine } from "./recording.js";
import { RecordingFile } from "./recording-file.js";

export interface RecordCallsOptions {
  /** A new file, or a recording that the calls are added to. */
  readonly file: string;
  readonly redactor: Redactor;
  /**
   * Which operations a replay lists: those that were called, or all that there were.
   * @default "called"
   */
  readonly operations?: "called" | "all";
  /** Hears of it when nothing more can be written; calls go on. */
  readonly log?: Log;
  readonly now?: () => number;
}

export interface CallRecorder {
  readonly layer: Layer;
  /** Once all that was recorded is in the file. Calls that end later are not recorded. */
  close(): Promise<void>;
}

/** Writes every call, with what came of it, to a file of JSON lines. Throws a `CallError` where that is not possible. */
export function recordCalls(options: RecordCallsOptions): CallRecorder {
  const { file, log = SILENT, now = Date.now } = options;
  const lines = new RecordingFile({
    file,
    now: now(),
    onFailure: (error) => log.error(`Nothing more is recorded in ${file}.`, { error: messageOf(error) }),
    onTooLarge: () => log.warn("A call is too large to be recorded."),
  });
  const layers: RecordingLayer[] = [];
  return {
    layer(registry) {
      const layer = new RecordingLayer(registry, lines, options);
      layers.push(layer);
      return layer;
    },
    async close() {
      for (const layer of layers) layer.close();
      await lines.close();
    },
  };
}

class RecordingLayer implements ServedRegistry {
  readonly #registry: ServedRegistry;
  readonly #lines: RecordingFile;
  readonly #redactor: Redactor;
  readonly #now: () => number;
  readonly #operations: RecordedOperations;

  constructor(registry: ServedRegistry, lines: RecordingFile, options: RecordCallsOptions) {
    const { redactor, operations = "called", now = Date.now } = options;
    this.#registry = registry;
    this.#lines = lines;
    this.#redactor = redactor;
    this.#now = now;
    this.#operations = new RecordedOperations({ registry, redactor, lines, all: operations === "all" });
  }

  list(): ReturnType<ServedRegistry["list"]> {
    return this.#registry.list();
  }

  onChange(listener: () => void): () => void {
    return this.#registry.onChange(listener);
  }

  async attempt(id: string, input?: unknown, options?: ExecuteOptions): Promise<Outcome> {
    const start = this.#now();
    const about = aboutCall(id, input, options, start);
    const progress: Progress[] = [];
    const outcome = await this.#registry.attempt(id, input, overheard(options, progress));
    this.#operations.writeOnce(id);
    await this.#write({
      ...{ type: "call", ...about, outcome: plainOutcome(outcome), ms: this.#now() - start },
      ...(progress.length > 0 && { progress }),
    });
    return outcome;
  }

  subscribe(id: string, input?: unknown, options?: ExecuteOptions): AsyncGenerator<ResponseEnvelope> {
    const values = this.#registry.subscribe(id, input, options);
    const subscription = randomHex(8);
    const start = this.#now();
    const tell = (line: SubscriptionWords): Promise<void> | undefined =>
      this.#write({ ...line, subscription, ms: this.#now() - start });
    this.#operations.writeOnce(id);
    void this.#write({ type: "subscription", subscription, ...aboutCall(id, input, options, start) });
    return watchedValues(values, {
      onValue: ({ data, meta }) => tell({ type: "value", envelope: { data, meta } }),
      onDone: () => void tell({ type: "end", reason: "done" }),
      onStopped: () => void tell({ type: "end", reason: "stopped" }),
      onFailed: (thrown) => void tell({ type: "end", reason: "failed", ...plainFailure(thrown) }),
    });
  }

  close(): void {
    this.#operations.close();
  }

  /** As JSON first: what an object of some class holds becomes visible only there. */
  #write(line: RecordedLine): Promise<void> | undefined {
    return this.#lines.write(() => printJson(this.#redactor.value(plainJson(line))));
  }
}

/** What is said of a subscription, but which one and when. */
type SubscriptionWords = Omit<ValueLine, "subscription" | "ms"> | Omit<EndLine, "subscription" | "ms">;

/** The input as it came: a handler may change it. */
function aboutCall(id: string, input: unknown, options: ExecuteOptions | undefined, start: number): CallAbout {
  return {
    operation: id,
    ...(input !== undefined && { input: plainJson(input) }),
    at: new Date(start).toISOString(),
    ...(options?.requestId !== undefined && { requestId: options.requestId }),
    ...(options?.identity !== undefined && { identity: options.identity.id }),
  };
}

function plainOutcome(outcome: Outcome): Outcome {
  return outcome.ok ? outcome : { ...outcome, error: callErrorData(outcome.error) };
}

function plainFailure(thrown: unknown): Pick<EndLine, "error" | "meta"> {
  const error = callErrorFrom(thrown);
  const meta = hintsOfFailure(error);
  return { error: callErrorData(error), ...(meta !== undefined && { meta }) };
}

/** The same call, with its progress written down. Who asked for none gets none: to ask for it may change the call. */
function overheard(options: ExecuteOptions | undefined, heard: Progress[]): ExecuteOptions | undefined {
  if (options?.onProgress === undefined) return options;
  return {
    ...options,
    onProgress: (report) => {
      heard.push(report);
      options.onProgress?.(report);
    },
    ...(options.onStart !== undefined && { onStart: (end) => options.onStart?.(end) }),
  };
}
