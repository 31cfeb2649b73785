import { DIALECT_NAMES } from "../../dialects/all.js";
import { type CallErrorData, callErrorData, callErrorFrom, isCallError } from "../../envelope/call-error.js";
import type { Failure } from "../../envelope/outcome.js";
import type { Redactor } from "../../gateway/redact.js";
import { LONGEST_TIMER } from "../../json/longest-timer.js";
import type { Identity } from "../../registry/access.js";
import type { ExecuteOptions } from "../../registry/call-options.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import type { Command } from "../command.js";
import { Complaint, type ExitCode, type Io } from "../io.js";
import { SOURCE_FLAGS } from "../sources.js";
import { interruptible } from "../terminal/interruption.js";
import { pretty } from "../terminal/pretty.js";
import { type ProgressBar, progressBar } from "../terminal/progress-bar.js";
import { canAsk, confirm } from "../terminal/prompt.js";
import { UNREAD, untilUnread } from "../terminal/unread.js";
import { writeAnswer } from "./call-answer.js";
import { type CallRequest, readRequest } from "./call-request.js";
import { callOnce, callPages, callStream, type PreparedCall, type Write } from "./call-run.js";
import { type CallTarget, withTarget } from "./call-target.js";
import { givenInput } from "./given-input.js";

export const callCommand: Command = {
  name: "call",
  usage: "OPERATION [key=value… | --input JSON|@FILE|-] [options]",
  summary: "Calls an operation: the answer is shown on a terminal, and is the JSON of its envelope in a pipe.",
  takes: "words",
  flags: {
    input: { type: "string", value: "JSON|@FILE|-", help: "the whole input: JSON, a file of it, or standard input" },
    as: {
      type: "string",
      value: "DIALECT",
      choices: DIALECT_NAMES,
      help: "answer in this dialect; what it cannot say is told on stderr",
    },
    data: { type: "boolean", help: "only the data, without its envelope; JSON in a pipe" },
    raw: { type: "boolean", help: "only the data, and a text as it is, without quotes or a line end" },
    pages: { type: "string", value: "N|all", help: "follow the cursor from page to page; a line for each in a pipe" },
    stream: { type: "boolean", help: "a line for each value as it comes, which subscriptions do anyway" },
    timeout: { type: "string", value: "TIME", help: "give up when the call takes longer: 30 (seconds), 500ms, 2m" },
    "idempotency-key": { type: "string", value: "KEY", help: "sent along, so that a second call is not done twice" },
    yes: { type: "boolean", help: "do not ask before a destructive operation" },
    record: { type: "string", value: "FILE", help: "add the call and what came of it to a recording" },
    replay: { type: "string", value: "FILE", help: "answer from a recording; no source is started" },
    ...SOURCE_FLAGS,
  },
  notes: [
    "OPERATION is NAMESPACE.NAME; the NAME alone is enough where only one source has it.",
    "",
    "  plico call files.read path=notes.txt",
    '  plico call get-sum a=2 b=3 --mcp "npx -y @modelcontextprotocol/server-everything"',
    "",
    "Inputs, of which a key that is given again makes a list:",
    "  key=value     a text, number, true or false, or JSON, whichever the operation wants there",
    "  a.b=value     a field of a field",
    "  key:=JSON     exactly this JSON",
    "  key@=FILE     what a file holds",
    "",
    "Exit codes: 0, 2 for a mistake in the call or its input, 66 not found, 69 unavailable, 77 not allowed, 124 time-out,",
    "130 aborted; others by the category of the error.",
  ],
  run(call, io) {
    const request = readRequest(callCommand, call, io);
    return interruptible(io, (interrupted) =>
      untilUnread(io, interrupted, async (signal) => {
        const answer = { io, as: request.as, data: request.data };
        const time = timeFor(request, signal);
        try {
          return await withTarget({ command: callCommand, call, request, io, signal: time.signal }, (target) =>
            perform(target, { ...request, timeoutMs: time.left() }, io, signal),
          );
        } catch (thrown) {
          if (signal.reason === UNREAD) return 0;
          if (!isCallError(thrown)) throw thrown;
          return writeAnswer({ ok: false, error: thrown, meta: {} }, false, { ...answer, id: request.operation });
        }
      }),
    );
  },
};

/** The time that a call may take begins with the start of its sources; who thinks about a question has all the time. */
function timeFor({ timeoutMs }: CallRequest, signal: AbortSignal): { signal: AbortSignal; left(): number | undefined } {
  if (timeoutMs === undefined) return { signal, left: () => undefined };
  const begunAt = performance.now();
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_TIMER));
  return {
    signal: AbortSignal.any([signal, timeout]),
    left: () => Math.max(0, timeoutMs - (performance.now() - begunAt)),
  };
}

async function perform(target: CallTarget, request: CallRequest, io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { spec, served, redactor } = target;
  const input = await givenInput(spec, request, io);
  await makeSure(spec, input, request, io, signal);
  const bar = progressBar({ output: io.stderr });
  const write: Write = (outcome, lines) => {
    bar.clear();
    if (signal.reason === UNREAD) return 0;
    const told = outcome.ok ? outcome : withoutSecrets(outcome, redactor);
    return writeAnswer(told, lines, { io, id: operationIdOf(spec), as: request.as, data: request.data });
  };
  try {
    return await made({ served, spec, input, options: optionsOf(spec, request, io, signal, bar) }, request, io, write);
  } finally {
    bar.clear();
  }
}

function withoutSecrets(failure: Failure, redactor: Redactor): Failure {
  return { ...failure, error: redactor.known(callErrorData(failure.error)) as CallErrorData };
}

function made(call: PreparedCall, request: CallRequest, io: Io, write: Write): Promise<ExitCode> {
  if (request.streams || call.spec.type === "subscription") return callStream(call, write);
  if (request.maxPages === undefined) return callOnce(call, write);
  const merges = io.stdout.isTTY === true && request.as === undefined && request.data === undefined;
  return callPages(call, { maxPages: request.maxPages, merges }, write);
}

function optionsOf(
  spec: OperationSpec,
  { timeoutMs, idempotencyKey }: CallRequest,
  io: Io,
  signal: AbortSignal,
  bar: ProgressBar,
): ExecuteOptions {
  return {
    signal,
    identity: ownIdentity(spec),
    ...(timeoutMs !== undefined && { deadline: Date.now() + timeoutMs }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(io.stderr.isTTY === true && { onProgress: bar.update }),
  };
}

/** Whoever runs the command has the file and the sources themselves: nothing is kept from them. */
function ownIdentity({ accessControl = {} }: OperationSpec): Identity {
  const { requiredScopes = [], requiredScopesAny = [], resourceType, resourceAction } = accessControl;
  return {
    id: "cli",
    scopes: [...requiredScopes, ...requiredScopesAny],
    ...(resourceType !== undefined && { resources: { [`${resourceType}:*`]: [resourceAction ?? ""] } }),
  };
}

/** What destroys something is only called when somebody wants that. */
async function makeSure(
  spec: OperationSpec,
  input: unknown,
  { isSure, input: from }: CallRequest,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (isSure || spec.annotations?.destructive !== true) return;
  const id = operationIdOf(spec);
  if (!canAsk(io) || from === "-") throw new Complaint(`${id} is destructive; add --yes if you are sure`, 2);
  const shown = input === undefined ? "" : ` with ${pretty(input)}`;
  if (await confirm(`${id} is destructive. Call it${shown}?`, io, signal)) return;
  throw signal.aborted ? callErrorFrom(signal.reason) : new Complaint(`${id} was not called`, 2);
}
