import { describe, expect, test } from "vitest";
import { type CallKind, checkHistory, type HistoryEvent } from "./nats-history.js";

const TERMS = { aftermath: 100, tolerance: 50 };

const EACH_KIND: readonly HistoryEvent[] = [
  ...["echo", "big"].flatMap((kind) => [begin(kind, kind as CallKind), end(kind)]),
  ...[begin("post", "post"), ran("post"), done("post"), end("post", { run: "post-1" })],
  ...[begin("held", "hold", { aborts: true }), ran("held"), end("held", { code: "ABORTED" }), stop("held")],
  ...[begin("late", "hold", { deadline: 30 }), ran("late"), end("late", { code: "TIMEOUT", at: 40 }), stop("late")],
  ...[begin("ticks", "ticks"), value("ticks", 0), value("ticks", 1), end("ticks", { count: 2 })],
  ...[
    begin("order", "order", { key: "k" }),
    ran("order", { key: "k" }),
    done("order"),
    end("order", { run: "order-1" }),
  ],
];

test("a history in which all is well has no violations", () => {
  const { violations, calls, failed, tally } = checkHistory(EACH_KIND, TERMS);
  expect(violations).toEqual([]);
  expect([calls, failed]).toEqual([7, 0]);
  expect(tally).toMatchObject({ "echo ok": 1, "hold ABORTED": 1, "hold TIMEOUT": 1, "order ok": 1 });
});

const FAULTS: readonly (readonly [rule: string, fault: string, events: readonly HistoryEvent[]])[] = [
  ["every call ends exactly once for its caller", "no end", [begin("a", "echo")]],
  ["every call ends exactly once for its caller", "two ends", [begin("a", "echo"), end("a"), end("a")]],
  ["every call ends exactly once for its caller", "an end of nothing", [end("a")]],
  ["an answer is that of its call", "another's answer", [begin("a", "echo"), end("a", { wrong: "n is 7" })]],
  [
    "what may not be repeated runs at most once",
    "two runs",
    [begin("a", "post"), ...twoRuns("a"), end("a", { run: "a-1" })],
  ],
  ["an answer comes from a run that was completed", "an unknown run", [begin("a", "post"), end("a", { run: "a-9" })]],
  [
    "an answer comes from a run that was completed",
    "no completion",
    [begin("a", "post"), ran("a"), end("a", { run: "a-1" })],
  ],
  [
    "what no worker took has not run",
    "a run",
    [fault("cut", "worker"), begin("a", "post"), ran("a"), end("a", { code: "UNAVAILABLE", untaken: true })],
  ],
  [
    "what was given up is not completed",
    "a completion much later",
    [begin("a", "hold", { aborts: true }), ran("a"), end("a", { code: "ABORTED" }), done("a", { at: 900 })],
  ],
  [
    "a call ends by its deadline",
    "an end after it",
    [begin("a", "hold", { deadline: 30 }), end("a", { code: "TIMEOUT", at: 90 })],
  ],
  ["a call fails only by what was done to it", "no fault", [begin("a", "echo"), end("a", { code: "UNAVAILABLE" })]],
  [
    "a call fails only by what was done to it",
    "a drained worker",
    [fault("drain", "worker"), begin("a", "echo"), end("a", { code: "UNAVAILABLE" })],
  ],
  [
    "a call fails only by what was done to it",
    "a fault that is long over",
    [fault("cut", "worker"), begin("a", "echo", { at: 500 }), end("a", { code: "UNAVAILABLE", at: 510 })],
  ],
  [
    "a call fails only by what was done to it",
    "an error that nobody knows",
    [fault("cut", "worker"), begin("a", "echo"), end("a", { code: "UNKNOWN_ERROR" })],
  ],
  [
    "a call fails only by what was done to it",
    "a durable call that is not answered",
    [...[fault("kill", "worker"), begin("a", "order", { key: "k" }), end("a", { code: "WORKER_LOST" })]],
  ],
  ["no subscription misses or repeats a value", "a missing one", ticks([0, 2], 3)],
  ["no subscription misses or repeats a value", "a repeated one", ticks([0, 1, 1, 2], 3)],
  ["no subscription misses or repeats a value", "an end too early", ticks([0, 1], 3)],
  [
    "no durable call is lost",
    "no answer",
    [begin("a", "order", { key: "a", deadline: 1 }), ran("a"), done("a"), end("a", { code: "TIMEOUT" })],
  ],
  [
    "no durable call is lost",
    "no result",
    [begin("a", "order", { key: "a" }), ran("a"), done("a"), end("a", { run: "a-1" }), noResult("a")],
  ],
  [
    "no key runs twice to completion",
    "two answers",
    [
      ...[fault("kill", "worker"), begin("a", "order", { key: "k" }), begin("b", "order", { key: "k" })],
      ...[ran("a", { key: "k" }), done("a"), ran("b", { key: "k" }), done("b")],
      ...[end("a", { run: "a-1" }), end("b", { run: "b-1" })],
    ],
  ],
  [
    "no key runs twice to completion",
    "two runs without a reason",
    [begin("a", "order", { key: "k" }), ...twoRuns("a"), end("a", { run: "a-1" })],
  ],
  [
    "no key runs twice to completion",
    "a run after the answer",
    [
      ...[begin("a", "order", { key: "k" }), ran("a"), done("a"), end("a", { run: "a-1" })],
      ...[fault("cut", "worker"), ran("a", { at: 60, run: "a-2", by: "other" })],
    ],
  ],
];

describe("a planted fault is found", () => {
  test.each(FAULTS)("%s: %s", (rule, _, events) => {
    const found = checkHistory([...EACH_KIND, ...events], TERMS).violations.map((violation) => violation.rule);
    expect(new Set(found)).toEqual(new Set([rule]));
  });
});

test("what a killed caller has begun need not end", () => {
  const events = [begin("a", "echo"), fault("kill", "caller", 30)];
  expect(checkHistory(events, TERMS).violations).toEqual([]);
});

test("a durable call may run again when its worker was killed", () => {
  const again = ran("a", { at: 60, run: "a-2", by: "other" });
  const first = [begin("a", "order", { key: "k" }), ran("a"), fault("kill", "worker", 30), again];
  const events = [...first, done("a", { at: 61, run: "a-2" }), end("a", { at: 62, run: "a-2" })];
  expect(checkHistory(events, TERMS).violations).toEqual([]);
});

test("the end of a paused caller may be late", () => {
  const events = [begin("a", "hold", { deadline: 30 }), fault("pause", "caller", 20, 800)];
  expect(checkHistory([...events, end("a", { code: "TIMEOUT", at: 810 })], TERMS).violations).toEqual([]);
});

type Changes = Partial<Record<string, unknown>>;

function begin(id: string, kind: CallKind, changes: Changes = {}): HistoryEvent {
  return { at: 10, by: "caller", is: "begin", id, kind, ...changes };
}

function end(id: string, changes: Changes = {}): HistoryEvent {
  return { at: 20, by: "caller", is: "end", id, code: "", ...changes };
}

function value(id: string, n: number): HistoryEvent {
  return { at: 15, by: "caller", is: "value", id, n };
}

function ran(id: string, changes: Changes = {}): HistoryEvent {
  return { at: 12, by: "worker", is: "run", id, run: `${id}-1`, ...changes };
}

function done(id: string, changes: Changes = {}): HistoryEvent {
  return { at: 14, by: "worker", is: "done", id, run: `${id}-1`, ...changes };
}

function stop(id: string): HistoryEvent {
  return { at: 21, by: "worker", is: "stop", id, run: `${id}-1` };
}

function twoRuns(id: string): HistoryEvent[] {
  return [ran(id), done(id), ran(id, { run: `${id}-2`, by: "other" }), done(id, { run: `${id}-2`, by: "other" })];
}

function ticks(numbers: readonly number[], count: number): HistoryEvent[] {
  return [begin("a", "ticks"), ...numbers.map((n) => value("a", n)), end("a", { count })];
}

function noResult(id: string): HistoryEvent {
  return { at: 30, by: "caller", is: "result", id };
}

function fault(name: string, on: string, at = 5, until = at): HistoryEvent {
  return { at, by: "conductor", is: "fault", fault: name, on, until };
}
