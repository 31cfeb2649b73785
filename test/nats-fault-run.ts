import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { type Chance, seededChance } from "./nats-chance.mjs";
import { checkHistory, type HistoryEvent, type HistoryReport } from "./nats-history.js";
import { type FaultStage, IS_TOLD, type Member, type MemberState, type Role } from "./nats-stage.js";

/** What can be done to a stage, by name. */
export type Faults = Readonly<Record<string, (run: FaultRun) => Promise<void>>>;

/** What one seed decides. */
interface FaultRun {
  readonly stage: FaultStage;
  readonly chance: Chance;
  /** Somebody to whom nothing is being done, until `act` is over; nothing happens where there is nobody. */
  withOne(role: Role, act: (member: Member) => Promise<void>): Promise<void>;
}

/** `PLICO_SEED` repeats a run, as far as the times of processes can be repeated; `FUZZ=1` takes a new one. */
export function chosenSeed(usual: number): number {
  const given = process.env["PLICO_SEED"];
  if (given !== undefined) return Number(given);
  return process.env["FUZZ"] === "1" ? Date.now() % 1_000_000 : usual;
}

/** Each fault in an order that the seed decides, some at the same time. */
export async function inflict(stage: FaultStage, faults: Faults, seed: number): Promise<void> {
  const chance = seededChance(seed);
  const run: FaultRun = { stage, chance, withOne: lockedChoice(stage, chance) };
  const underWay: Promise<void>[] = [];
  for (const fault of chance.shuffle(Object.values(faults))) {
    const over = fault(run);
    underWay.push(over);
    // It is told below.
    over.catch(() => undefined);
    if (chance.next() < 0.7) await within(LONGEST_FAULT, over);
    await delay(chance.between(50, 300));
  }
  await within(LONGEST_FAULT, Promise.all(underWay));
  expect(stage.underWay).toEqual([]);
}

const LONGEST_FAULT = 30_000;

function lockedChoice(stage: FaultStage, chance: Chance): FaultRun["withOne"] {
  const busy = new Set<Member>();
  return async (role, act) => {
    const free = stage.of(role).filter((member) => !busy.has(member));
    if (free.length === 0) return;
    const member = chance.pick(free);
    busy.add(member);
    await act(member);
    busy.delete(member);
  };
}

/** Others take the place of every worker, which are drained one after the other: callers notice nothing. */
export async function replaceWorkers(stage: FaultStage): Promise<void> {
  const workers = [...stage.of("worker")];
  await Promise.all(workers.map(() => stage.start("worker")));
  for (const worker of workers) await stage.drain(worker);
}

/** Until so many calls were made. */
export async function enough(stage: FaultStage, leastCalls: number): Promise<void> {
  while ((await stage.calls()) < leastCalls) await delay(100);
}

const TERMS = { aftermath: 2500, tolerance: 2500 };

/** Until what the last fault did is over. */
export async function calm(): Promise<void> {
  await delay(TERMS.aftermath + 500);
}

/** Ends the calls, waits until nothing goes on any more, and asks what has happened. */
export async function conclude(stage: FaultStage, seed: number): Promise<HistoryReport> {
  const callers = await Promise.all(stage.of("caller").map((caller) => within(20_000, stage.ask(caller, "stop"))));
  const workers = await Promise.all(stage.of("worker").map((worker) => restOf(stage, worker)));
  const events = stage.history();
  const report = checkHistory(events, TERMS);
  tell(seed, events, report, [...callers, ...workers]);
  expect(report.violations.slice(0, 40).map(({ rule, id, text }) => `${rule}: ${id}: ${text}`)).toEqual([]);
  expect(stage.accidents).toEqual([]);
  expect(callers.map((state) => state?.pending)).toEqual(callers.map(() => 0));
  expect(workers.map((state) => state?.running)).toEqual(workers.map(() => 0));
  for (const state of [...callers, ...workers]) expect(state?.heapUsed).toBeLessThan(MOST_MEMORY);
  return report;
}

const MOST_MEMORY = 100_000_000;

/** The state of a worker when nothing runs there, or when it was waited for long enough. */
async function restOf(stage: FaultStage, worker: Member): Promise<MemberState | undefined> {
  let state: MemberState | undefined;
  for (let looks = 0; looks < 50 && state?.running !== 0; looks += 1) {
    if (looks > 0) await delay(100);
    state = await within(5_000, stage.ask(worker, "state"));
  }
  return state;
}

async function within<Result>(milliseconds: number, promise: Promise<Result>): Promise<Result | undefined> {
  const controller = new AbortController();
  const late = delay(milliseconds, undefined, { signal: controller.signal }).catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    controller.abort();
  }
}

function tell(seed: number, events: readonly HistoryEvent[], report: HistoryReport, states: readonly unknown[]): void {
  const faults: Record<string, number> = {};
  for (const event of events) if (event.is === "fault") faults[event.fault] = (faults[event.fault] ?? 0) + 1;
  const lines = [`seed ${seed}: ${report.calls} calls`, JSON.stringify(faults), JSON.stringify(report.tally)];
  if (IS_TOLD) lines.push(...states.map((state) => JSON.stringify(state)), ...events.flatMap(faultLine));
  console.log(lines.join("\n"));
}

function faultLine(event: HistoryEvent): string[] {
  if (event.is !== "fault" || event.fault === "stall") return [];
  return [`${event.at} ${event.fault} ${event.on} for ${event.until - event.at} ms`];
}
