// A fleet, event by event, by the rules of the call protocol: see docs/workers.md and docs/call-protocol.md. Times are in seconds.

import { brokers } from "./fleet-brokers.mjs";
import { Clock, dice } from "./fleet-clock.mjs";
import { FleetWorker } from "./fleet-worker.mjs";

/** Runs the fleet, with what a scenario does to it, and tells what was seen after it had warmed up. */
export function simulate(parameters, { seed, seconds, warmSeconds = 5, happen = () => {} }) {
  const clock = new Clock();
  const random = dice(seed);
  const seen = nothingYet();
  const lastLeg = () => parameters.leg + random.exponential(parameters.jitter);
  const fleet = { ...parameters, clock, random, seen, lastLeg };
  fleet.brokers = brokers(fleet);
  const group = listeners(random);
  const workers = Array.from({ length: parameters.workers }, () => new FleetWorker(fleet));
  for (const worker of workers) group.add(worker);
  Object.assign(fleet, { group, all: workers, answered: answeredIn(fleet) });
  fleet.silent = (attempt) => silent(fleet, attempt);
  fleet.repeat = (attempt) => tellWorker(fleet, attempt);
  fleet.trouble = startLooks(fleet);
  startCallers(fleet);
  clock.runUntil(warmSeconds);
  Object.assign(seen, nothingYet());
  fleet.brokers.reset();
  happen(fleet, warmSeconds);
  clock.runUntil(warmSeconds + seconds);
  return { ...seen, seconds, ...fleet.brokers.seen(seconds), latencies: Float64Array.from(seen.latencies).sort() };
}

function nothingYet() {
  const counts = [
    "started",
    "answered",
    "failed",
    "refusals",
    "noResponder",
    "hit",
    "retried",
    "signs",
    "beats",
    "stale",
    "late",
    "ended",
    "stay",
    "laneSeconds",
    "away",
    "toAll",
  ];
  const zeros = Object.fromEntries(counts.map((name) => [name, 0]));
  return { ...zeros, latencies: [], silences: [], errors: {} };
}

/** The workers to which the group's requests go, by chance. */
function listeners(random) {
  const members = [];
  return {
    add(worker) {
      worker.place = members.push(worker) - 1;
    },
    remove(worker) {
      if (worker.place === undefined) return;
      const last = members.pop();
      if (last !== worker) {
        members[worker.place] = last;
        last.place = worker.place;
      }
      worker.place = undefined;
    },
    choose: () => (members.length === 0 ? undefined : members[random.below(members.length)]),
  };
}

function startCallers(fleet) {
  const { clock, random, callers, callsPerCaller, repeatableShare } = fleet;
  const gap = 1 / (callers * callsPerCaller);
  const next = () => {
    clock.at(clock.now + random.exponential(gap), next);
    fleet.seen.started++;
    const call = { born: clock.now, caller: random.below(callers), tries: 0, attempt: undefined, tried: [] };
    call.repeatable = random.uniform() < repeatableShare;
    request(fleet, call);
  };
  next();
}

/**
 * Every caller looks who is there once in `refresh` seconds, and sooner after trouble, but the less often the more answer.
 * Gives what is to be called after trouble.
 */
function startLooks(fleet) {
  const { clock, random, callers, refresh, troubleSeconds } = fleet;
  const rest = Math.max(troubleSeconds, Math.min(fleet.workers * fleet.restPerWorker, refresh));
  const isTroubled = new Uint8Array(callers);
  const dueAt = new Float64Array(callers).fill(Number.POSITIVE_INFINITY);
  const soon = (caller, seconds) => {
    const due = clock.now + seconds * (0.75 + random.uniform() / 2);
    if (due >= dueAt[caller]) return;
    dueAt[caller] = due;
    clock.at(due, look, caller, due);
  };
  const look = (caller, due) => {
    if (dueAt[caller] !== due) return;
    dueAt[caller] = Number.POSITIVE_INFINITY;
    isTroubled[caller] = 0;
    fleet.brokers.discover(clock.now, caller);
    soon(caller, refresh);
  };
  for (let caller = 0; caller < callers; caller++) {
    const due = refresh * random.uniform();
    dueAt[caller] = due;
    clock.at(due, look, caller, due);
  }
  return (caller) => {
    if (isTroubled[caller] === 1) return;
    isTroubled[caller] = 1;
    soon(caller, rest);
  };
}

/** The first attempt goes to the group, the next ones to a worker that was not tried, as far as the caller knows. */
function request(fleet, call) {
  const { clock, random } = fleet;
  const worker = call.tries === 0 ? fleet.group.choose() : fleet.all[random.below(fleet.all.length)];
  const attempt = {
    call,
    worker,
    sentAt: clock.now,
    heardAt: clock.now,
    begunAt: undefined,
    endsAt: undefined,
    left: undefined,
    diedAt: undefined,
    signedAt: undefined,
    isSigned: false,
    isAsked: false,
    version: 0,
  };
  call.tries++;
  call.attempt = attempt;
  const passed = fleet.brokers.pass(clock.now, call.caller, worker?.broker);
  if (worker === undefined || worker.isGone)
    return clock.at(passed + fleet.lastLeg(), fleet.answered, attempt, "noResponder");
  clock.at(passed + fleet.lastLeg() + worker.delay, worker.arrive, attempt);
}

/** What reaches the caller. */
function answeredIn(fleet) {
  const { clock, seen } = fleet;
  return (attempt, outcome) => {
    const { call } = attempt;
    if (call.attempt !== attempt) {
      seen.late++;
      return;
    }
    if (outcome !== "ok") {
      seen[outcome]++;
      retry(fleet, call, outcome, true);
      return;
    }
    call.attempt = undefined;
    seen.answered++;
    seen.latencies.push(clock.now - call.born);
  };
}

/** The caller has heard nothing for two beats: it asks. After three it gives the attempt up, and tries another worker where it may. */
function silent(fleet, attempt) {
  const { clock, seen, beat } = fleet;
  const { call } = attempt;
  if (call.attempt !== attempt) return;
  const due = attempt.heardAt + (attempt.isAsked ? 3 : 2) * beat;
  if (due > clock.now + 1e-9) return clock.at(due, fleet.silent, attempt);
  tellWorker(fleet, attempt);
  if (!attempt.isAsked) {
    attempt.isAsked = true;
    return clock.at(clock.now + beat, fleet.silent, attempt);
  }
  seen.hit++;
  if (attempt.diedAt !== undefined) seen.silences.push(clock.now - attempt.diedAt);
  retry(fleet, call, "WORKER_LOST", call.repeatable);
  if (call.attempt === undefined)
    for (let at = 1; at <= ABORTS; at++) clock.at(clock.now + at * beat, fleet.repeat, attempt);
}

/** An abort that nobody confirms is sent so many times more. */
const ABORTS = 5;

/** Who has given no sign of life is not known: all workers are told. */
function tellWorker(fleet, { call, worker, isSigned }) {
  const { clock, seen, brokers, workers } = fleet;
  if (isSigned) return brokers.pass(clock.now, call.caller, worker.broker);
  seen.toAll++;
  brokers.tell(clock.now, workers);
}

function retry(fleet, call, why, allowed) {
  fleet.trouble(call.caller);
  if (allowed && call.tries <= fleet.retries) {
    fleet.seen.retried++;
    return request(fleet, call);
  }
  call.attempt = undefined;
  fleet.seen.failed++;
  fleet.seen.errors[why] = (fleet.seen.errors[why] ?? 0) + 1;
}
