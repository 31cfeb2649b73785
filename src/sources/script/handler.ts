import { callErrorFrom, isCallError } from "../../envelope/call-error.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { HandlerContext } from "../../registry/context.js";
import type { AnyHandler } from "../../registry/operation.js";
import type { ProcessTree } from "../process-tree.js";
import { type CommandLineOptions, commandLineFor } from "./command-line.js";
import { environmentOf, traceVariables } from "./environment.js";
import { withOrigin } from "./failure.js";
import { lineValues } from "./line-values.js";
import type { Settings } from "./options.js";
import { envelopeFromResult, type OutputRules } from "./read-output.js";
import { type RunControl, runToEnd } from "./run-script.js";
import type { RunningScripts } from "./running-scripts.js";

/** How a script is called, and how its answer is read: plain data. */
export interface ScriptPlan extends CommandLineOptions, OutputRules {
  readonly command: readonly string[];
}

export interface HandlerParts {
  readonly plan: ScriptPlan;
  readonly settings: Settings;
  readonly running: RunningScripts;
}

/** What runs when an operation is called: the program starts, and what it prints comes in an envelope. */
export function handlerOf(parts: HandlerParts): AnyHandler {
  return parts.plan.outputAs === "json-lines"
    ? (input, context) => subscribe(parts, input, context)
    : (input, context) => call(parts, input, context);
}

const TIMEOUT = 60_000;

async function call(parts: HandlerParts, input: unknown, context: HandlerContext): Promise<ResponseEnvelope> {
  const control = controlOf(parts, context, parts.settings.timeout ?? TIMEOUT);
  const tree = await start(parts, input, context, control);
  return envelopeFromResult(await runToEnd(tree, control), parts.plan);
}

async function* subscribe(
  parts: HandlerParts,
  input: unknown,
  context: HandlerContext,
): AsyncGenerator<ResponseEnvelope> {
  const control = controlOf(parts, context, parts.settings.timeout);
  const tree = await start(parts, input, context, control);
  yield* lineValues(tree, control, parts.plan);
}

function controlOf(
  { settings, plan, running }: HandlerParts,
  context: HandlerContext,
  timeout: number | undefined,
): RunControl {
  return {
    timeout,
    maxOutputBytes: settings.maxOutputBytes,
    account: { operationId: context.operationId, command: plan.command, startedAt: Date.now() },
    watchEnd: (listener) => running.whenEnded(context, listener),
  };
}

async function start(
  { plan, settings, running }: HandlerParts,
  input: unknown,
  context: HandlerContext,
  { account }: RunControl,
): Promise<ProcessTree> {
  const { args, stdin } = commandLineFor(input, plan);
  const { cwd, graceMs, maxStderrBytes, onStderr } = settings;
  const options = {
    cwd,
    env: { ...environmentOf(settings), ...traceVariables(context.metadata) },
    graceMs,
    stderrTail: maxStderrBytes,
    ...(onStderr !== undefined && { onStderr: (line: string) => onStderr(line, context.operationId) }),
  };
  try {
    const tree = await running.start([...plan.command, ...args], options, context);
    // Without an input it is closed all the same: a program that reads it must not wait for ever.
    tree.stdin.end(stdin);
    return tree;
  } catch (thrown) {
    throw isCallError(thrown) ? withOrigin(callErrorFrom(thrown), { ...account, exitCode: null, stderr: "" }) : thrown;
  }
}
