import { dialectNamed } from "../../dialects/all.js";
import type { Dialect } from "../../dialects/dialect.js";
import { type Call, type Command, fileIn, usageError } from "../command.js";
import { durationMs } from "../duration.js";
import type { Io } from "../io.js";

/** What the words and flags of `plico call` ask for, checked. */
export interface CallRequest {
  /** An id, or a name. */
  readonly operation: string;
  readonly words: readonly string[];
  /** JSON, `@FILE` or `-`, in place of words. */
  readonly input: string | undefined;
  readonly as: Dialect | undefined;
  readonly data: "json" | "raw" | undefined;
  readonly maxPages: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly streams: boolean;
  readonly isSure: boolean;
  readonly record: string | undefined;
  readonly replay: string | undefined;
}

export function readRequest(command: Command, call: Call, io: Io): CallRequest {
  const [operation, ...words] = call.words;
  if (operation === undefined) throw usageError(command, "OPERATION is missing; `plico ls` lists what there is");
  if (operation.includes("="))
    throw usageError(command, `OPERATION comes first, and "${operation}" is a part of its input`);
  const [input, as] = [call.value("input"), call.value("as")];
  if (input !== undefined && words.length > 0)
    throw usageError(command, `--input is the whole input; "${words[0]}" cannot be added to it`);
  const request = {
    ...{ operation, words, input },
    as: as === undefined ? undefined : dialectNamed(as),
    data: call.flag("raw") ? ("raw" as const) : call.flag("data") ? ("json" as const) : undefined,
    maxPages: pagesIn(command, call.value("pages")),
    timeoutMs: timeoutIn(command, call.value("timeout")),
    idempotencyKey: call.value("idempotency-key"),
    streams: call.flag("stream"),
    isSure: call.flag("yes"),
    ...{ record: fileIn(call, "record", io), replay: fileIn(call, "replay", io) },
  };
  checkTogether(command, request);
  return request;
}

function checkTogether(command: Command, { as, data, maxPages, streams, record, replay }: CallRequest): void {
  const both = (first: string, second: string): never => {
    throw usageError(command, `--${first} and --${second} cannot be asked for together`);
  };
  if (as !== undefined && data !== undefined) both("as", data === "raw" ? "raw" : "data");
  if (streams && maxPages !== undefined) both("stream", "pages");
  if (record !== undefined && replay !== undefined) both("record", "replay");
}

function pagesIn(command: Command, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === "all") return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw usageError(command, `--pages takes a number from 1, or all, not "${text}"`);
}

function timeoutIn(command: Command, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = durationMs(text);
  if (ms === undefined) throw usageError(command, `--timeout takes a time such as 30, 500ms or 2m, not "${text}"`);
  return ms;
}
