import { describe, expect, test, vi } from "vitest";
import type { CallEvent } from "./events.js";
import { turns } from "./fixtures/peer.js";
import { memoryBus } from "./memory-bus.js";

function event(requestId: string): CallEvent {
  return { type: "call.completed", requestId };
}

/** A listener that notes the ids it hears. */
function listener(): { heard: string[]; hear: (event: CallEvent) => void } {
  const heard: string[] = [];
  return { heard, hear: ({ requestId }) => heard.push(requestId) };
}

describe("memoryBus", () => {
  test("delivers to everyone without a group and to one of each group, in turn", async () => {
    const bus = memoryBus();
    const [alone, first, second, other] = [listener(), listener(), listener(), listener()];
    bus.subscribe("a", alone.hear);
    bus.subscribe("a", first.hear, { group: "workers" });
    bus.subscribe("a", second.hear, { group: "workers" });
    bus.subscribe("a", other.hear, { group: "auditors" });
    for (const id of ["1", "2", "3", "4"]) bus.publish("a", event(id));
    await turns();
    expect([alone.heard, other.heard]).toEqual([
      ["1", "2", "3", "4"],
      ["1", "2", "3", "4"],
    ]);
    expect([first.heard.length, second.heard.length]).toEqual([2, 2]);
    expect([...first.heard, ...second.heard].sort()).toEqual(["1", "2", "3", "4"]);
  });

  test("passes events on without a copy", async () => {
    const bus = memoryBus();
    const sent = event("1");
    const heard: CallEvent[] = [];
    bus.subscribe("a", (got) => heard.push(got));
    bus.publish("a", sent);
    await turns();
    expect(heard[0]).toBe(sent);
  });

  test("delivers what a listener publishes after what was published before", async () => {
    const bus = memoryBus();
    const { heard, hear } = listener();
    bus.subscribe("a", (got) => {
      hear(got);
      if (got.requestId === "1") bus.publish("a", event("3"));
    });
    bus.publish("a", event("1"));
    bus.publish("a", event("2"));
    await turns();
    expect(heard).toEqual(["1", "2", "3"]);
  });

  test("tells onError what a listener throws, whatever onError does with it", async () => {
    const onError = vi.fn(() => {
      throw new Error("worse");
    });
    const bus = memoryBus({ onError });
    const { heard, hear } = listener();
    const bad = new Error("bad");
    bus.subscribe("a", () => {
      throw bad;
    });
    bus.subscribe("a", hear);
    bus.publish("a", event("1"));
    bus.publish("a", event("2"));
    await turns();
    expect(heard).toEqual(["1", "2"]);
    expect(onError.mock.calls).toEqual([[bad], [bad]]);
  });

  test("gives nothing to a listener that another one unsubscribes during the delivery", async () => {
    const bus = memoryBus();
    const { heard, hear } = listener();
    bus.subscribe("a", () => leave());
    const leave = bus.subscribe("a", hear);
    bus.publish("a", event("1"));
    await turns();
    expect(heard).toEqual([]);
  });

  test("gives nothing to a listener when another one closes the bus during the delivery", async () => {
    const bus = memoryBus();
    const { heard, hear } = listener();
    bus.subscribe("a", () => void bus.close());
    bus.subscribe("a", hear);
    bus.subscribe("a", hear, { group: "workers" });
    bus.publish("a", event("1"));
    bus.publish("a", event("2"));
    await turns();
    expect(heard).toEqual([]);
  });

  test("takes the same listener twice, and either goes alone, and once", async () => {
    const bus = memoryBus();
    const { heard, hear } = listener();
    const leave = bus.subscribe("a", hear);
    bus.subscribe("a", hear);
    leave();
    leave();
    bus.publish("a", event("1"));
    await turns();
    expect(heard).toEqual(["1"]);
  });

  test("goes on with a group when a member has left", async () => {
    const bus = memoryBus();
    const [first, second] = [listener(), listener()];
    bus.subscribe("a", first.hear, { group: "workers" });
    const leave = bus.subscribe("a", second.hear, { group: "workers" });
    bus.publish("a", event("1"));
    await turns();
    leave();
    for (const id of ["2", "3"]) bus.publish("a", event(id));
    await turns();
    expect([...first.heard, ...second.heard]).toHaveLength(3);
    expect(first.heard.slice(-2)).toEqual(["2", "3"]);
  });

  test("takes subscriptions to an address that everyone had left", async () => {
    const bus = memoryBus();
    const { heard, hear } = listener();
    const leave = bus.subscribe("a", () => {});
    leave();
    bus.subscribe("a", hear);
    leave();
    bus.publish("a", event("1"));
    await turns();
    expect(heard).toEqual(["1"]);
  });

  test("carries a flood, and then more", async () => {
    const bus = memoryBus();
    let heard = 0;
    bus.subscribe("a", () => {
      heard += 1;
    });
    for (let at = 0; at < 100_000; at += 1) bus.publish("a", event("1"));
    await turns();
    bus.publish("a", event("2"));
    await turns();
    expect(heard).toBe(100_001);
  });
});
