import type { Implementation } from "@modelcontextprotocol/server";
import { type McpResult, mcpResult } from "../../dialects/mcp-result.js";
import { type ToolEnvelopeWire, toolEnvelopeV1 } from "../../dialects/tool-envelope-v1.js";
import type { Outcome } from "../../envelope/outcome.js";
import { printJson } from "../../json/printable.js";
import { ABOUT_PLICO } from "../../mcp/about-plico.js";
import type { Era } from "../../mcp/keys.js";
import { createResultStore, type ResultStore } from "../../results/result-store.js";
import { isOverBudget, withinBudget } from "./budget.js";
import { checkOptions } from "./check-options.js";
import { toolEnvelopeResult, toolResponseResult } from "./dialect-layouts.js";
import { asksForInput, withSealedState } from "./input-required.js";
import type { McpBudget, McpServerOptions } from "./options.js";
import { matchesShown, mismatchResult, plainResult } from "./plain-layout.js";
import { quickResult } from "./quick-result.js";
import { RequestStates } from "./request-state.js";
import { type Stamp, stampsFor } from "./stamp.js";
import type { Tool } from "./tool.js";
import { Toolbox } from "./toolbox.js";

const BUDGET = 24_000;

/** How a result is to be printed. */
export interface Printing {
  /** `undefined` for a result that the SDK stamps itself. */
  readonly era: Era | undefined;
  /** What the caller asked for; else the server's. */
  readonly budget: number | false | undefined;
  readonly owner: string | undefined;
}

/** What the servers of one registry share, whatever carries their messages. */
export class Core {
  readonly options: McpServerOptions;
  readonly info: Implementation;
  readonly toolbox: Toolbox;
  readonly states: RequestStates;
  readonly #stamps: Readonly<Record<Era, Stamp>>;
  #results: ResultStore | undefined;

  constructor(options: McpServerOptions) {
    checkOptions(options);
    this.options = options;
    this.info = options.info ?? ABOUT_PLICO;
    this.toolbox = new Toolbox(options);
    this.states = new RequestStates(options.stateKey);
    this.#stamps = stampsFor(this.info);
    this.#results = options.results;
  }

  /** Of what is read of a result, whatever tool gave it. */
  get budget(): McpBudget {
    const { budget } = this.options;
    return typeof budget === "function" ? BUDGET : (budget ?? BUDGET);
  }

  get results(): ResultStore {
    this.#results ??= createResultStore();
    return this.#results;
  }

  /** The JSON of a result. At once, unless something of it must be put elsewhere. */
  print(called: Tool, outcome: Outcome, { era, budget: wanted, owner }: Printing): string | Promise<string> {
    // One that has come meanwhile is known by now.
    const tool = called.isAwaited ? (this.toolbox.find(called.name) ?? called) : called;
    const stamp = this.#stamps[era ?? "legacy"];
    const budget = wanted ?? this.#budgetOf(tool, outcome);
    const quick = quickResult(tool, outcome, budget, stamp);
    if (quick !== undefined) return quick;
    if (asksForInput(outcome)) {
      const sealed = withSealedState(outcome, this.states, { owner, operation: tool.id });
      return sealed.then((failure) => printed(tool, failure, stamp));
    }
    if (!outcome.ok || !isOverBudget(tool, outcome.data, budget)) return printed(tool, outcome, stamp);
    const report = (error: unknown): void => this.report(error);
    const shown = withinBudget(tool, outcome, { budget, owner, results: () => this.results, report });
    return shown.then((success) => printed(tool, success, stamp));
  }

  #budgetOf({ spec }: Tool, outcome: Outcome): McpBudget {
    const { budget } = this.options;
    return (typeof budget === "function" ? budget(spec, outcome) : budget) ?? BUDGET;
  }

  report(error: unknown): void {
    try {
      this.options.onError?.(error);
    } catch {
      // Whoever listens must not break what it listens to.
    }
  }

  async close(): Promise<void> {
    this.toolbox.close();
    if (this.options.results === undefined) await this.#results?.close();
  }
}

function printed(tool: Tool, outcome: Outcome, stamp: Stamp): string {
  // Whatever the layout, clients would hold it against what they were shown.
  if (outcome.ok && !matchesShown(tool, outcome.data))
    return mcpResult.print(stamp.apply(mismatchResult(tool, outcome)));
  switch (tool.layout) {
    case "tool-response":
      return printJson(stamp.apply(toolResponseResult(tool, outcome)));
    case "tool-envelope-v1":
      return toolEnvelopeV1.print(stamp.apply(toolEnvelopeResult(tool, outcome)) as ToolEnvelopeWire);
    default:
      return mcpResult.print(stamp.apply(plainResult(tool, outcome)) as McpResult);
  }
}
