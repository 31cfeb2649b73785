import type { Failure, Outcome } from "../../envelope/outcome.js";
import type { TraceCarrier } from "../../envelope/trace-context.js";
import { SERVER_INFO_KEY } from "../../mcp/keys.js";
import type { Identity } from "../../registry/access.js";
import { ClientCall, type ClientCallInit } from "../client-call.js";
import type { RunningCalls } from "../running-calls.js";
import type { CleanCall } from "./clean-call.js";
import type { Core } from "./core.js";
import { errorFrame, progressFrame, resultFrame } from "./frames.js";
import { asksForInput, missingCapability, questionsFor } from "./input-required.js";
import { INTERNAL, unknownTool } from "./refusals.js";
import { runTool } from "./run-tool.js";
import type { Tool } from "./tool.js";

/** Where the answer of a call goes: as many reports of progress as there are, then one answer. */
export interface Reply {
  progress(frame: string): void;
  /** Over HTTP the status says if the request was at fault. */
  answer(frame: string, status?: number): void;
  /** Instead of an answer: the SDK goes on with these questions. Absent where its client cannot be asked. */
  readonly handOver?: ((questions: Failure) => void) | undefined;
}

export interface Caller {
  readonly identity: Identity | undefined;
  /** What the client can be asked, as far as the era lets us ask here. */
  readonly capabilities: unknown;
  /** What the request over HTTP says of its trace; what its message says counts more. */
  readonly trace?: TraceCarrier | undefined;
}

/**
 * Clean calls, answered without the SDK: it takes each message apart several times to tell what it is, and carries
 * answers through web streams. Whatever is not clean goes there, and gets the same answer.
 */
export class Lane {
  readonly #core: Core;
  readonly #running: RunningCalls;

  constructor(core: Core, running: RunningCalls) {
    this.#core = core;
    this.#running = running;
  }

  /** Begins a call. Nothing is given back where it is answered already. */
  start(clean: CleanCall, caller: Caller, reply: Reply): ClientCall | undefined {
    try {
      const tool = this.#core.toolbox.find(clean.name);
      if (tool !== undefined) return this.#begin(tool, clean, caller, reply);
      reply.answer(errorFrame(clean.id, unknownTool(clean.name)));
    } catch (thrown) {
      // Names, layouts and filters are code of the user.
      this.#core.report(thrown);
      reply.answer(errorFrame(clean.id, INTERNAL));
    }
    return undefined;
  }

  #begin(tool: Tool, clean: CleanCall, caller: Caller, reply: Reply): ClientCall {
    const { progressToken } = clean;
    const call = new ClientCall({
      identity: caller.identity,
      metadata: metadataOf(caller.capabilities, clean.trace ?? caller.trace),
      onProgress:
        progressToken === undefined ? undefined : (progress) => reply.progress(progressFrame(progressToken, progress)),
    });
    const underway = { call, tool, clean, caller, reply };
    this.#running.add(call, (error) => this.#answer(underway, { ok: false, error, meta: {} }));
    runTool(this.#core.options.registry, tool, clean.args, call).then(
      (outcome) => this.#answer(underway, outcome),
      (thrown) => this.#fail(underway, thrown),
    );
    return call;
  }

  #answer(underway: Underway, outcome: Outcome): void {
    if (underway.call.isOver) return;
    try {
      if (asksForInput(outcome) && this.#asks(underway, outcome)) return;
      const text = this.#print(underway, outcome);
      if (typeof text === "string") this.#finish(underway, resultFrame(underway.clean.id, text));
      else
        text.then(
          (later) => this.#finish(underway, resultFrame(underway.clean.id, later)),
          (thrown) => this.#fail(underway, thrown),
        );
    } catch (thrown) {
      this.#fail(underway, thrown);
    }
  }

  #print({ tool, clean: { era, budget }, caller }: Underway, outcome: Outcome): string | Promise<string> {
    return this.#core.print(tool, outcome, { era, budget, owner: caller.identity?.id });
  }

  /** Whether there is someone to ask. Before 2026 the SDK does it, by requests to the client. */
  #asks(underway: Underway, outcome: Failure): boolean {
    const { call, clean, reply } = underway;
    if (clean.era === "modern") {
      this.#ask(underway, outcome).catch((thrown) => this.#fail(underway, thrown));
      return true;
    }
    if (reply.handOver === undefined) return false;
    call.isOver = true;
    this.#running.delete(call);
    reply.handOver(outcome);
    return true;
  }

  /** Questions to the client, or the error that they are where nobody could answer them. */
  async #ask(underway: Underway, outcome: Failure): Promise<void> {
    const { states, info } = this.#core;
    const { identity, capabilities } = underway.caller;
    const { id } = underway.clean;
    const { error } = outcome;
    const asked = await questionsFor({
      error,
      capabilities,
      states,
      owner: identity?.id,
      operation: underway.tool.id,
    });
    if (asked === undefined) return this.#finish(underway, resultFrame(id, await this.#print(underway, outcome)));
    const { result, missing } = asked;
    if (missing !== undefined) return this.#finish(underway, errorFrame(id, missingCapability(missing)), 400);
    this.#finish(underway, resultFrame(id, JSON.stringify({ ...result, _meta: { [SERVER_INFO_KEY]: info } })));
  }

  #fail(underway: Underway, thrown: unknown): void {
    this.#core.report(thrown);
    this.#finish(underway, errorFrame(underway.clean.id, INTERNAL));
  }

  /** Until here a call is under way, so that a server that closes waits for what must be put away. */
  #finish({ call, reply }: Underway, frame: string, status?: number): void {
    if (call.isOver) return;
    call.isOver = true;
    this.#running.delete(call);
    reply.answer(frame, status);
  }
}

interface Underway {
  readonly call: ClientCall;
  readonly tool: Tool;
  readonly clean: CleanCall;
  readonly caller: Caller;
  readonly reply: Reply;
}

function metadataOf(capabilities: unknown, trace: TraceCarrier | undefined): ClientCallInit["metadata"] {
  if (capabilities === undefined) return trace;
  return trace === undefined ? { clientCapabilities: capabilities } : { clientCapabilities: capabilities, ...trace };
}
