import { localEnvelope } from "../envelope/response-envelope.js";
import type { CallEvent } from "../protocol/events.js";
import { type BusLaw, FAILURE } from "./bus-stage.js";
import { assertEqual } from "./laws.js";

/** The contract of a bus. */
export const BUS_LAWS: Readonly<Record<string, BusLaw>> = {
  "carries every kind of event whole": async (stage) => {
    const ear = stage.listen("a");
    for (const event of EVENTS) stage.publish("a", event);
    assertEqual(await ear.hear(EVENTS.length), EVENTS, "the events changed on their way");
  },
  "delivers to the listeners of the address and to no others": async (stage) => {
    const [first, second, other] = [stage.listen("a"), stage.listen("a"), stage.listen("b")];
    stage.publish("a", numbered(1));
    await first.hear(1);
    await second.hear(1);
    await stage.quiet();
    assertEqual(other.events, [], "a listener of another address heard of it");
  },
  "keeps the order of what one publisher sends to one address": async (stage) => {
    const ear = stage.listen("a");
    const sent = Array.from({ length: 200 }, (_, at) => numbered(at));
    for (const event of sent) stage.publish("a", event);
    assertEqual(await ear.hear(sent.length), sent, "the order changed");
  },
  "delivers once": async (stage) => {
    const [ear, member] = [stage.listen("a"), stage.listen("a", { group: "g" })];
    for (const at of [0, 1, 2]) stage.publish("a", numbered(at));
    await ear.hear(3);
    await stage.quiet();
    assertEqual([ear.events.length, member.events.length], [3, 3], "an event was lost or came twice");
  },
  "delivers nothing inside publish": async (stage) => {
    const ear = stage.listen("a");
    stage.publish("a", numbered(1));
    assertEqual(ear.events, [], "the listener was called before publish returned");
    await ear.hear(1);
  },
  "delivers what a listener publishes": async (stage) => {
    const ear = stage.listen("b");
    const leave = stage.bus.subscribe(stage.address("a"), (event) => {
      leave();
      stage.publish("b", event);
    });
    stage.publish("a", numbered(1));
    assertEqual(await ear.hear(1), [numbered(1)], "the event changed");
  },
  "delivers to one listener of each group": async (stage) => {
    const one = [stage.listen("a", { group: "one" }), stage.listen("a", { group: "one" })];
    const two = [stage.listen("a", { group: "two" }), stage.listen("a", { group: "two" })];
    const everyone = stage.listen("a");
    for (let at = 0; at < 40; at += 1) stage.publish("a", numbered(at));
    await everyone.hear(40);
    await stage.quiet();
    for (const group of [one, two]) {
      const heard = group.reduce((sum, { events }) => sum + events.length, 0);
      assertEqual(heard, 40, "a group did not hear each event once");
    }
  },
  "lets a listener that throws hurt nobody": async (stage) => {
    stage.bus.subscribe(stage.address("a"), () => {
      throw new Error("a careless listener");
    });
    const ear = stage.listen("a");
    stage.publish("a", numbered(1));
    stage.publish("a", numbered(2));
    assertEqual(await ear.hear(2), [numbered(1), numbered(2)], "another listener missed something");
  },
  "delivers nothing to a listener that has left": async (stage) => {
    const [gone, ear] = [stage.listen("a"), stage.listen("a")];
    gone.leave();
    stage.publish("a", numbered(1));
    await ear.hear(1);
    await stage.quiet();
    assertEqual(gone.events, [], "it was still called");
  },
  "delivers nothing once it is closed, and ignores what is published": async (stage) => {
    const ear = stage.listen("a");
    await stage.bus.close();
    stage.publish("a", numbered(1));
    await stage.quiet();
    assertEqual(ear.events, [], "a listener of a closed bus was called");
  },
};

const EVENTS: readonly CallEvent[] = [
  {
    type: "call.requested",
    requestId: "1",
    operationId: "test.echo",
    input: { list: [0, "", false, null], text: "東京 🎉" },
    replyTo: "inbox",
    parentRequestId: "0",
    deadline: 1_700_000_000_000,
    idleTimeout: 0.5,
    identity: { id: "ada", scopes: ["read"], resources: { "project:7": [] } },
    metadata: {},
    idempotencyKey: "7",
    heartbeat: 0.5,
    credit: 1,
  },
  { type: "call.responded", requestId: "1", output: { ...localEnvelope(null, "test.echo") }, sequence: 0 },
  { type: "call.completed", requestId: "1", count: 0 },
  { type: "call.progress", requestId: "1", progress: 0, total: 1, message: "" },
  { type: "call.aborted", requestId: "1", reason: "enough", replyTo: "inbox" },
  { type: "call.error", requestId: "1", ...FAILURE.toJSON() },
  { type: "call.credited", requestId: "1", credit: 8 },
  { type: "call.running", requestId: "1", controlTo: "worker", sent: 0, granted: 1 },
  { type: "call.resumed", requestId: "1", replyTo: "inbox", received: 0, granted: 1 },
];

function numbered(at: number): CallEvent {
  return { type: "call.completed", requestId: "1", count: at };
}
