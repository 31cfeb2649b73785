// What happens to the fleet of bench/fleet.mjs: `happen` is told the fleet and when its time begins.
import {
  expectCalm,
  expectDeaths,
  expectOverload,
  expectPauses,
  expectRestarts,
  expectSlowLinks,
} from "./fleet-expectations.mjs";
import { FleetWorker } from "./fleet-worker.mjs";

/** Another one takes its place. */
function replace(fleet, at) {
  const worker = new FleetWorker(fleet);
  fleet.all[at] = worker;
  fleet.group.add(worker);
}

/** The servers know after so many seconds; another worker is there 5 s later. */
function killOne(fleet, noticed) {
  const { clock, group, all, random } = fleet;
  const at = random.below(all.length);
  const worker = all[at];
  if (worker.place === undefined) return killOne(fleet, noticed);
  worker.kill();
  clock.at(clock.now + noticed, () => {
    group.remove(worker);
    worker.isGone = true;
    clock.at(clock.now + 5, () => replace(fleet, at));
  });
}

/** It takes nothing new, ends what it has, and is there again after its start; callers are told both times. */
function restart(fleet, at) {
  const { clock, group, all, brokers, callers, restartSeconds, seen } = fleet;
  const worker = all[at];
  const since = clock.now;
  brokers.tell(clock.now, callers);
  group.remove(worker);
  worker.drain(() => {
    worker.isGone = true;
    clock.at(clock.now + restartSeconds, () => {
      seen.away += clock.now - since;
      brokers.tell(clock.now, callers);
      replace(fleet, at);
    });
  });
}

const killMany = (fleet, { deaths, during }, from, noticed) => {
  for (let at = 0; at < deaths; at++)
    fleet.clock.at(from + during * fleet.random.uniform(), () => killOne(fleet, noticed()));
};

const slow = { slow: 0.1, more: 0.1 };
const restarts = { perSecond: 20 };
const processes = { deaths: 10, during: 50 };
const machines = { deaths: 10, during: 40 };
const pauses = { paused: 20, pause: 10 };

export const SCENARIOS = [
  { name: "calm", seconds: 30, expect: expectCalm },
  {
    name: "a tenth of the workers are 100 ms further away",
    seconds: 20,
    happen({ all }) {
      for (const worker of all.slice(0, slow.slow * all.length)) worker.delay = slow.more;
    },
    expect: (seen, p) => expectSlowLinks(seen, p, slow),
  },
  {
    name: "a rolling restart, 2 % of the workers every second",
    seconds: 50,
    happen(fleet, from) {
      for (let at = 0; at < fleet.all.length; at++)
        fleet.clock.at(from + at / restarts.perSecond, () => restart(fleet, at));
    },
    expect: (seen, p) => expectRestarts(seen, p, restarts),
  },
  {
    name: "1 % of the workers die in a minute: processes, of which the servers know at once",
    seconds: 60,
    happen: (fleet, from) => killMany(fleet, processes, from, () => fleet.leg),
    expect: (seen, p) => expectDeaths(seen, p, processes),
  },
  {
    name: "1 % of the workers die in a minute: machines that go dark, which a server finds out late",
    seconds: 60,
    happen: (fleet, from) => killMany(fleet, machines, from, () => fleet.darkSeconds),
    expect: (seen, p) => expectDeaths(seen, p, { ...machines, noticed: p.darkSeconds }),
  },
  {
    name: "2 % of the workers stand still for 10 s",
    seconds: 30,
    happen(fleet, from) {
      for (const worker of fleet.all.slice(0, pauses.paused)) {
        const at = from + 10 * fleet.random.uniform();
        fleet.clock.at(at, () => worker.pause());
        fleet.clock.at(at + pauses.pause, () => worker.resume());
      }
    },
    expect: (seen, p) => expectPauses(seen, p, pauses),
  },
  {
    name: "overload: 1.3 times what the workers can do",
    seconds: 10,
    warmSeconds: 15,
    change: (p) => ({ ...p, room: 32, callsPerCaller: (1.3 * p.workers * p.lanes) / p.service / p.callers }),
    expect: expectOverload,
  },
];
