import { type CallErrorData, callErrorData } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { ExecuteOptions } from "../../registry/call-options.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { collectValues } from "./collect-values.js";
import type { Tool } from "./tool.js";

/** Runs the operation behind a tool. Rejects only where its registry does not do as it should. */
export async function runTool(
  registry: ServedRegistry,
  tool: Tool,
  args: Readonly<Record<string, unknown>> | undefined,
  call: ExecuteOptions,
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
