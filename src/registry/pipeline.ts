import { CallError } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { isThenable } from "../json/attempt.js";
import type { Issue } from "../json/issue.js";
import type { Verdict } from "../schema/input.js";
import type { SizeLimits } from "../schema/size.js";
import { denial } from "./access.js";
import { answer } from "./answer.js";
import type { ExecuteOptions } from "./call-options.js";
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
  try {
    if (options === undefined && isPlain(pipeline, entry, input)) {
      const context = new CallContext(entry, input, undefined, pipeline.makeEnv);
      return settle(entry, context, (entry.handler as AnyHandler)(input, context));
    }
    const accepted = acceptInput(pipeline, entry, input, options, isTrusted);
    return entry.input.validate !== undefined && accepted instanceof Promise
      ? startLater(pipeline, entry, accepted, options)
      : start(pipeline, entry, accepted, options);
  } catch (thrown) {
    return Promise.reject(failureOf(entry, thrown));
  }
}

/** Whether a call has nothing to wait for and nothing to be refused for, as most calls are: then it goes the short way. */
function isPlain({ middleware, measuresAll, limits }: Pipeline, entry: Entry, input: unknown): boolean {
  if (entry.handler === undefined || entry.access !== undefined || middleware.length > 0) return false;
  const { compiled, validate } = entry.input;
  return validate === undefined && compiled.accepts(input) && compiled.excess(input, limits, measuresAll) === undefined;
}

/** The input as the handler gets it, or will get it. Throws a `CallError` where the call must not begin. */
export function acceptInput(
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
      throw failureOf(entry, thrown);
    });
  return options === undefined || !isWatched(options)
    ? work
    : inTime(
        options,
        () => {},
        () => work,
      );
}

function start(
  pipeline: Pipeline,
  entry: Entry,
  input: unknown,
  options: ExecuteOptions | undefined,
): Promise<ResponseEnvelope> {
  const context = new CallContext(entry, input, options, pipeline.makeEnv);
  raise(context.ended);
  if (options === undefined || !isWatched(options)) return settle(entry, context, invoke(pipeline, entry, context));
  raise(endBefore(options));
  const end = (error: CallError): void => context.end(error);
  return inTime(options, end, () => run(pipeline, entry, context));
}

function run(pipeline: Pipeline, entry: Entry, context: CallContext): Promise<ResponseEnvelope> {
  try {
    return settle(entry, context, invoke(pipeline, entry, context));
  } catch (thrown) {
    return Promise.reject(context.ended ?? failureOf(entry, thrown));
  }
}

/** Whether someone must watch that the call ends in time, and it is not the caller itself. */
function isWatched({ onStart, signal, deadline }: ExecuteOptions): boolean {
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
        throw failureOf(entry, thrown);
      }
    },
    (thrown) => {
      throw context.ended ?? failureOf(entry, thrown);
    },
  );
}

/** The caller gets its answer on time, also where the handler does not listen to its signal. */
function inTime(
  options: ExecuteOptions,
  end: (error: CallError) => void,
  begin: () => Promise<ResponseEnvelope>,
): Promise<ResponseEnvelope> {
  return new Promise((resolve, reject) => {
    const stop = watchEnd(options, (error) => {
      end(error);
      reject(error);
    });
    const work = begin();
    work.then(stop, stop);
    work.then(resolve, reject);
  });
}

function failureOf({ id, spec }: Entry, thrown: unknown): CallError {
  return mapError(thrown, id, spec.errorSchemas);
}

/** What a Standard Schema makes of an input. The permission is for that, because it is what the handler gets. */
function acceptedBy(entry: Entry, verdict: Verdict, options: ExecuteOptions | undefined, isTrusted: boolean): unknown {
  const { id, access } = entry;
  if ("issues" in verdict) throw invalid(id, verdict.issues);
  if (access?.resourceIdField !== undefined && !isTrusted) raise(denial(access, options?.identity, verdict.value, id));
  return verdict.value;
}

function invalid(id: string, issues: readonly Issue[]): CallError {
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
