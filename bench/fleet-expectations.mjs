// What the arithmetic says of a scenario of bench/fleet.mjs, row by row beside what was seen. `p` are the parameters.
import { quantile, queue, signsOfLife, station, withRetries } from "./fleet-arithmetic.mjs";

/** Where counts are small, chance alone moves them: four standard deviations of a Poisson count are allowed. */
const byChance = (count) => Math.max(0.05, 4 / Math.sqrt(count));

const callsOf = ({ callers, callsPerCaller }) => callers * callsPerCaller;

const arrivalsOf = (p) => callsOf(p) / p.workers;

/** A worker among so many. */
const atRest = (p, workers = p.workers) => station({ ...p, arrivals: callsOf(p) / workers });

/**
 * Messages of calls, signs of life, looks around and what is told to all (`{ rate, to }`), and what a message waits in a
 * server: a load of several sizes.
 */
function trafficOf(p, rest, toAll = { rate: 0, to: 0 }, looks = p.callers / p.refresh) {
  const signs = callsOf(p) * rest.longerThan(1.5 * p.firstSign);
  const beats = callsOf(p) * signsOfLife(rest, 1.5 * p.firstSign, p.beat).more;
  const messages = 2 * callsOf(p) + signs + beats;
  const own = looks / p.brokerCount;
  const share = p.workers / p.brokerCount;
  const { busy, wait } = queue([
    { rate: (messages * (1 + crossing(p))) / p.brokerCount, time: p.messageTime },
    { rate: own, time: (share + p.workers) * p.messageTime },
    { rate: looks - own, time: 2 * share * p.messageTime },
    { rate: toAll.rate, time: (toAll.to / p.brokerCount) * p.messageTime },
  ]);
  return { signs, beats, messages, looks, busy, wait };
}

/** The share of messages that pass two servers. */
const crossing = ({ brokerCount }) => 1 - 1 / brokerCount;

/** What the way there and back takes on average. */
function wayOf(p, { wait }) {
  return 2 * (2 * p.leg + p.jitter + (1 + crossing(p)) * (wait + p.messageTime));
}

function latencyRows(seen, longerThan, way, tolerance = 0.04) {
  const row = (name, share) => ({
    what: `latency, ${name}`,
    unit: "ms",
    seen: 1000 * seen.latencies[Math.floor((1 - share) * seen.latencies.length)],
    expected: 1000 * quantile((time) => longerThan(time - way), share),
    tolerance,
  });
  return [row("p50", 0.5), row("p99", 0.01), row("p99.9", 0.001)];
}

function errorRow(seen, share, tolerance = share === 0 ? 0 : byChance(share * seen.started)) {
  const percent = (100 * seen.failed) / seen.started;
  return { what: "calls that fail", unit: "%", seen: percent, expected: 100 * share, tolerance };
}

function loadRow(seen, p, { load }) {
  const busy = seen.laneSeconds / (seen.seconds * p.workers * p.lanes);
  return { what: "a worker's lanes are busy", unit: "%", seen: 100 * busy, expected: 100 * load, tolerance: 0.02 };
}

function trafficRows(seen, p, traffic) {
  const { signs, beats, messages, looks, busy, wait } = traffic;
  const row = (what, one, expected, tolerance, unit = "") => ({ what, unit, seen: one, expected, tolerance });
  return [
    row("first signs of life a second", seen.signs / seen.seconds, signs, 0.02),
    row("heartbeats a second", seen.beats / seen.seconds, beats, 0.04),
    row("messages of calls a second", seen.messages, messages, 0.02),
    row("callers that look who is there, a second", seen.discoveries, looks, 0.05),
    row("deliveries a second, all servers", seen.deliveries, (busy * p.brokerCount) / p.messageTime, 0.03),
    row("a server is busy", 100 * seen.brokerBusy, 100 * busy, 0.03, "%"),
    row("wait at a server, mean", 1000 * seen.brokerWait, 1000 * wait, 0.15, "ms"),
  ];
}

export function expectCalm(seen, p) {
  const rest = atRest(p);
  const traffic = trafficOf(p, rest);
  const stay = { what: "stay in a worker, mean", unit: "ms", seen: (1000 * seen.stay) / seen.ended };
  return [
    loadRow(seen, p, rest),
    { ...stay, expected: 1000 * rest.stay, tolerance: 0.03 },
    ...latencyRows(seen, rest.longerThan, wayOf(p, traffic)),
    errorRow(seen, 0),
    ...trafficRows(seen, p, traffic),
  ];
}

/** A share of the calls takes that much longer, and then as long as any other. */
const delayed = (longerThan, share, wait) => (time) => (1 - share) * longerThan(time) + share * longerThan(time - wait);

export function expectSlowLinks(seen, p, { slow, more }) {
  const rest = atRest(p);
  const longerThan = delayed(rest.longerThan, slow, 2 * more);
  return [...latencyRows(seen, longerThan, wayOf(p, trafficOf(p, rest))), errorRow(seen, 0)];
}

export function expectRestarts(seen, p, { perSecond }) {
  const away = perSecond * (atRest(p).drain + p.restartSeconds);
  const rest = atRest(p, p.workers - away);
  const traffic = trafficOf(p, rest, { rate: 2 * perSecond, to: p.callers });
  const told = 2 * perSecond * p.callers;
  return [
    { what: "workers that are away, mean", unit: "", seen: seen.away / seen.seconds, expected: away, tolerance: 0.1 },
    ...latencyRows(seen, rest.longerThan, wayOf(p, traffic), 0.06),
    errorRow(seen, 0),
    { what: "news delivered a second", unit: "", seen: seen.news * p.callers, expected: told, tolerance: 0.05 },
    { what: "a server is busy", unit: "%", seen: 100 * seen.brokerBusy, expected: 100 * traffic.busy, tolerance: 0.05 },
  ];
}

/** A worker that dies takes with it what is in it, and what comes until the servers know. */
export function expectDeaths(seen, p, { deaths, noticed = 0 }) {
  const rest = atRest(p);
  const way = wayOf(p, trafficOf(p, rest));
  const hits = deaths * arrivalsOf(p) * (rest.stay + way / 2 + noticed);
  const share = hits / seen.started;
  const tolerance = byChance(hits);
  const failing = share * (1 - p.repeatableShare);
  return [
    { what: "calls that are hit", unit: "", seen: seen.hit, expected: hits, tolerance },
    errorRow(seen, failing, byChance(failing * seen.started)),
    retryRow(seen, p, deaths),
    ...(noticed > 0 ? [toAllRow(seen, p, deaths * arrivalsOf(p) * noticed)] : []),
    ...latencyRows(seen, delayed(rest.longerThan, share * p.repeatableShare, 3 * p.beat), way, 0.06),
    ...(noticed > 0 ? [] : [silenceRow(seen, p, rest, way)]),
  ];
}

function silenceRow(seen, p, rest, way) {
  const mean = seen.silences.reduce((total, silence) => total + silence, 0) / seen.silences.length;
  const expected = 3 * p.beat - signsOfLife(rest, 1.5 * p.firstSign, p.beat).silence + way / 2;
  return {
    what: "given up after a death, mean",
    unit: "ms",
    seen: 1000 * mean,
    expected: 1000 * expected,
    tolerance: 0.06,
  };
}

/** Of those who never gave a sign: a question, an abort, and five more where the call is not made again. */
function toAllRow(seen, p, hits) {
  const expected = hits * (2 + 5 * (1 - p.repeatableShare));
  return { what: "messages to all workers", unit: "", seen: seen.toAll, expected, tolerance: byChance(hits) };
}

/** One more attempt is enough unless it meets workers that are gone too. */
function retryRow(seen, p, gone) {
  const repeated = seen.hit - (seen.errors.WORKER_LOST ?? 0);
  const failed = seen.failed - (seen.errors.WORKER_LOST ?? 0);
  const expected = 100 * (1 - (gone / p.workers) ** p.retries);
  return { what: "retries that end well", unit: "%", seen: 100 * (1 - failed / repeated), expected, tolerance: 0.01 };
}

/**
 * Hit is what is in the worker, and what comes until three beats before it goes on. What comes later waits: for the
 * worker, and for those before it; so does what comes until it has caught up.
 */
export function expectPauses(seen, p, { paused, pause }) {
  const rest = atRest(p);
  const silence = 3 * p.beat;
  const stale = paused * arrivalsOf(p) * (pause - silence);
  const hits = paused * rest.inside + stale;
  const [share, late] = [hits, paused * arrivalsOf(p) * silence].map((count) => count / seen.started);
  const backlog = rest.load * silence;
  const after = (paused * arrivalsOf(p) * backlog) / (1 - rest.load) / seen.started;
  const longerThan = (time) =>
    (1 - share - late - after) * rest.longerThan(time) +
    share * p.repeatableShare * rest.longerThan(time - silence) +
    late * meanOver(backlog, silence, (wait) => rest.longerThan(time - wait)) +
    after * meanOver(0, backlog, (wait) => rest.longerThan(time - wait));
  return [
    { what: "calls that are hit", unit: "", seen: seen.hit, expected: hits, tolerance: byChance(hits) },
    {
      what: "stale requests that are not begun",
      unit: "",
      seen: seen.stale,
      expected: stale,
      tolerance: byChance(stale),
    },
    errorRow(seen, share * (1 - p.repeatableShare)),
    toAllRow(seen, p, stale),
    ...latencyRows(seen, longerThan, wayOf(p, trafficOf(p, rest)), 0.06),
  ];
}

function meanOver(from, to, value) {
  let total = 0;
  for (let at = 0; at < 20; at++) total += value(from + ((at + 0.5) / 20) * (to - from));
  return total / 20;
}

export function expectOverload(seen, p) {
  const busy = withRetries({ ...p, arrivals: arrivalsOf(p) });
  const attempts = busy.offered / arrivalsOf(p);
  const made = seen.started + seen.retried;
  const way = 2 * (2 * p.leg + p.jitter);
  return [
    loadRow(seen, p, busy),
    { what: "attempts a call", unit: "", seen: made / seen.started, expected: attempts, tolerance: 0.03 },
    {
      what: "attempts that are refused",
      unit: "%",
      seen: (100 * seen.refusals) / made,
      expected: 100 * busy.refused,
      tolerance: 0.03,
    },
    errorRow(seen, busy.failed, 0.06),
    looksRow(seen, p),
    ...latencyRows(seen, busy.longerThan, way * attempts),
  ];
}

/** Trouble is a reason to look after `workers * restPerWorker` seconds; until then those look whose time has come anyway. */
function looksRow(seen, p) {
  const expected = p.callers / p.refresh;
  return {
    what: "callers that look who is there, a second",
    unit: "",
    seen: seen.discoveries,
    expected,
    tolerance: 0.1,
  };
}
