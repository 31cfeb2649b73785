import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  Server,
  ServerCapabilities,
} from "@modelcontextprotocol/server";
import type { Outcome } from "../../envelope/outcome.js";
import type { Era } from "../../mcp/keys.js";
import type { Identity } from "../../registry/access.js";
import type { OperationSpec } from "../../registry/operation.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import type { ResultStore } from "../../results/result-store.js";

/** How a result is laid out: MCP's own way, or in one of the two dialects for tools. */
export type McpLayout = "plain" | "tool-response" | "tool-envelope-v1";

/** Whether a result is sent as text for a model, as structure for a program, or as both. */
export type McpChannels = "both" | "model" | "program";

/** Bytes; `false` for no limit. */
export type McpBudget = number | false;

/** Whom a server of the SDK is made for. */
export interface McpClientInfo {
  readonly era: Era;
  readonly identity?: Identity;
}

/** What a handler finds in `context.metadata` when an MCP client calls. */
export interface McpCallMetadata {
  /** What the client can be asked for. */
  readonly clientCapabilities?: ClientCapabilities;
  /** The answers to the questions of an `INPUT_REQUIRED`, by the names that they had there. */
  readonly inputResponses?: Readonly<Record<string, McpInputResponse>>;
  /** What the operation wanted back with them. */
  readonly requestState?: string;
  /** The trace that the client has made the call in, as W3C's Trace Context has it. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** Where the server has the capability `logging`. */
  readonly log?: (level: LoggingLevel, data: unknown, logger?: string) => void;
}

/** As the client gave it, unchecked: with `action` and `content` where its user was asked. */
export interface McpInputResponse {
  readonly action?: string;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface McpServerOptions {
  readonly registry: ServedRegistry;
  /** @default Plico's own name and version */
  readonly info?: Implementation | undefined;
  /** For the model that uses the tools. */
  readonly instructions?: string | undefined;
  /** @default "plain" */
  readonly layout?: McpLayout | ((spec: OperationSpec) => McpLayout) | undefined;
  /** @default "both" */
  readonly channels?: McpChannels | undefined;
  /**
   * `qualified` is `namespace_name`; `bare` the name alone. A name that is taken gets a number. Where a function gives
   * none, it is the qualified one.
   * @default "qualified"
   */
  readonly toolNames?: "qualified" | "bare" | ((spec: OperationSpec) => string | undefined) | undefined;
  /**
   * The id of the operation that a name may stand for which is no tool now: it is called all the same, so that the
   * registry says why it is not there.
   */
  readonly awaited?: ((toolName: string) => string | undefined) | undefined;
  /** Operations for which it is false are no tools. */
  readonly filter?: ((spec: OperationSpec) => boolean) | undefined;
  /**
   * How many bytes of a result a model sees at once; the rest is behind a link. `false` for all. A caller may ask for
   * more or less with `_meta["plico/budget"]`.
   * @default 24_000
   */
  readonly budget?: McpBudget | ((spec: OperationSpec, outcome: Outcome) => McpBudget | undefined) | undefined;
  /** The list of tools waits for it: tools that come a moment later are missed by clients that ask once. */
  readonly ready?: Promise<unknown> | undefined;
  /** Keeps what was over the budget; who gives one closes it. */
  readonly results?: ResultStore | undefined;
  /** Adds to a server of the SDK what Plico does not serve itself: prompts, further resources. Tools are Plico's. */
  readonly configure?: ((server: Server, about: McpClientInfo) => void) | undefined;
  /** Advertised beside our own, for what `configure` adds. */
  readonly capabilities?: ServerCapabilities | undefined;
  /**
   * Seals what an operation wants back with the answers to its questions. Servers that share an address need the same.
   * At least 32 bytes.
   * @default a random one
   */
  readonly stateKey?: string | Uint8Array | undefined;
  /** Hears of what no client can be told. */
  readonly onError?: ((error: unknown) => void) | undefined;
}
