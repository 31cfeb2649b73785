import { describe, expect, test } from "vitest";
import type { Bus, BusListener } from "../protocol/bus.js";
import type { CallEvent } from "../protocol/events.js";
import { memoryBus } from "../protocol/memory-bus.js";
import { testBus } from "./test-bus.js";

describe("memoryBus passes the suite for buses: it", () => {
  for (const { label, run } of testBus("memoryBus", memoryBus)) test(label, run);
});

/** Milliseconds that an event is waited for which a wrong bus never brings. A right one is not waited for, and the machine may be busy. */
const [HASTY, PATIENT] = [500, 10_000];

/** The labels of the cases that a bus fails. */
async function failing(create: () => Bus, timeoutMs = PATIENT): Promise<string[]> {
  const cases = testBus("it", create, { timeoutMs, quietMs: 10 });
  const verdicts = cases.map(async ({ label, run }) => {
    try {
      await run();
      return [];
    } catch {
      return [label.replace("it ", "")];
    }
  });
  return (await Promise.all(verdicts)).flat();
}

/** A bus that sends on what a change of each published event gives. */
function publishing(change: (bus: Bus, address: string, event: CallEvent) => void): () => Bus {
  return () => {
    const bus = memoryBus();
    return { ...bus, publish: (address, event) => change(bus, address, event) };
  };
}

describe("the suite for buses", () => {
  test("has no failing case for a right bus, also one that is made later", async () => {
    expect(await failing(memoryBus)).toEqual([]);
    const cases = testBus("it", () => Promise.resolve(memoryBus()));
    await Promise.all(cases.map(({ run }) => run()));
  });

  test("has no failing case for a bus that makes JSON of everything and takes its time", async () => {
    const slow = publishing((bus, address, event) => {
      const text = JSON.stringify(event);
      setTimeout(() => bus.publish(address, JSON.parse(text)), 1);
    });
    expect(await failing(slow)).toEqual([]);
  });

  test("has labels of their own for its cases, with the name of the bus", () => {
    const labels = testBus("natsBus", memoryBus).map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels.every((label) => label.startsWith("natsBus "))).toBe(true);
  });

  test("closes each bus that it makes", async () => {
    let open = 0;
    const counted = () => {
      const bus = memoryBus();
      let closed = false;
      open += 1;
      const close = () => {
        if (!closed) open -= 1;
        closed = true;
        return bus.close();
      };
      return { ...bus, close };
    };
    await failing(counted);
    expect(open).toBe(0);
  });
});

describe("the suite finds a bus that", () => {
  test("delivers twice", async () => {
    const twice = publishing((bus, address, event) => {
      bus.publish(address, event);
      bus.publish(address, event);
    });
    expect(await failing(twice)).toContain("delivers once");
  });

  test("loses the order", async () => {
    const reversed = () => {
      const bus = memoryBus();
      const stack: (() => void)[] = [];
      const publish = (address: string, event: CallEvent) => {
        if (stack.length === 0)
          setTimeout(() =>
            stack
              .splice(0)
              .reverse()
              .map((send) => send()),
          );
        stack.push(() => bus.publish(address, event));
      };
      return { ...bus, publish };
    };
    const labels = await failing(reversed, HASTY);
    expect(labels).toContain("keeps the order of what one publisher sends to one address");
    expect(labels).toContain("brings the values of a subscription in order, and their end");
  });

  test("delivers inside publish", async () => {
    const immediate = () => {
      const listeners = new Map<string, Set<BusListener>>();
      const bus: Bus = {
        publish: (address, event) => listeners.get(address)?.forEach((listener) => void listener(event)),
        subscribe: (address, listener) => {
          listeners.set(address, (listeners.get(address) ?? new Set()).add(listener));
          return () => listeners.get(address)?.delete(listener);
        },
        close: async () => listeners.clear(),
      };
      return bus;
    };
    expect(await failing(immediate)).toContain("delivers nothing inside publish");
  });

  test("loses events", async () => {
    let published = 0;
    const lossy = publishing((bus, address, event) => {
      published += 1;
      if (published % 10 !== 0) bus.publish(address, event);
    });
    expect((await failing(lossy, HASTY)).length).toBeGreaterThan(0);
  });

  test("loses a field", async () => {
    const forgetful = publishing((bus, address, { ...event }) => {
      if (event.type === "call.error") delete (event as { retryAfterMs?: number }).retryAfterMs;
      bus.publish(address, event);
    });
    expect(await failing(forgetful)).toEqual(["carries every kind of event whole", "brings every field of an error"]);
  });

  test("delivers to every address", async () => {
    const deaf = () => {
      const bus = memoryBus();
      const bare = (address: string) => (/^test\w+\.[ab]$/.test(address) ? "everywhere" : address);
      const subscribe: Bus["subscribe"] = (address, ...rest) => bus.subscribe(bare(address), ...rest);
      return { ...bus, subscribe, publish: (address: string, event: CallEvent) => bus.publish(bare(address), event) };
    };
    expect(await failing(deaf)).toContain("delivers to the listeners of the address and to no others");
  });

  test("does not know groups", async () => {
    const crowd = () => {
      const bus = memoryBus();
      return { ...bus, subscribe: (address: string, listener: BusListener) => bus.subscribe(address, listener) };
    };
    expect(await failing(crowd)).toEqual(["delivers to one listener of each group"]);
  });

  test("lets a listener that throws stop the others", async () => {
    const fragile = () => {
      const bus = memoryBus();
      let broken = false;
      const subscribe: Bus["subscribe"] = (address, listener, options) =>
        bus.subscribe(
          address,
          (event) => {
            if (broken) return;
            broken = true;
            listener(event);
            broken = false;
          },
          options,
        );
      return { ...bus, subscribe };
    };
    expect(await failing(fragile, HASTY)).toEqual(["lets a listener that throws hurt nobody"]);
  });

  test("does not let a listener leave", async () => {
    const clingy = () => {
      const bus = memoryBus();
      const subscribe: Bus["subscribe"] = (...given) => {
        bus.subscribe(...given);
        return () => {};
      };
      return { ...bus, subscribe };
    };
    expect(await failing(clingy)).toContain("delivers nothing to a listener that has left");
  });

  test("goes on after close", async () => {
    const undead = () => ({ ...memoryBus(), close: async () => {} });
    expect(await failing(undead)).toEqual(["delivers nothing once it is closed, and ignores what is published"]);
  });
});
