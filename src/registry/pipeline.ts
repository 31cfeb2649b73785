import { type CallError, isCallError } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { isThenable, orElse } from "../json/attempt.js";
import type { Verdict } from "../schema/input.js";
import type { SizeLimits } from "../schema/size.js";
import { denial } from "./access.js";
import { answer } from "./answer.js";
import type { ExecuteOptions } from "./call-options.js";
import { CallContext, type HandlerContext } from "./context.js";
import { endBefore, watchEnd } from "./ending.js";
import type { Entry } from "./entry.js";
import type { OperationEnv } from "./env.js";
import { withMoreHints } from "./failure-hints.js";
import { checkSize, tooLarge } from "./limits.js";
import { mapError } from "./map-error.js";
import type { AnyHandler } from "./operation.js";
import { invalid, unreadable, withoutHandler } from "./refusals.js";

/** Runs around every handler. What it returns is the result; `next` may be given another input. */
export type Middleware = (context: HandlerContext, next: (input?: unknown) => Promise<unknown>) => unknown;

/** What all calls of a registry have in common. */
export interface Pipeline {
  readonly middleware: readonly Middleware[];
  readonly limits: SizeLimits;
  /** Whether inputs from inside the process are measured like those from outside. */
  readonly measuresAll: boolean;
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
  options: ExecuteOptions | undefined,
  isTrusted: boolean,
): Promise<ResponseEnvelope> {
  let accepted: unknown;
  try {
    if (options === undefined && isPlain(pipeline, entry, input)) return startPlain(pipeline, entry, input);
    accepted = acceptInput(pipeline, entry, input, options, isTrusted);
  } catch (thrown) {
    return Promise.reject(refusalOf(entry, thrown));
  }
  if (entry.input.validate !== undefined && accepted instanceof Promise) {
    return startLater(pipeline, entry, accepted, options);
  }
  return start(pipeline, entry, accepted, options);
}

/** Whether a call has nothing to wait for and nothing to be refused for, as most calls are: then it goes the short way. */
function isPlain({ middleware, measuresAll, limits }: Pipeline, entry: Entry, input: unknown): boolean {
  if (entry.handler === undefined || entry.access !== undefined || middleware.length > 0) return false;
  const { compiled, validate } = entry.input;
  if (validate !== undefined || !compiled.accepts(input)) return false;
  return (compiled.isKnown && !measuresAll) || compiled.excess(input, limits, measuresAll) === undefined;
}

function startPlain(pipeline: Pipeline, entry: Entry, input: unknown): Promise<ResponseEnvelope> {
  const context = new CallContext(entry, input, undefined, pipeline.makeEnv);
  try {
    return settle(entry, context, (entry.handler as AnyHandler)(input, context));
  } catch (thrown) {
    return Promise.reject(failureOf(entry, context, thrown));
  }
}

/** The input as the handler gets it, or will get it. Throws a `CallError` where the call must not begin. */
export function acceptInput(
  pipeline: Pipeline,
  entry: Entry,
  input: unknown,
  options: ExecuteOptions | undefined,
  isTrusted: boolean,
): unknown {
  try {
    return checkedInput(pipeline, entry, input, options, isTrusted);
  } catch (thrown) {
    throw refusalOf(entry, thrown);
  }
}

function checkedInput(
  pipeline: Pipeline,
  entry: Entry,
  given: unknown,
  options: ExecuteOptions | undefined,
  isTrusted: boolean,
): unknown {
  const { id, access } = entry;
  if (entry.handler === undefined) throw withoutHandler(id);
  if (access !== undefined && !isTrusted) raise(denial(access, options?.identity, given, id));
  const { compiled, validate } = entry.input;
  // Where all fields may be left out, so may the input.
  const input = given === undefined && !compiled.accepts(given) && compiled.accepts({}) ? {} : given;
  if (validate !== undefined) {
    checkSize(id, input, pipeline.limits);
    const verdict = validate(input);
    const judge = (later: Verdict): unknown => acceptedBy(entry, later, options, isTrusted);
    return verdict instanceof Promise ? verdict.then(judge) : judge(verdict);
  }
  if (!compiled.accepts(input)) {
    checkSize(id, input, pipeline.limits);
    throw invalid(id, compiled.issues(input));
  }
  const excess = compiled.excess(input, pipeline.limits, pipeline.measuresAll || options?.isRemote === true);
  if (excess !== undefined) throw tooLarge(id, excess, pipeline.limits);
  return input;
}

/** An input that is checked later must not keep its caller waiting for ever. */
function startLater(
  pipeline: Pipeline,
  entry: Entry,
  accepted: Promise<unknown>,
  options: ExecuteOptions | undefined,
): Promise<ResponseEnvelope> {
  const work = accepted
    .then((input) => start(pipeline, entry, input, options))
    .catch((thrown) => {
      throw mapError(thrown, entry.id, entry.spec.errorSchemas);
    });
  return options === undefined || !isWatched(options) ? work : inTime(options, () => work);
}

function start(
  pipeline: Pipeline,
  entry: Entry,
  input: unknown,
  options: ExecuteOptions | undefined,
): Promise<ResponseEnvelope> {
  const context = new CallContext(entry, input, options, pipeline.makeEnv);
  const early = context.ended ?? (options === undefined || !isWatched(options) ? undefined : endBefore(options));
  if (early !== undefined) return Promise.reject(early);
  if (options === undefined || !isWatched(options)) return run(pipeline, entry, context);
  return inTime(
    options,
    () => run(pipeline, entry, context),
    (error) => context.end(error),
  );
}

function run(pipeline: Pipeline, entry: Entry, context: CallContext): Promise<ResponseEnvelope> {
  try {
    return settle(entry, context, invoke(pipeline, entry, context));
  } catch (thrown) {
    return Promise.reject(failureOf(entry, context, thrown));
  }
}

/** Whether someone must watch that the call ends in time, and it is not the caller itself. */
function isWatched({ onStart, signal, parentSignal, deadline }: ExecuteOptions): boolean {
  return onStart === undefined && (signal ?? parentSignal ?? deadline) !== undefined;
}

/** Runs the handler, within the middleware. */
export function invoke({ middleware }: Pipeline, entry: Entry, context: CallContext): unknown {
  const handler = entry.handler as AnyHandler;
  if (middleware.length === 0) return handler(context.input, context);
  const step = (at: number, input: unknown): unknown => {
    // What is in the way may take longer than the call has time.
    raise(context.ended);
    const around = middleware[at];
    if (around === undefined) return handler(input, context);
    return around(context, (other = input) => handled(async () => step(at + 1, other)));
  };
  return step(0, context.input);
}

/** Middleware need not wait for what it goes around; its failure is then no one's, and must not end the process. */
function handled(run: () => Promise<unknown>): Promise<unknown> {
  const result = run();
  result.catch(() => {});
  return result;
}

function settle(entry: Entry, context: CallContext, result: unknown): Promise<ResponseEnvelope> {
  if (!(result instanceof Promise)) {
    if (!isThenable(result)) return Promise.resolve(answer(entry, context, result));
    // A thenable of another library need not give a promise back.
    return settle(entry, context, Promise.resolve(result));
  }
  return result.then(
    (value) => {
      try {
        return answer(entry, context, value);
      } catch (thrown) {
        throw failureOf(entry, context, thrown);
      }
    },
    (thrown) => {
      throw failureOf(entry, context, thrown);
    },
  );
}

/** The caller gets its answer on time, also where the handler does not listen to its signal. */
function inTime(
  options: ExecuteOptions,
  begin: () => Promise<ResponseEnvelope>,
  end?: (error: CallError) => void,
): Promise<ResponseEnvelope> {
  return new Promise((resolve, reject) => {
    const stop = watchEnd(options, (error) => {
      end?.(error);
      reject(error);
    });
    const work = begin();
    work.then(stop, stop);
    work.then(resolve, reject);
  });
}

/** Why a call failed: because it was ended, or for what its handler threw. What the handler said before is kept. */
function failureOf({ id, spec }: Entry, context: CallContext, thrown: unknown): CallError {
  return withMoreHints(context.ended ?? mapError(thrown, id, spec.errorSchemas), context.takeHints());
}

/** Why a call did not begin. What a Standard Schema throws is its own failure; else the input itself must have thrown. */
function refusalOf(entry: Entry, thrown: unknown): CallError {
  const { id, spec } = entry;
  // A schema that cannot be made throws again.
  const isOwn = isCallError(thrown) || orElse(() => entry.input.validate !== undefined, true);
  return isOwn ? mapError(thrown, id, spec.errorSchemas) : unreadable(id, thrown);
}

/** What a Standard Schema makes of an input. The permission is for that, because it is what the handler gets. */
function acceptedBy(entry: Entry, verdict: Verdict, options: ExecuteOptions | undefined, isTrusted: boolean): unknown {
  const { id, access } = entry;
  if ("issues" in verdict) throw invalid(id, verdict.issues);
  if (access?.resourceIdField !== undefined && !isTrusted) raise(denial(access, options?.identity, verdict.value, id));
  return verdict.value;
}

function raise(error: CallError | undefined): void {
  if (error !== undefined) throw error;
}
