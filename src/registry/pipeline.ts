import { CallError } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { Issue } from "../json/issue.js";
import { isRecord } from "../json/value.js";
import type { Verdict } from "../schema/input.js";
import type { SizeLimits } from "../schema/size.js";
import { denial } from "./access.js";
import { answer } from "./answer.js";
import type { CallOptions } from "./call-options.js";
import { CallContext, type HandlerContext } from "./context.js";
import { endBefore, watchEnd } from "./ending.js";
import type { Entry } from "./entry.js";
import type { OperationEnv } from "./env.js";
import { checkSize, tooLarge } from "./limits.js";
import { mapError } from "./map-error.js";
import type { AnyHandler } from "./operation.js";

/** Runs around every handler. What it returns is the result; `next` may be given another input. */
export type Middleware = (context: HandlerContext, next: (input?: unknown) => Promise<unknown>) => unknown;

/** What all calls of a registry have in common. */
export interface Pipeline {
  readonly middleware: readonly Middleware[];
  readonly limits: SizeLimits;
  readonly makeEnv: (context: CallContext) => OperationEnv;
}

/**
 * From the input to the envelope. No function on the way is async where it need not be, because a promise costs more
 * than all the rest of a small call. Trusted calls, of one handler to another, need no permission of their own.
 */
export function runCall(
  pipeline: Pipeline,
  entry: Entry,
  input: unknown,
  options: CallOptions | undefined,
  isTrusted: boolean,
): Promise<ResponseEnvelope> {
  try {
    const accepted = acceptInput(pipeline, entry, input, options, isTrusted);
    return accepted instanceof Promise
      ? accepted.then((later) => start(pipeline, entry, later, options))
      : start(pipeline, entry, accepted, options);
  } catch (thrown) {
    return Promise.reject(mapError(thrown, entry.id, entry.spec.errorSchemas));
  }
}

/** The input as the handler gets it. Throws a `CallError` where the call must not begin. */
export function acceptInput(
  { limits }: Pipeline,
  entry: Entry,
  input: unknown,
  options: CallOptions | undefined,
  isTrusted: boolean,
): unknown {
  const { access, id } = entry;
  if (entry.handler === undefined) throw withoutHandler(id);
  if (access !== undefined && !isTrusted) raise(denial(access, options?.identity, input, id));
  const { compiled, validate } = entry.input;
  if (validate !== undefined) {
    checkSize(id, input, limits);
    const verdict = validate(input);
    return verdict instanceof Promise ? verdict.then((later) => acceptedBy(id, later)) : acceptedBy(id, verdict);
  }
  if (!compiled.check(input)) {
    checkSize(id, input, limits);
    throw invalid(id, compiled.issues(input));
  }
  const excess = compiled.excess(input, limits, options?.isRemote === true);
  if (excess !== undefined) throw tooLarge(id, excess, limits);
  return input;
}

function start(
  pipeline: Pipeline,
  entry: Entry,
  input: unknown,
  options: CallOptions | undefined,
): Promise<ResponseEnvelope> {
  const context = new CallContext(entry, input, options, pipeline.makeEnv);
  if (options === undefined || !isWatched(options)) return settle(entry, context, invoke(pipeline, entry, context));
  raise(endBefore(options));
  return inTime(context, options, () => settle(entry, context, invoke(pipeline, entry, context)));
}

/** Whether someone must watch that the call ends in time, and it is not the caller itself. */
function isWatched({ onStart, signal, deadline }: CallOptions): boolean {
  return onStart === undefined && (signal !== undefined || deadline !== undefined);
}

/** Runs the handler, within the middleware. */
export function invoke({ middleware }: Pipeline, entry: Entry, context: CallContext): unknown {
  const handler = entry.handler as AnyHandler;
  if (middleware.length === 0) return handler(context.input, context);
  const step = (at: number, input: unknown): unknown => {
    const around = middleware[at];
    if (around === undefined) return handler(input, context);
    return around(context, async (other = input) => step(at + 1, other));
  };
  return step(0, context.input);
}

function settle(entry: Entry, context: CallContext, result: unknown): Promise<ResponseEnvelope> {
  if (!isThenable(result)) return Promise.resolve(answer(entry, context, result));
  return result.then(
    (value) => answer(entry, context, value),
    (thrown) => {
      throw context.ended ?? mapError(thrown, entry.id, entry.spec.errorSchemas);
    },
  ) as Promise<ResponseEnvelope>;
}

/** The caller gets its answer on time, also where the handler does not listen to its signal. */
function inTime(
  context: CallContext,
  options: CallOptions,
  run: () => Promise<ResponseEnvelope>,
): Promise<ResponseEnvelope> {
  return new Promise((resolve, reject) => {
    const stop = watchEnd(options, (error) => {
      context.end(error);
      reject(error);
    });
    const finish = (): void => stop();
    try {
      const work = run();
      work.then(finish, finish);
      work.then(resolve, reject);
    } catch (thrown) {
      stop();
      reject(mapError(thrown, context.operationId, context.spec.errorSchemas));
    }
  });
}

function acceptedBy(id: string, verdict: Verdict): unknown {
  if ("issues" in verdict) throw invalid(id, verdict.issues);
  return verdict.value;
}

export function invalid(id: string, issues: readonly Issue[]): CallError {
  const [first] = issues;
  const what =
    first === undefined ? "it does not match its schema" : `${first.path === "" ? "it" : first.path} ${first.message}`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new CallError({ category: "validation", message: `The input of ${id} is not valid: ${what}${more}.`, issues });
}

function withoutHandler(id: string): CallError {
  return new CallError({ category: "unavailable", message: `${id} is known but has no handler here.` });
}

function raise(error: CallError | undefined): void {
  if (error !== undefined) throw error;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return value instanceof Promise || (isRecord(value) && typeof value["then"] === "function");
}
