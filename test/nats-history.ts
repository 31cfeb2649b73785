import { existsSync, readFileSync } from "node:fs";
import { HISTORY_RULES } from "./nats-history-rules.js";

/**
 * `echo` and `big` may be repeated; `post` must run at most once; `hold` likewise, and is given up or has a deadline;
 * `ticks` is a subscription; `order` is durable and has a key.
 */
export type CallKind = "echo" | "big" | "post" | "hold" | "ticks" | "order";

/** What callers and workers did, and what was done to them. Times are of one machine's clock. */
export type HistoryEvent = { readonly at: number; readonly by: string } & (
  | CallBegins
  | CallEnds
  | HandlerRuns
  | { readonly is: "value"; readonly id: string; readonly n: number }
  | { readonly is: "result"; readonly id: string; readonly run?: string }
  | { readonly is: "fault"; readonly fault: string; readonly until: number; readonly on: string }
);

/** Recorded before the call is made. */
interface CallBegins {
  readonly is: "begin";
  readonly id: string;
  readonly kind: CallKind;
  readonly key?: string;
  readonly deadline?: number;
  /** Of a durable call, so that another can make it again. */
  readonly input?: unknown;
  /** The caller will give it up. */
  readonly aborts?: boolean;
}

export interface CallEnds {
  readonly is: "end";
  readonly id: string;
  /** Of the error; "" where there is an answer. */
  readonly code: string;
  /** Of the error, for those who look for its reason. */
  readonly message?: string;
  /** Which run the answer is from. */
  readonly run?: string;
  /** How many values a subscription had by the word of its worker. */
  readonly count?: number;
  /** The error says that no worker has begun it. */
  readonly untaken?: boolean;
  /** What is wrong with the answer. */
  readonly wrong?: string;
}

/** A handler begins, completes before its answer is sent, or is stopped. */
interface HandlerRuns {
  readonly is: "run" | "done" | "stop";
  readonly id: string;
  readonly run: string;
  readonly key?: string;
}

type Of<Kind extends HistoryEvent["is"]> = Extract<HistoryEvent, { is: Kind }>;

export type Run = Extract<HistoryEvent, HandlerRuns>;

/** All that is known of one call. */
export interface RecordedCall {
  readonly id: string;
  readonly begins: Of<"begin">[];
  readonly ends: Of<"end">[];
  readonly values: Of<"value">[];
  readonly results: Of<"result">[];
  readonly runs: Run[];
  readonly dones: Run[];
  readonly stops: Run[];
}

export type Fault = Of<"fault">;

export interface History {
  readonly calls: ReadonlyMap<string, RecordedCall>;
  readonly faults: readonly Fault[];
  readonly terms: HistoryTerms;
}

export interface HistoryTerms {
  /** How long, in milliseconds, a fault is felt after it is over. */
  readonly aftermath: number;
  /** How much later than its deadline a call may end, in milliseconds. */
  readonly tolerance: number;
}

interface Violation {
  readonly rule: string;
  readonly id: string;
  readonly text: string;
}

export interface HistoryReport {
  readonly violations: readonly Violation[];
  /** Calls that have begun. */
  readonly calls: number;
  /** The share of calls that failed by what was done to callers, workers and servers. */
  readonly failed: number;
  /** How many calls of a kind ended with a code, such as `echo ok`. */
  readonly tally: Readonly<Record<string, number>>;
}

export function checkHistory(events: Iterable<HistoryEvent>, terms: HistoryTerms): HistoryReport {
  const history = historyOf(events, terms);
  const violations = Object.entries(HISTORY_RULES).flatMap(([rule, check]) =>
    check(history).map(([id, text]) => ({ rule, id, text })),
  );
  const calls = [...history.calls.values()].filter(({ begins }) => begins.length > 0).length;
  const tally = tallyOf(history);
  const failures = Object.entries(tally).filter(([line]) => !/ (ok|TIMEOUT|ABORTED)$/.test(line));
  return { violations, calls, failed: failures.reduce((sum, [, count]) => sum + count, 0) / calls, tally };
}

/** The lines of the files. A process that was killed may have left the last one unfinished, or no file at all. */
export function readHistory(files: readonly string[]): HistoryEvent[] {
  return files.filter(existsSync).flatMap((file) => {
    const lines = readFileSync(file, "utf8").split("\n");
    return lines.slice(0, -1).map((line) => JSON.parse(line) as HistoryEvent);
  });
}

function historyOf(events: Iterable<HistoryEvent>, terms: HistoryTerms): History {
  const calls = new Map<string, RecordedCall>();
  const faults: Fault[] = [];
  for (const event of events) {
    if (event.is === "fault") faults.push(event);
    else note(callOf(calls, event.id), event);
  }
  return { calls, faults, terms };
}

function callOf(calls: Map<string, RecordedCall>, id: string): RecordedCall {
  const known = calls.get(id);
  if (known !== undefined) return known;
  const call = { id, begins: [], ends: [], values: [], results: [], runs: [], dones: [], stops: [] };
  calls.set(id, call);
  return call;
}

function note(call: RecordedCall, event: Exclude<HistoryEvent, Fault>): void {
  const lists = {
    begin: call.begins,
    end: call.ends,
    value: call.values,
    result: call.results,
    run: call.runs,
    done: call.dones,
    stop: call.stops,
  };
  (lists[event.is] as HistoryEvent[]).push(event);
}

function tallyOf({ calls }: History): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const { begins, ends } of calls.values()) {
    for (const { code } of ends) {
      const line = `${begins[0]?.kind} ${code === "" ? "ok" : code}`;
      tally[line] = (tally[line] ?? 0) + 1;
    }
  }
  return Object.fromEntries(Object.entries(tally).sort());
}
