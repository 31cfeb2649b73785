import type { CallEnds, History, RecordedCall, Run } from "./nats-history.js";

/** The id of a call, or its key, and what is wrong with it. */
type Finding = readonly [id: string, text: string];

type Rule = (history: History) => readonly Finding[];

/** What must hold of every history, by name. */
export const HISTORY_RULES: Readonly<Record<string, Rule>> = {
  "every call ends exactly once for its caller": ofEach(({ begins, ends }, history) => {
    const died = begins.some(({ by, at }) => wasKilled(history, by, at));
    const mayEnd = died ? [0, 1] : [1];
    if (begins.length !== 1) return [`it began ${begins.length} times`];
    return mayEnd.includes(ends.length) ? [] : [`it ended ${ends.length} times`];
  }),

  "an answer is that of its call": ofEach(({ ends }) =>
    ends.flatMap(({ wrong }) => (wrong === undefined ? [] : [wrong])),
  ),

  "what may not be repeated runs at most once": ofEach(({ begins: [begin], runs }) =>
    begin?.kind !== "order" && runs.length > 1 ? [`it ran ${told(runs)}`] : [],
  ),

  "an answer comes from a run that was completed": ofEach(({ begins: [begin], ends, dones }) => {
    if (begin?.kind !== "post" && begin?.kind !== "hold") return [];
    return ends.flatMap(({ code, run }) =>
      code !== "" || dones.some((done) => done.run === run)
        ? []
        : [`it was answered by the run ${run}, which is not known`],
    );
  }),

  "what no worker took has not run": ofEach(({ begins: [begin], ends, runs }) =>
    begin?.kind !== "order" && runs.length > 0 && ends.some(({ untaken }) => untaken === true)
      ? [`it ran ${told(runs)}`]
      : [],
  ),

  "what was given up is not completed": ofEach(({ ends, dones, begins: [begin] }, history) =>
    ends
      .filter(({ code }) => code === "ABORTED")
      .flatMap(({ at, by }) =>
        dones
          .filter((done) => done.at > at + history.terms.tolerance)
          .filter((done) => begin?.kind !== "order" && !isDisturbed(history, [done.by, by, SERVER], at, done.at))
          .map((done) => `${done.by} completed it ${done.at - at} ms after it was given up`),
      ),
  ),

  "a call ends by its deadline": ofEach(({ begins: [begin], ends }, history) =>
    ends.flatMap(({ at, by }) => {
      const deadline = begin?.deadline ?? Number.POSITIVE_INFINITY;
      const late = at - deadline - history.terms.tolerance;
      return late <= 0 || isDisturbed(history, [by], deadline, at) ? [] : [`it ended ${at - deadline} ms after it`];
    }),
  ),

  "a call fails only by what was done to it": ofEach(({ begins: [begin], ends }, history) =>
    ends
      .filter(({ code }) => code !== "" && !(begin?.aborts === true && code === "ABORTED"))
      .filter(({ code, at }) => !(code === "TIMEOUT" && at >= (begin?.deadline ?? Number.POSITIVE_INFINITY)))
      .flatMap(({ code, at }) => {
        if (!codesOf(begin?.kind).includes(code)) return [`a call of ${begin?.kind} failed with ${code}`];
        return isDisturbed(history, undefined, begin?.at ?? at, at) ? [] : [`it failed with ${code} for no reason`];
      }),
  ),

  "no subscription misses or repeats a value": ofEach(({ begins: [begin], values, ends }) => {
    if (begin?.kind !== "ticks") return [];
    const wrong = values.findIndex(({ n }, at) => n !== at);
    const short = ends.find(({ code, count }) => code === "" && count !== values.length);
    return [
      ...(wrong < 0 ? [] : [`value ${values[wrong]?.n} came in place of ${wrong}`]),
      ...(short === undefined ? [] : [`it ended with ${values.length} of ${short.count} values`]),
    ];
  }),

  "no durable call is lost": (history) => [
    ...keysOf(history)
      .filter(({ begins, ends }) => isAlive(history, begins) && !ends.some(({ code }) => code === ""))
      .map(({ key }): Finding => [key, "it was not answered"]),
    ...[...history.calls.values()]
      .filter(({ results }) => results.some(({ run }) => run === undefined))
      .map(({ id }): Finding => [id, "its result is nowhere"]),
  ],

  "no key runs twice to completion": (history) =>
    keysOf(history).flatMap(({ key, ends, results, runs, dones }) => {
      const answered = [...ends, ...results].flatMap(({ run }) => (run === undefined ? [] : [run]));
      const known = answered.filter((run) => !dones.some((done) => done.run === run));
      return [
        ...(new Set(answered).size > 1
          ? [[key, `its answers are from the runs ${[...new Set(answered)]}`] as const]
          : []),
        ...(known.length > 0 ? [[key, `it was answered by the run ${known}, which is not known`] as const] : []),
        ...secondRuns(history, runs).map((text) => [key, text] as const),
        ...lateRuns(history, ends, runs).map((text) => [key, text] as const),
      ];
    }),
};

/** Milliseconds: a process that stands still for less is not noted as disturbed. */
const LONGEST_LOOK = 250;

/** Whom a fault of the server, or of one of a cluster, is on. */
const SERVER = "server";

const ERRORS = ["UNAVAILABLE", "WORKER_LOST", "ANSWER_LOST"];

function codesOf(kind: string | undefined): readonly string[] {
  if (kind === "order") return [];
  return kind === "ticks" ? [...ERRORS, "SEQUENCE_GAP"] : ERRORS;
}

function ofEach(check: (call: RecordedCall, history: History) => readonly string[]): Rule {
  return (history) =>
    [...history.calls.values()].flatMap((call) => check(call, history).map((text): Finding => [call.id, text]));
}

interface RecordedKey {
  readonly key: string;
  readonly begins: RecordedCall["begins"];
  readonly ends: (CallEnds & { readonly at: number })[];
  readonly results: RecordedCall["results"];
  readonly runs: Run[];
  readonly dones: Run[];
}

/** Calls with the same key are one. */
function keysOf({ calls }: History): RecordedKey[] {
  const keys = new Map<string, RecordedKey>();
  for (const { begins, ends, results, runs, dones } of calls.values()) {
    const key = begins[0]?.key ?? runs[0]?.key;
    if (key === undefined) continue;
    const known = keys.get(key) ?? { key, begins: [], ends: [], results: [], runs: [], dones: [] };
    keys.set(key, known);
    known.begins.push(...begins);
    known.ends.push(...ends);
    known.results.push(...results);
    known.runs.push(...runs);
    known.dones.push(...dones);
  }
  return [...keys.values()];
}

/** A second run is right only where something has happened to the worker of the first, or to the server. */
function secondRuns(history: History, runs: readonly Run[]): string[] {
  const inOrder = runs.toSorted((a, b) => a.at - b.at);
  return inOrder.slice(1).flatMap((run, at) => {
    const before = inOrder[at] as Run;
    return isDisturbed(history, [before.by, SERVER], before.at, run.at) ? [] : [`it ran ${told([before, run])}`];
  });
}

/** What was answered does not begin again, but on a worker that was between looking for the answer and beginning. */
function lateRuns(history: History, ends: RecordedKey["ends"], runs: readonly Run[]): string[] {
  const answeredAt = Math.min(...ends.filter(({ code }) => code === "").map(({ at }) => at));
  return runs
    .filter(({ at, by }) => at > answeredAt + LONGEST_LOOK && !isDisturbed(history, [by], answeredAt, at))
    .map(({ at, by }) => `${by} began it ${at - answeredAt} ms after it was answered`);
}

function isDisturbed(
  { faults, terms }: History,
  whom: readonly string[] | undefined,
  from: number,
  to: number,
): boolean {
  return faults.some(
    ({ fault, on, at, until }) =>
      fault !== "drain" && (whom?.includes(on) ?? true) && at <= to && until + terms.aftermath >= from,
  );
}

function wasKilled({ faults }: History, by: string, since: number): boolean {
  return faults.some(({ fault, on, until }) => fault === "kill" && on === by && until >= since);
}

/** Whether some caller of them lives to hear the end. */
function isAlive(history: History, begins: RecordedCall["begins"]): boolean {
  return begins.some(({ by, at }) => !wasKilled(history, by, at));
}

function told(runs: readonly Run[]): string {
  return `${runs.length} times: ${runs.map(({ run, by, at }) => `${run} on ${by} at ${at}`).join(", ")}`;
}
