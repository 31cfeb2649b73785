import { DIALECTS, dialectNamed } from "../../dialects/all.js";
import type { Dialect } from "../../dialects/dialect.js";
import { nearestOf } from "../../registry/refusals.js";
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
  const input = call.value("input");
  if (input !== undefined && words.length > 0)
    throw usageError(command, `--input is the whole input; "${words[0]}" cannot be added to it`);
  const request = {
    ...{ operation, words, input },
    as: dialectOf(command, call.value("as")),
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

function dialectOf(command: Command, name: string | undefined): Dialect | undefined {
  if (name === undefined) return undefined;
  const names = DIALECTS.map((dialect) => dialect.name);
  const nearest = nearestOf(name, names);
  const advice = nearest === undefined ? `known: ${names.join(", ")}` : `did you mean ${nearest}?`;
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw usageError(command, `there is no dialect "${name}"; ${advice}`);
  return dialect;
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
