import { CallError } from "../../envelope/call-error.js";
import { envelopeFromOutcome, type Outcome, outcomeFromEnvelope } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { denial } from "../../registry/access.js";
import type { ExecuteOptions } from "../../registry/call-options.js";
import { endBefore } from "../../registry/ending.js";
import { keepHints } from "../../registry/failure-hints.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import { invalid, mustSubscribe, operationNotFound } from "../../registry/refusals.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { compile } from "../../schema/compile.js";
import { createRedactor, type Redactor } from "../redact.js";
import { notRecorded } from "./not-recorded.js";
import { plainJson } from "./plain-json.js";
import { type RecordedAnswer, type RecordedCall, readRecording } from "./read-recording.js";
import { RecordedAnswers } from "./recorded-answers.js";

export interface ReplayCallsOptions {
  /** What `recordCalls` has written. */
  readonly file: string;
  /**
   * The one with which it was recorded.
   * @default one that knows secrets by the names of their fields
   */
  readonly redactor?: Redactor;
}

export interface Replay {
  /** Answers as it was recorded, by operation and input. Nothing else is asked, and no time goes by. */
  readonly served: ServedRegistry;
  readonly operations: readonly OperationSpec[];
  /** What is odd about the file but does not keep it from being used. */
  readonly notes: readonly string[];
}

/** Throws a `CallError` where the file is no recording, or is damaged. */
export async function replayCalls({ file, redactor = createRedactor([]) }: ReplayCallsOptions): Promise<Replay> {
  const { operations, calls, notes } = await readRecording(file);
  const specs = [...operations.values()];
  return { served: new ReplayedRegistry(file, operations, calls, redactor), operations: specs, notes };
}

class ReplayedRegistry implements ServedRegistry {
  readonly #file: string;
  readonly #operations: ReadonlyMap<string, OperationSpec>;
  readonly #answers = new Map<string, RecordedAnswers>();
  readonly #redactor: Redactor;

  constructor(
    file: string,
    operations: ReadonlyMap<string, OperationSpec>,
    calls: readonly RecordedCall[],
    redactor: Redactor,
  ) {
    this.#file = file;
    this.#operations = operations;
    this.#redactor = redactor;
    for (const id of operations.keys()) this.#answers.set(id, new RecordedAnswers());
    for (const call of calls)
      if (!isRefusal(call, operations)) this.#answers.get(call.operation)?.add(call.input, call.answer);
  }

  list(): readonly OperationSpec[] {
    return [...this.#operations.values()];
  }

  /** It stays as it is. */
  onChange(): () => void {
    return () => {};
  }

  async attempt(id: string, input?: unknown, options: ExecuteOptions = {}): Promise<Outcome> {
    try {
      const spec = this.#find(id);
      if (spec.type === "subscription") throw mustSubscribe(id);
      const call = new ReplayedCall(options);
      return outcomeOf(this.#answer(spec, input, call), call);
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown;
      return {
        ok: false,
        error: thrown,
        meta: options.requestId === undefined ? {} : { requestId: options.requestId },
      };
    }
  }

  subscribe(id: string, input?: unknown, options: ExecuteOptions = {}): AsyncGenerator<ResponseEnvelope> {
    return this.#values(this.#find(id), input, options);
  }

  async *#values(spec: OperationSpec, input: unknown, options: ExecuteOptions): AsyncGenerator<ResponseEnvelope> {
    const call = new ReplayedCall(options);
    const answer = this.#answer(spec, input, call);
    if ("outcome" in answer) return yield envelopeFromOutcome(outcomeOf(answer, call));
    for (const envelope of answer.values) {
      yield envelope;
      call.checkEnd();
    }
    if (answer.failure !== undefined) throw keepHints(new CallError(answer.failure.error), answer.failure.meta);
  }

  #find(id: string): OperationSpec {
    const spec = this.#operations.get(id);
    if (spec === undefined) throw operationNotFound(id, this.#operations.keys());
    return spec;
  }

  #answer(spec: OperationSpec, given: unknown, call: ReplayedCall): RecordedAnswer {
    const operationId = operationIdOf(spec);
    const refusal = denial(spec.accessControl ?? {}, call.options.identity, given, operationId);
    if (refusal !== undefined) throw refusal;
    call.checkEnd();
    const input = given === undefined ? undefined : this.#redactor.value(plainJson(given));
    const answers = this.#answers.get(operationId);
    const answer = answers?.take(input);
    if (answer !== undefined) return answer;
    checkInput(spec, operationId, given);
    throw notRecorded({ operationId, input, nearest: answers?.nearest(input), file: this.#file });
  }
}

/** One call of somebody: it may be over before it has its answer. */
class ReplayedCall {
  readonly options: ExecuteOptions;
  #ended: CallError | undefined;

  constructor(options: ExecuteOptions) {
    this.options = options;
    options.onStart?.((error) => {
      this.#ended = error;
    });
  }

  checkEnd(): void {
    const ended = this.options.onStart === undefined ? endBefore(this.options) : this.#ended;
    if (ended !== undefined) throw ended;
  }
}

/** Who may call is judged again: somebody else may ask now. */
function isRefusal({ operation, answer }: RecordedCall, operations: ReadonlyMap<string, OperationSpec>): boolean {
  const error = "outcome" in answer ? (answer.outcome.ok ? undefined : answer.outcome.error) : answer.failure?.error;
  return error?.code === "ACCESS_DENIED" && operations.get(operation)?.accessControl !== undefined;
}

function outcomeOf(answer: RecordedAnswer, { options }: ReplayedCall): Outcome {
  if ("outcome" in answer) {
    for (const report of answer.progress) options.onProgress?.(report);
    return answer.outcome;
  }
  const [first] = answer.values;
  if (first !== undefined) return outcomeFromEnvelope(first);
  const { error, meta } = answer.failure ?? { error: NO_ANSWER, meta: {} };
  return { ok: false, error, meta };
}

const NO_ANSWER: CallError = new CallError({
  category: "unavailable",
  message: "The recording ends before the call was answered. Record it again.",
});

/** What was never valid need not be recorded. */
function checkInput(spec: OperationSpec, operationId: string, input: unknown): void {
  if (spec.input === "off") return;
  const issues = compile(spec.inputSchema, { side: "input" }).issues(input === undefined ? {} : input);
  if (issues.length > 0) throw invalid(operationId, issues);
}
