import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { Warning } from "../../envelope/warning.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { type HandlerContext, whenEnded } from "../../registry/context.js";
import { Listeners } from "../../registry/listeners.js";
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
import { headersFor, type ParamHeader, paramHeadersOf } from "./param-headers.js";
import { envelopeFromResult } from "./result.js";
import { listTools, type RawTool } from "./tool-list.js";

export interface McpSource extends OperationSource {
  health(): McpHealth;
  /** Asks the server for its tools again. */
  refresh(): Promise<void>;
}

/** Starts or reaches an MCP server and makes operations of its tools. Rejects with a `CallError` where it cannot. */
export async function mcpSource(options: McpSourceOptions): Promise<McpSource> {
  const source = new Source(settingsOf(options));
  try {
    await source.refresh();
  } catch (thrown) {
    await source.close();
    throw thrown;
  }
  return source;
}

class Source implements McpSource {
  readonly name: string;
  readonly #settings: Settings;
  readonly #link: Link;
  readonly #listeners = new Listeners();
  #operations: readonly AnyOperation[] = [];
  #warnings: readonly Warning[] = [];
  #freshUntil: number | undefined;
  #refreshing: Promise<void> | undefined;
  #isStale = false;
  #restMs = 0;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: Settings) {
    this.name = settings.name;
    this.#settings = settings;
    this.#link = new Link(settings, {
      onToolsChanged: () => this.#refreshSoon(),
      onReconnected: () => this.#refreshSoon(),
    });
  }

  get operations(): readonly AnyOperation[] {
    return this.#operations;
  }

  refresh(): Promise<void> {
    return this.#link.use((connection) => this.#read(connection));
  }

  health(): McpHealth {
    return { ...this.#link.health(), tools: this.#operations.length, warnings: this.#warnings };
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    clearTimeout(this.#resting);
    await this.#link.close();
  }

  async #read(connection: Connection): Promise<void> {
    const { tools, warnings, freshUntil } = await listTools(connection, this.#settings.startTimeout);
    const usable = tools.filter((tool) => this.#headersOf(tool, connection) !== undefined);
    const unusable = tools.filter((tool) => !usable.includes(tool));
    const before = this.#operations;
    const { name, input, output, unfold = true } = this.#settings;
    const handlerOf = (tool: RawTool): AnyHandler => this.#handlerOf(tool, this.#headersOf(tool, connection) ?? []);
    const now = operationsFromTools(usable, { namespace: name, unfold, input, output, handlerOf });
    this.#operations = keepUnchanged(before, now);
    this.#warnings = [...warnings, ...unusable.map(badHeaders)];
    this.#freshUntil = freshUntil;
    const isSame = before.length === now.length && this.#operations.every((operation, at) => operation === before[at]);
    if (!isSame) this.#listeners.tell();
  }

  /** Only requests of the modern era over HTTP have such headers; a tool that declares them wrongly must not be called. */
  #headersOf({ inputSchema }: RawTool, { era }: Connection): readonly ParamHeader[] | undefined {
    if (era === "legacy" || this.#settings.url === undefined) return [];
    const headers = paramHeadersOf(inputSchema);
    return "fault" in headers ? undefined : headers;
  }

  /**
   * At most one runs and one waits, however often the server says that something has changed. One that says so whenever
   * it is asked for its list is asked ever more rarely.
   */
  #refreshSoon(): void {
    if (this.#refreshing !== undefined) {
      this.#isStale = true;
      return;
    }
    this.#isStale = false;
    this.#refreshing = this.refresh()
      .catch(() => {})
      .finally(() => this.#rest());
  }

  #rest(): void {
    this.#restMs = this.#isStale ? Math.min(Math.max(this.#restMs * 2, 25), LONGEST_REST) : 0;
    this.#resting = setTimeout(() => {
      this.#refreshing = undefined;
      if (this.#isStale) this.#refreshSoon();
    }, this.#restMs);
    this.#resting.unref();
  }

  #handlerOf(tool: RawTool, headers: readonly ParamHeader[]): AnyHandler {
    return (input: unknown, context: HandlerContext) => this.#call(tool, headers, input, context);
  }

  async #call(
    tool: RawTool,
    declared: readonly ParamHeader[],
    input: unknown,
    context: HandlerContext,
  ): Promise<ResponseEnvelope> {
    if (this.#freshUntil !== undefined && Date.now() > this.#freshUntil) this.#refreshSoon();
    const args = wrapsInput(tool) ? { input } : input;
    const headers = declared.length === 0 ? undefined : headersFor(declared, args);
    const send = (answers: JsonRecord | undefined): Promise<unknown> =>
      this.#send(tool.name, args, answers, headers, context);
    const first = await send(answersIn(context.metadata));
    const result = isQuestion(first)
      ? await answerQuestions(first, { hook: this.#settings.onInputRequest, context, call: send })
      : first;
    return envelopeFromResult(result, this.#settings, tool["outputSchema"] !== undefined);
  }

  #send(
    name: string,
    input: unknown,
    answers: JsonRecord | undefined,
    headers: Record<string, string> | undefined,
    context: HandlerContext,
  ): Promise<unknown> {
    const request = ({ encoder }: Connection): LaneRequest => ({
      method: "tools/call",
      encode: encoder.call(name, input, answers),
      timeout: this.#settings.timeout,
      watchEnd: (listener) => whenEnded(context, listener),
      onProgress: context.progress,
      name,
      ...(headers !== undefined && { headers }),
    });
    return this.#link.use((connection) => connection.request(request(connection)), context);
  }
}

const LONGEST_REST = 10_000;

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

function badHeaders(tool: RawTool): Warning {
  const headers = paramHeadersOf(tool["inputSchema"]);
  const fault = "fault" in headers ? headers.fault : "";
  return { code: "TOOL_UNUSABLE", message: `${tool.name} must not be called: ${fault}.` };
}
