import { CallError, type CallErrorData } from "../../envelope/call-error.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import { isResponseEnvelope, type ResponseEnvelope } from "../../envelope/response-envelope.js";
import { messageOf, orElse } from "../../json/attempt.js";
import * as guard from "../../json/guard.js";
import { told } from "../../json/told.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import type { Progress } from "../../registry/call-options.js";
import type { OperationSpec } from "../../registry/operation.js";
import { checkSpec } from "../../registry/registration.js";
import { type NumberedLine, numberedLines } from "./numbered-lines.js";
import { RECORDING_VERSION } from "./recording.js";
import { otherVersion } from "./recording-file.js";

/** What a file of recorded calls says. */
export interface Recording {
  /** By id, as they were last. */
  readonly operations: ReadonlyMap<string, OperationSpec>;
  /** In the order in which calls ended and subscriptions began. */
  readonly calls: readonly RecordedCall[];
  /** What is odd about the file but does not keep it from being used. */
  readonly notes: readonly string[];
}

export interface RecordedCall {
  readonly operation: string;
  /** `undefined` where there was none. */
  readonly input: unknown;
  readonly answer: RecordedAnswer;
}

export type RecordedAnswer = RecordedOutcome | RecordedValues;

interface RecordedOutcome {
  readonly outcome: Outcome;
  readonly progress: readonly Progress[];
}

interface RecordedValues {
  readonly values: ResponseEnvelope[];
  failure?: { readonly error: CallErrorData; readonly meta: OutcomeMeta };
}

export interface ReadRecordingOptions {
  /**
   * Characters of one line.
   * @default 268,435,456
   */
  readonly maxLineLength?: number;
}

/** Reads a file that `recordCalls` has written. Throws a `CallError` that names the line where it is damaged. */
export async function readRecording(
  file: string,
  { maxLineLength = 256 * 1024 * 1024 }: ReadRecordingOptions = {},
): Promise<Recording> {
  const reader = new RecordingReader(file);
  try {
    for await (const line of numberedLines(file, maxLineLength)) reader.read(line);
  } catch (thrown) {
    throw thrown instanceof CallError ? thrown : unreadable(file, thrown);
  }
  return reader.end();
}

class RecordingReader {
  readonly #file: string;
  readonly #operations = new Map<string, OperationSpec>();
  readonly #calls: RecordedCall[] = [];
  readonly #subscriptions = new Map<unknown, RecordedValues>();
  readonly #notes: string[] = [];
  #hasHeader = false;

  constructor(file: string) {
    this.#file = file;
  }

  read(line: NumberedLine): void {
    const said: unknown = orElse(() => JSON.parse(line.text), undefined);
    if (!this.#hasHeader) this.#readHeader(said);
    else if (said === undefined && !line.isWhole)
      this.#notes.push(`line ${line.number} of ${this.#file} was not written to its end, and is left out`);
    else if (!isRecord(said)) throw this.#damaged(line, "it is no JSON object");
    else this.#readLine(said, line);
  }

  end(): Recording {
    if (!this.#hasHeader) throw noRecording(this.#file);
    return { operations: this.#operations, calls: this.#calls, notes: this.#notes };
  }

  #readHeader(said: unknown): void {
    if (!isRecord(said) || said["plico"] !== "recording") throw noRecording(this.#file);
    if (said["version"] !== RECORDING_VERSION) throw otherVersion(this.#file, said["version"]);
    this.#hasHeader = true;
  }

  #readLine(said: JsonRecord, line: NumberedLine): void {
    if (said["type"] === "operation") this.#readOperation(said, line);
    else if (said["type"] === "call") this.#readCall(said, line);
    else if (said["type"] === "subscription") this.#readSubscription(said, line);
    else if (said["type"] === "value") this.#readValue(said, line);
    else if (said["type"] === "end") this.#readEnd(said, line);
    // Two recordings that were put together have two headers.
    else if (said["plico"] === "recording") this.#readHeader(said);
    else throw this.#damaged(line, `its type is ${told(said["type"])}, which is not known`);
  }

  #readOperation({ spec }: JsonRecord, line: NumberedLine): void {
    try {
      checkSpec(spec as OperationSpec);
    } catch (thrown) {
      throw this.#damaged(line, messageOf(thrown).replace(/\.$/, ""));
    }
    const { namespace, name } = spec as OperationSpec;
    this.#operations.set(`${namespace}.${name}`, spec as OperationSpec);
  }

  #readCall(said: JsonRecord, line: NumberedLine): void {
    const { outcome, progress = [] } = said;
    if (!isOutcome(outcome)) throw this.#damaged(line, "its `outcome` is none");
    if (!isProgress(progress)) throw this.#damaged(line, "its `progress` is none");
    this.#add(said, line, { outcome: outcome.ok ? { ...outcome, data: outcome.data } : outcome, progress });
  }

  #readSubscription(said: JsonRecord, line: NumberedLine): void {
    const answer: RecordedValues = { values: [] };
    this.#subscriptions.set(said["subscription"], answer);
    this.#add(said, line, answer);
  }

  #readValue({ subscription, envelope }: JsonRecord, line: NumberedLine): void {
    const whole = isRecord(envelope) ? { data: undefined, ...envelope } : envelope;
    if (!isResponseEnvelope(whole)) throw this.#damaged(line, "its `envelope` is none");
    this.#begun(subscription, line).values.push(whole);
  }

  #readEnd({ subscription, error, meta = {} }: JsonRecord, line: NumberedLine): void {
    const answer = this.#begun(subscription, line);
    if (error === undefined) return;
    if (!isError(error) || !isRecord(meta)) throw this.#damaged(line, "its `error` is none");
    answer.failure = { error: error as unknown as CallErrorData, meta: meta as OutcomeMeta };
  }

  #begun(subscription: unknown, line: NumberedLine): RecordedValues {
    const answer = this.#subscriptions.get(subscription);
    if (answer === undefined) throw this.#damaged(line, `no subscription ${told(subscription)} begins before it`);
    return answer;
  }

  #add({ operation, input }: JsonRecord, line: NumberedLine, answer: RecordedAnswer): void {
    if (typeof operation !== "string") throw this.#damaged(line, "it names no `operation`");
    this.#calls.push({ operation, input, answer });
  }

  #damaged({ number }: NumberedLine, why: string): CallError {
    return new CallError({
      category: "validation",
      code: "RECORDING_DAMAGED",
      message: `Line ${number} of the recording ${this.#file} cannot be read: ${why}.`,
      suggestedAction: "Take the line out, or record again.",
      details: { file: this.#file, line: number },
    });
  }
}

const isError = guard.recordOf({ category: guard.string, code: guard.string, message: guard.string });
const isProgress = guard.listOf(guard.recordOf({ progress: guard.number })) as (
  value: unknown,
) => value is readonly Progress[];

function isOutcome(value: unknown): value is Outcome {
  if (!isRecord(value) || !isRecord(value["meta"])) return false;
  return value["ok"] === true || (value["ok"] === false && isError(value["error"]));
}

function noRecording(file: string): CallError {
  return new CallError({
    category: "validation",
    code: "NO_RECORDING",
    message: `${file} is no recording: its first line does not say so.`,
    suggestedAction: "Name a file that `plico record` has written.",
  });
}

function unreadable(file: string, thrown: unknown): CallError {
  return new CallError({
    category: "validation",
    code: "RECORDING_UNREADABLE",
    message: `The recording ${file} cannot be read: ${messageOf(thrown)}.`,
    suggestedAction: "Name a file that `plico record` has written.",
    cause: thrown,
  });
}
