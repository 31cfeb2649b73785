import { detectAgent } from "../../dialects/agent.js";
import type { SkippedSource } from "../../envelope/hints.js";
import { told } from "../../json/told.js";
import { isString } from "../../json/value.js";
import type { HandlerContext } from "../../registry/context.js";
import { requireProgram } from "./require-program.js";

/** What a helper knows and may say while it runs. */
export interface Helper<Input = unknown> extends Said {
  /** Checked against the input schema, and with its defaults. */
  readonly input: Input;
  /** The agent that runs the helper, such as `claude`; `unknown` where nothing tells. */
  readonly agent: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Leaves a source out: the answer is then partial, and says so. */
  readonly skip: (source: string, reason?: string) => void;
  /** Ends the helper with `TOOL_MISSING`, and the hint, where a program is not installed. */
  readonly requires: (program: string, hint?: string) => void;
}

type Said = Pick<HandlerContext, "warn" | "page" | "progress" | "link" | "summary">;

/** A helper for one call, and the sources that it has skipped so far. */
export function helperFor(
  input: unknown,
  context: HandlerContext,
): { readonly helper: Helper; readonly skipped: readonly SkippedSource[] } {
  const { warn, page, progress, link, summary } = context;
  const given = context.metadata?.["agent"];
  const skipped: SkippedSource[] = [];
  const helper: Helper = {
    input,
    agent: isString(given) && given !== "" ? given : detectAgent(process.env),
    // A signal that nobody asks for is not made.
    get signal() {
      return context.signal;
    },
    skip(source, reason) {
      if (!isString(source) || source === "")
        throw new TypeError(`helper.skip takes the name of the source, not ${told(source)}`);
      skipped.push(reason === undefined ? source : { source, reason });
    },
    requires: requireProgram,
    ...{ warn, page, progress, link, summary },
  };
  return { helper, skipped };
}
