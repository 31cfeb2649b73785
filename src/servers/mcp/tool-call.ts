import { type CallError, type CallErrorData, callErrorData } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { Identity } from "../../registry/access.js";
import type { ExecuteOptions, Progress } from "../../registry/call-options.js";
import type { ServedRegistry } from "../served-registry.js";
import { collectValues } from "./collect-values.js";
import type { Tool } from "./tool.js";

export interface ToolCallInit {
  readonly identity: Identity | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** Absent where the client wants to hear of none. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A call that a client makes, and what the registry is told of it: there is no second object for that. */
export class ToolCall implements ExecuteOptions {
  readonly isRemote = true;
  declare readonly identity?: Identity;
  declare readonly metadata?: Readonly<Record<string, unknown>>;
  readonly #report: ((progress: Progress) => void) | undefined;
  #reported = Number.NEGATIVE_INFINITY;
  #end: ((error: CallError) => void) | undefined;
  #stoppedFor: CallError | undefined;
  /** The client has its answer, or wants none. */
  isOver = false;
  onStop: (() => void) | undefined;

  constructor({ identity, metadata, onProgress }: ToolCallInit) {
    if (identity !== undefined) this.identity = identity;
    if (metadata !== undefined) this.metadata = metadata;
    this.#report = onProgress;
  }

  onStart(end: (error: CallError) => void): void {
    this.#end = end;
    if (this.#stoppedFor !== undefined) end(this.#stoppedFor);
  }

  /** MCP wants it to grow with every report. */
  onProgress(progress: Progress): void {
    if (this.isOver || this.#report === undefined || !(progress.progress > this.#reported)) return;
    this.#reported = progress.progress;
    this.#report(progress);
  }

  /** Ends it before its time. Its handler may not care, so nothing more comes of it. */
  stop(error: CallError): void {
    this.isOver = true;
    if (this.#stoppedFor !== undefined) return;
    this.#stoppedFor = error;
    this.onStop?.();
    this.#end?.(error);
  }

  /** As a plain object, for those who copy it. */
  options(): ExecuteOptions {
    return {
      isRemote: true,
      onStart: (end) => this.onStart(end),
      ...(this.identity !== undefined && { identity: this.identity }),
      ...(this.metadata !== undefined && { metadata: this.metadata }),
    };
  }
}

/** Runs the operation behind a tool. Rejects only where its registry does not do as it should. */
export async function runTool(
  registry: ServedRegistry,
  tool: Tool,
  args: Readonly<Record<string, unknown>> | undefined,
  call: ToolCall,
): Promise<Outcome> {
  if (tool.input.isWrapped && args?.["input"] === undefined) return { ok: false, error: withoutInput(tool), meta: {} };
  const input = tool.inputFrom(args);
  return tool.isSubscription ? collectValues(registry, tool.id, input, call) : registry.attempt(tool.id, input, call);
}

/** Said in the words that clients were shown: the operation knows nothing of an argument `input`. */
function withoutInput({ id }: Tool): CallErrorData {
  const issues = [{ path: "/input", message: "is required", rule: "required" }];
  return callErrorData({ category: "validation", message: `The argument \`input\` of ${id} is missing.`, issues });
}
