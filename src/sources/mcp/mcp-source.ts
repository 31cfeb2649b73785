import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { type TraceCarrier, traceIn } from "../../envelope/trace-context.js";
import type { Warning } from "../../envelope/warning.js";
import { messageOf } from "../../json/attempt.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { headersFor, paramHeadersOf } from "../../mcp/param-headers.js";
import { type HandlerContext, whenEnded } from "../../registry/context.js";
import { Listeners } from "../../registry/listeners.js";
import { opened } from "../../registry/opened.js";
import type { AnyHandler } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { keepUnchanged, type OperationSource } from "../../registry/source.js";
import type { Connection } from "./connection.js";
import type { McpHealth } from "./health.js";
import { answerQuestions, isQuestion } from "./input-rounds.js";
import type { LaneRequest } from "./lane.js";
import { Link } from "./link.js";
import { operationsFromTools, wrapsInput } from "./operation-from-tool.js";
import { type McpSourceOptions, type Settings, settingsOf } from "./options.js";
import { Refresher } from "./refresher.js";
import { envelopeFromResult } from "./result.js";
import { listTools, type RawTool } from "./tool-list.js";

export interface McpSource extends OperationSource {
  health(): McpHealth;
  /** Asks the server for its tools again. */
  refresh(): Promise<void>;
  /** Calls back when the server may be up, or down, that was not before. Returns what ends it. */
  onHealth(listener: () => void): () => void;
}

/** Starts or reaches an MCP server and makes operations of its tools. Rejects with a `CallError` where it cannot. */
export async function mcpSource(options: McpSourceOptions): Promise<McpSource> {
  const source = new Source(settingsOf(options));
  return opened(source, () => source.refresh(), options.signal);
}

class Source implements McpSource {
  readonly name: string;
  readonly #settings: Settings;
  readonly #link: Link;
  readonly #listeners = new Listeners();
  readonly #healthListeners = new Listeners();
  readonly #refresher: Refresher;
  #operations: readonly AnyOperation[] = [];
  #warnings: readonly Warning[] = [];
  #freshUntil: number | undefined;

  constructor(settings: Settings) {
    this.name = settings.name;
    this.#settings = settings;
    const read = (): Promise<void> => this.#link.use((connection) => this.#read(connection));
    // A server that has ended is started again for a call, not for its list.
    this.#refresher = new Refresher(read, () => this.#link.isUp);
    const refresh = (): void => this.#refresher.soon();
    this.#link = new Link(settings, {
      onToolsChanged: refresh,
      onReconnected: refresh,
      onHealth: () => this.#healthListeners.tell(),
    });
  }

  get operations(): readonly AnyOperation[] {
    return this.#operations;
  }

  refresh(): Promise<void> {
    return this.#refresher.run();
  }

  health(): McpHealth {
    const { failure } = this.#refresher;
    const stale: Warning[] = failure === undefined ? [] : [{ code: "TOOLS_STALE", message: messageOf(failure) }];
    const warnings = [...this.#warnings, ...stale];
    return { ...this.#link.health(), tools: this.#operations.length, warnings };
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  onHealth(listener: () => void): () => void {
    return this.#healthListeners.add(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#healthListeners.clear();
    this.#refresher.stop();
    await this.#link.close();
  }

  async #read(connection: Connection): Promise<void> {
    const { tools, warnings, freshUntil } = await listTools(connection, this.#settings.startTimeout);
    const faults = tools.map((tool) => this.#faultOf(tool, connection));
    const usable = tools.filter((_, at) => faults[at] === undefined);
    const before = this.#operations;
    const { name, input, output, unfold = true } = this.#settings;
    const handlerOf =
      (tool: RawTool): AnyHandler =>
      (given, context) =>
        this.#call(tool, given, context);
    const now = operationsFromTools(usable, { namespace: name, unfold, input, output, handlerOf });
    this.#operations = keepUnchanged(before, now);
    this.#warnings = [...warnings, ...faults.filter((fault) => fault !== undefined)];
    this.#freshUntil = freshUntil;
    const isSame = before.length === now.length && this.#operations.every((operation, at) => operation === before[at]);
    if (!isSame) this.#listeners.tell();
  }

  /** Only requests of the modern era over HTTP repeat arguments in headers. */
  #hasHeaders({ era }: Connection): boolean {
    return era === "modern" && this.#settings.url !== undefined;
  }

  /** A tool that declares its headers wrongly must not be called. */
  #faultOf(tool: RawTool, connection: Connection): Warning | undefined {
    const headers = this.#hasHeaders(connection) ? declaredHeaders(tool) : [];
    if (!("fault" in headers)) return undefined;
    return { code: "TOOL_UNUSABLE", message: `${tool.name} must not be called: ${headers.fault}.` };
  }

  async #call(tool: RawTool, input: unknown, context: HandlerContext): Promise<ResponseEnvelope> {
    if (this.#freshUntil !== undefined && Date.now() > this.#freshUntil) this.#refresher.soon();
    const args = wrapsInput(tool) ? { input } : input;
    const send = (answers: JsonRecord | undefined): Promise<unknown> =>
      this.#link.use(
        (connection) => connection.request(this.#request(connection, tool, args, answers, context)),
        context,
      );
    const first = await send(answersIn(context.metadata));
    const result = isQuestion(first)
      ? await answerQuestions(first, { hook: this.#settings.onInputRequest, context, call: send })
      : first;
    return envelopeFromResult(result, this.#settings, tool["outputSchema"] !== undefined);
  }

  #request(
    connection: Connection,
    tool: RawTool,
    args: unknown,
    answers: JsonRecord | undefined,
    context: HandlerContext,
  ): LaneRequest {
    const { name } = tool;
    const trace = traceIn(context.metadata);
    return {
      method: "tools/call",
      encode: connection.encoder.call(name, args, answers, trace),
      timeout: this.#settings.timeout,
      watchEnd: (listener) => whenEnded(context, listener),
      onProgress: context.progress,
      name,
      ...this.#headers(connection, tool, args, trace),
    };
  }

  #headers(
    connection: Connection,
    tool: RawTool,
    args: unknown,
    trace: TraceCarrier | undefined,
  ): Pick<LaneRequest, "headers"> {
    const declared = this.#hasHeaders(connection) ? declaredHeaders(tool) : [];
    const own = "fault" in declared || declared.length === 0 ? undefined : headersFor(declared, args);
    return own === undefined && trace === undefined ? {} : { headers: { ...trace, ...own } };
  }
}

const DECLARED = new WeakMap<RawTool, ReturnType<typeof paramHeadersOf>>();

function declaredHeaders(tool: RawTool): ReturnType<typeof paramHeadersOf> {
  const known = DECLARED.get(tool) ?? paramHeadersOf(tool["inputSchema"]);
  DECLARED.set(tool, known);
  return known;
}

/** What a caller answers to the questions of an earlier attempt. */
function answersIn(metadata: HandlerContext["metadata"]): JsonRecord | undefined {
  if (metadata === undefined) return undefined;
  const { inputResponses, requestState } = metadata;
  const answers = {
    ...(isRecord(inputResponses) && { inputResponses }),
    ...(typeof requestState === "string" && { requestState }),
  };
  return Object.keys(answers).length === 0 ? undefined : answers;
}
