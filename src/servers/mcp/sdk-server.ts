import {
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  mergeCapabilities,
  ProtocolError,
  type Result,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Failure, Outcome } from "../../envelope/outcome.js";
import { traceIn } from "../../envelope/trace-context.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { isRequestId, type JsonRpcError } from "../../mcp/json-rpc.js";
import { CLIENT_CAPABILITIES_KEY, type Era } from "../../mcp/keys.js";
import type { Identity } from "../../registry/access.js";
import { ClientCall } from "../client-call.js";
import { cancelled } from "../refusals.js";
import type { RunningCalls } from "../running-calls.js";
import { budgetOf } from "./clean-call.js";
import type { Core } from "./core.js";
import { progressParams } from "./frames.js";
import { asksForInput, questionsFor } from "./input-required.js";
import type { McpCallMetadata, McpClientInfo } from "./options.js";
import { INTERNAL, unknownTool } from "./refusals.js";
import type { KeptState } from "./request-state.js";
import { serveResults } from "./result-resources.js";
import { runTool } from "./run-tool.js";
import type { Tool } from "./tool.js";

export interface ToolServerOptions {
  readonly core: Core;
  readonly running: RunningCalls;
  readonly about: McpClientInfo;
  /** Who makes a request; the caller of one may differ from that of the next. */
  readonly identityOf: (context: ServerContext) => Identity | undefined;
}

type Handler = Parameters<Server["_wrapHandler"]>[1];

/** Where a message says what came of it already. Only an object that we made ourselves is believed. */
const OUTCOME_KEY = "plico/outcome";

/**
 * A server of the SDK for one client: all but the clean calls comes here. `_wrapHandler` and `_getRequestHandler` are the
 * SDK's own insides, which any release may change; hence its version is pinned in package.json, and tested for both.
 */
export class ToolServer extends Server {
  readonly #core: Core;
  readonly #running: RunningCalls;
  readonly #era: Era;
  readonly #identityOf: ToolServerOptions["identityOf"];
  /** By the signal of its request, the result that the SDK must not touch. */
  readonly #results = new WeakMap<AbortSignal, Result>();
  readonly #outcomes = new WeakSet<object>();

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
      this.#guard(async () => {
        await core.options.ready;
        return { tools: [...core.toolbox.list(identityOf(context))] };
      }),
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

  /** The message of a call that was run elsewhere, for this server to go on with what came of it. */
  withOutcome(message: JsonRecord, outcome: Outcome): JsonRecord {
    this.#outcomes.add(outcome);
    const params = isRecord(message["params"]) ? message["params"] : {};
    const _meta = { ...(isRecord(params["_meta"]) && params["_meta"]), [OUTCOME_KEY]: outcome };
    return { ...message, params: { ...params, _meta } };
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
      throw protocolError(INTERNAL);
    }
  }

  async #call({ name, arguments: args }: CallToolRequest["params"], context: ServerContext): Promise<CallToolResult> {
    const known = this.#takeOutcome(context);
    const tool = this.#core.toolbox.find(name);
    if (tool === undefined) throw protocolError(unknownTool(name));
    const { signal } = context.mcpReq;
    const call = this.#toolCall(tool, context);
    const onAbort = (): void => call.stop(cancelled(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    this.#running.add(call);
    try {
      return await this.#answer(tool, known ?? (await runTool(this.#core.options.registry, tool, args, call)), context);
    } finally {
      call.isOver = true;
      this.#running.delete(call);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** What came of the call elsewhere; once, because the SDK calls again with the answers to questions. */
  #takeOutcome({ mcpReq }: ServerContext): Outcome | undefined {
    const given: unknown = mcpReq._meta?.[OUTCOME_KEY];
    return isRecord(given) && this.#outcomes.delete(given) ? (given as unknown as Outcome) : undefined;
  }

  async #answer(tool: Tool, outcome: Outcome, context: ServerContext): Promise<CallToolResult> {
    const owner = this.#identityOf(context)?.id;
    const asked = asksForInput(outcome) ? await this.#questions(tool, outcome, context) : undefined;
    // In the modern era the SDK knows how to say that a client cannot answer.
    if (asked !== undefined && (this.#era === "modern" || asked.missing === undefined))
      return asked.result as unknown as CallToolResult;
    const budget = budgetOf(context.mcpReq._meta);
    // Through its own text, so that it holds nothing but JSON.
    const text = await this.#core.print(tool, outcome, { era: undefined, budget, owner });
    this.#results.set(context.mcpReq.signal, JSON.parse(text) as Result);
    return { content: [] };
  }

  #toolCall(tool: Tool, context: ServerContext): ClientCall {
    return new ClientCall({
      identity: this.#identityOf(context),
      metadata: { ...this.#metadata(tool, context) },
      onProgress: progressOf(context),
    });
  }

  #questions({ id }: Tool, { error }: Failure, context: ServerContext): ReturnType<typeof questionsFor> {
    const capabilities = this.#capabilities(context);
    const owner = this.#identityOf(context)?.id;
    return questionsFor({ error, capabilities, states: this.#core.states, owner, operation: id });
  }

  #capabilities({ mcpReq }: ServerContext): ClientCapabilities | undefined {
    if (this.#era === "legacy") return this.getClientCapabilities();
    return (mcpReq.envelope as JsonRecord | undefined)?.[CLIENT_CAPABILITIES_KEY] as ClientCapabilities | undefined;
  }

  /** What a handler may want to know of its client, and say to it. */
  #metadata(tool: Tool, context: ServerContext): McpCallMetadata {
    const { mcpReq } = context;
    const clientCapabilities = this.#capabilities(context);
    const log: McpCallMetadata["log"] = (...said) => void mcpReq.log(...said).catch(() => {});
    return {
      ...(clientCapabilities !== undefined && { clientCapabilities }),
      ...(mcpReq.inputResponses !== undefined && { inputResponses: mcpReq.inputResponses as InputResponses }),
      ...requestState(tool, mcpReq.requestState()),
      ...(traceIn(mcpReq._meta) ?? traceIn(traceHeaders(context))),
      ...(this.getCapabilities().logging !== undefined && { log }),
    };
  }
}

type InputResponses = NonNullable<McpCallMetadata["inputResponses"]>;

/** What one operation wanted back is nothing to another. */
function requestState({ id }: Tool, kept: KeptState | undefined): { requestState?: string } {
  if (kept === undefined) return {};
  if (kept.operation === id) return { requestState: kept.state };
  throw protocolError({
    code: -32602,
    message: "Invalid or expired requestState",
    data: { reason: "invalid_request_state" },
  });
}

function traceHeaders({ http }: ServerContext): JsonRecord {
  const headers = http?.req?.headers;
  return { traceparent: headers?.get("traceparent"), tracestate: headers?.get("tracestate") };
}

function protocolError({ code, message, data }: JsonRpcError): ProtocolError {
  return new ProtocolError(code, message, data);
}

function progressOf({ mcpReq }: ServerContext): ConstructorParameters<typeof ClientCall>[0]["onProgress"] {
  const token = mcpReq._meta?.progressToken;
  if (!isRequestId(token)) return undefined;
  return (progress) => {
    const params = { ...progressParams(token, progress) };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
