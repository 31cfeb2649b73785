import type { CallEvent } from "../protocol/events.js";
import { type BusLaw, type BusStage, type Connection, deferred, HEARTBEAT, handled, type Loses } from "./bus-stage.js";
import { assert, assertEqual } from "./laws.js";

/** The call protocol with heartbeats, where events get lost on their way and workers with their calls. */
export const LASTING_LAWS: Readonly<Record<string, BusLaw>> = {
  "brings signs of life, so that a call may last": async (stage) => {
    const { map, release } = stage.connectLasting();
    const call = handled(map.call("test.wait"));
    await stage.pause(4 * HEARTBEAT);
    release();
    assertEqual((await stage.within(call, "the answer")).data, "released", "the answer changed");
    assertEqual([map.counts.late, map.counts.unconfirmed], [0, 0], "the worker was taken for lost");
  },
  "tells a caller whose worker is gone": async (stage) => {
    stage.listen("calls", { group: "workers" });
    const failed = await stage.failure(stage.lastingMap().call("test.echo", 1));
    assertEqual(failed.code, "WORKER_LOST", "the caller got another error");
    assertEqual([failed.recoverable, failed.details], [true, { mayHaveRun: true }], "the error says something else");
  },
  "brings an abort to its worker, and the confirmation back": async (stage) => {
    const aborts: string[] = [];
    const [running, confirmed] = [deferred(), deferred()];
    const { map, aborted } = stage.connectLasting((event, address) => {
      if (event.type === "call.requested") stage.bus.subscribe(event.replyTo, listener);
      if (event.type === "call.aborted" && event.replyTo !== undefined) aborts.push(address);
      return false;
    });
    const listener = ({ type }: CallEvent) => {
      if (type === "call.running") running.resolve();
      if (type === "call.aborted") confirmed.resolve();
    };
    const failed = handled(stage.failure(map.call("test.wait", 1, { requestId: "mine" })));
    await stage.within(running.promise, "a sign of life");
    await stage.quiet();
    map.abort("mine");
    assertEqual((await failed).code, "ABORTED", "the caller got another error");
    await stage.within(aborted, "the handler's signal");
    await stage.within(confirmed.promise, "the confirmation");
    const sent = aborts.length;
    await stage.pause(2 * HEARTBEAT);
    assertEqual([aborts.length, map.counts.unconfirmed], [sent, 0], "it was sent again although it is confirmed");
    assertEqual([...new Set(aborts)], [stage.address("worker")], "it was not sent to the one worker");
  },
  "sends an abort again that was lost": async (stage) => {
    const { map, aborted } = stage.connectLasting(first("call.aborted", 2));
    const failed = handled(stage.failure(map.call("test.wait", 1, { requestId: "mine" })));
    await stage.quiet();
    map.abort("mine");
    assertEqual((await failed).code, "ABORTED", "the caller got another error");
    await stage.within(aborted, "the handler's signal");
  },
  "sends values again that were lost": (stage) => counts(stage, stage.connectLasting(isLostValue())),
  "sends the end of a subscription again that was lost": (stage) =>
    counts(stage, stage.connectLasting(first("call.completed", 1))),
  "gives credit again that was lost": (stage) => counts(stage, stage.connectLasting(first("call.credited", 2))),
  "sends an answer again that was lost, and runs nothing twice": async (stage) => {
    const { map, runs } = stage.connectLasting(first("call.responded", 1));
    assertEqual((await stage.within(map.call("test.change", 7), "the answer")).data, 7, "the answer changed");
    assertEqual(runs(), 1, "the operation ran twice");
  },
  "asks for a lost answer as soon as it is connected again": async (stage) => {
    const lost = deferred();
    const isFirst = first("call.responded", 1);
    const { map, runs } = stage.connectLasting((event, address) => {
      if (event.type === "call.responded") lost.resolve();
      return isFirst(event, address);
    });
    map.suspend();
    const call = handled(map.call("test.change", 7));
    await stage.within(lost.promise, "the loss");
    map.resume();
    assertEqual((await stage.within(call, "the answer")).data, 7, "the answer changed");
    assertEqual(runs(), 1, "the operation ran twice");
  },
};

async function counts(stage: BusStage, { map }: Connection): Promise<void> {
  const seen: unknown[] = [];
  const loop = async () => {
    for await (const { data } of map.subscribe("test.count", 40, { credit: 8 })) seen.push(data);
  };
  await stage.within(loop(), "the end of the subscription");
  const expected = Array.from({ length: 40 }, (_, at) => at);
  assertEqual(seen, expected, "values were lost or came twice");
  assert(map.getPendingCount() === 0, "the subscription did not end");
}

function first(type: CallEvent["type"], count: number): Loses {
  let lost = 0;
  return (event) => {
    if (event.type !== type || lost === count) return false;
    lost += 1;
    return true;
  };
}

function isLostValue(): Loses {
  const toLose = new Set([0, 3, 4, 21, 39]);
  return (event) => event.type === "call.responded" && toLose.delete(event.sequence ?? -1);
}
