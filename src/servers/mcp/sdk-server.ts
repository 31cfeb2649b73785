import {
  type CallToolRequest,
  type CallToolResult,
  mergeCapabilities,
  ProtocolError,
  type Result,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Failure, Outcome } from "../../envelope/outcome.js";
import type { JsonRecord } from "../../json/value.js";
import type { RequestId } from "../../mcp/json-rpc.js";
import { CLIENT_CAPABILITIES_KEY, type Era } from "../../mcp/keys.js";
import type { Identity } from "../../registry/access.js";
import { budgetOf, isToken } from "./clean-call.js";
import type { Core } from "./core.js";
import { progressParams } from "./frames.js";
import { asksForInput, questionsOf } from "./input-required.js";
import { cancelled, INTERNAL, unknownTool } from "./lane.js";
import type { McpClientInfo } from "./options.js";
import { serveResults } from "./result-resources.js";
import type { RunningCalls } from "./running-calls.js";
import type { Tool } from "./tool.js";
import { runTool, ToolCall } from "./tool-call.js";

export interface ToolServerOptions {
  readonly core: Core;
  readonly running: RunningCalls;
  readonly about: McpClientInfo;
  /** Who makes a request; the caller of one may differ from that of the next. */
  readonly identityOf: (context: ServerContext) => Identity | undefined;
}

type Handler = Parameters<Server["_wrapHandler"]>[1];

/** A server of the SDK for one client: all but the clean calls comes here. */
export class ToolServer extends Server {
  readonly #core: Core;
  readonly #running: RunningCalls;
  readonly #era: Era;
  readonly #identityOf: ToolServerOptions["identityOf"];
  /** By the signal of its request, the result that the SDK must not touch. */
  readonly #results = new WeakMap<AbortSignal, Result>();
  readonly #expected = new Map<RequestId, Outcome>();

  constructor({ core, running, about, identityOf }: ToolServerOptions) {
    const { instructions, capabilities = {}, configure } = core.options;
    const ours: ServerCapabilities = { tools: { listChanged: true }, resources: {} };
    super(core.info, {
      capabilities: mergeCapabilities(ours, capabilities),
      ...(instructions !== undefined && { instructions }),
      requestState: { verify: (state, context) => core.states.open(state, identityOf(context)?.id, context) },
    });
    this.#core = core;
    this.#running = running;
    this.#era = about.era;
    this.#identityOf = identityOf;
    this.onerror = (error) => core.report(error);
    configure?.(this, about);
    this.setRequestHandler("tools/list", (_request, context) =>
      this.#guard(async () => ({ tools: [...core.toolbox.list(identityOf(context))] })),
    );
    this.setRequestHandler("tools/call", ({ params }, context) => this.#guard(() => this.#call(params, context)));
    serveResults(this, (method) => this._getRequestHandler(method), core, identityOf);
  }

  /** Whether a client of the old era has said what it can do. */
  get isGreeted(): boolean {
    return this.getClientCapabilities() !== undefined;
  }

  /** Whether its client can be asked for something in the middle of a call. */
  get canAsk(): boolean {
    const { elicitation, sampling, roots } = this.getClientCapabilities() ?? {};
    return (elicitation ?? sampling ?? roots) !== undefined;
  }

  /** The next request with this id was run elsewhere, and this came of it. */
  expect(id: RequestId, outcome: Outcome): void {
    this.#expected.set(id, outcome);
  }

  /**
   * The SDK checks the results of tools and gives on a copy, without the fields and blocks that it does not know. It gets
   * an empty result to check, and the client the one that was meant.
   */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    if (method !== "tools/call") return wrapped;
    return async (request, context) => {
      const answer = await wrapped(request, context);
      const { signal } = context.mcpReq;
      const meant = this.#results.get(signal);
      this.#results.delete(signal);
      return meant ?? answer;
    };
  }

  /** The SDK tells its client the words of whatever is thrown. */
  async #guard<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      if (thrown instanceof ProtocolError) throw thrown;
      this.#core.report(thrown);
      throw new ProtocolError(INTERNAL.code, INTERNAL.message);
    }
  }

  async #call(params: CallToolRequest["params"], context: ServerContext): Promise<CallToolResult> {
    const tool = this.#core.toolbox.find(params.name);
    if (tool === undefined) {
      const { code, message } = unknownTool(params.name);
      throw new ProtocolError(code, message);
    }
    const { id } = context.mcpReq;
    const expected = this.#expected.get(id);
    this.#expected.delete(id);
    const outcome = expected ?? (await this.#run(tool, params.arguments, context));
    const { signal } = context.mcpReq;
    const asked = asksForInput(outcome) ? await this.#questions(outcome as Failure, context) : undefined;
    // In the modern era the SDK knows how to say that a client cannot answer.
    if (asked !== undefined && (this.#era === "modern" || asked.missing === undefined))
      return asked.result as unknown as CallToolResult;
    const owner = this.#identityOf(context)?.id;
    const budget = budgetOf(context.mcpReq._meta);
    // Through its own text, so that it holds nothing but JSON.
    const text = await this.#core.print(tool, outcome, { era: undefined, budget, owner });
    this.#results.set(signal, JSON.parse(text) as Result);
    return { content: [] };
  }

  async #run(tool: Tool, args: Record<string, unknown> | undefined, context: ServerContext): Promise<Outcome> {
    const { signal } = context.mcpReq;
    const call = new ToolCall({
      identity: this.#identityOf(context),
      metadata: this.#metadata(context),
      onProgress: progressOf(context),
    });
    const onAbort = (): void => call.stop(cancelled(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    this.#running.add(call);
    try {
      return await runTool(this.#core.options.registry, tool, args, call);
    } finally {
      call.isOver = true;
      this.#running.delete(call);
      signal.removeEventListener("abort", onAbort);
    }
  }

  #questions(outcome: Failure, context: ServerContext): ReturnType<typeof questionsOf> {
    const owner = this.#identityOf(context)?.id;
    return questionsOf(outcome.error, this.#capabilities(context), this.#core.states, owner);
  }

  #capabilities({ mcpReq }: ServerContext): unknown {
    return this.#era === "modern"
      ? (mcpReq.envelope as JsonRecord | undefined)?.[CLIENT_CAPABILITIES_KEY]
      : this.getClientCapabilities();
  }

  /** What a handler may want to know of its client, and say to it. */
  #metadata(context: ServerContext): Readonly<Record<string, unknown>> {
    const { mcpReq } = context;
    const clientCapabilities = this.#capabilities(context);
    const state = mcpReq.requestState();
    const log = (...said: Parameters<typeof mcpReq.log>): void => void mcpReq.log(...said).catch(() => {});
    return {
      ...(clientCapabilities !== undefined && { clientCapabilities }),
      ...(mcpReq.inputResponses !== undefined && { inputResponses: mcpReq.inputResponses }),
      ...(state !== undefined && { requestState: state }),
      ...(this.getCapabilities().logging !== undefined && { log }),
    };
  }
}

function progressOf({ mcpReq }: ServerContext): ConstructorParameters<typeof ToolCall>[0]["onProgress"] {
  const token = mcpReq._meta?.progressToken;
  if (!isToken(token)) return undefined;
  return (progress) => {
    const params = { ...progressParams(token, progress) };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
