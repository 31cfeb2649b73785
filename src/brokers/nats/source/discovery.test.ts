import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { NatsClient, NatsMessage, NatsSubscribeOptions } from "../nats-client.js";
import { serviceMetadata } from "../sighting.js";
import { Discovery } from "./discovery.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server with so many workers, all with the same catalog, that counts how often they are asked who they are. */
function serverWith(workers: number): { readonly connection: NatsClient; readonly looks: () => number } {
  let looks = 0;
  const callbacks: NonNullable<NatsSubscribeOptions["callback"]>[] = [];
  const answer = (at: number): NatsMessage => {
    const metadata = serviceMetadata("plico", "same", 1);
    const text = JSON.stringify({ name: "fleet", id: `w${at}`, version: "1.0.0", metadata });
    return { subject: "inbox.all", data: Buffer.from(text), string: () => text };
  };
  const connection: NatsClient = {
    publish(subject) {
      if (subject !== "$SRV.PING") return;
      looks += 1;
      for (let at = 0; at < workers; at += 1) callbacks[0]?.(null, answer(at));
    },
    subscribe(_, { callback = () => {} } = {}) {
      callbacks.push(callback);
      return { unsubscribe() {}, drain: async () => {} };
    },
    flush: async () => {},
    async *status() {},
    closed: () => new Promise(() => {}),
    isClosed: () => false,
  };
  return { connection, looks: () => looks };
}

/** How often a caller looks in half a minute in which all its calls have trouble. */
async function looksInTrouble(workers: number): Promise<number> {
  const { connection, looks } = serverWith(workers);
  const discovery = new Discovery({
    ...{ connection, prefix: "plico", inbox: "inbox", discoverMs: 1000, refreshMs: 60_000 },
    isConnected: () => true,
    fetchCatalog: async () => ({}),
    onDeparted: () => {},
    onChange: () => {},
    onError: () => {},
  });
  discovery.open();
  const first = discovery.refresh();
  await vi.advanceTimersByTimeAsync(2000);
  await first;
  const before = looks();
  for (let second = 0; second < 30; second += 1) {
    discovery.soonAfterTrouble();
    await vi.advanceTimersByTimeAsync(1000);
  }
  discovery.close();
  return looks() - before;
}

test("looks again soon after trouble where few workers answer", async () => {
  expect(await looksInTrouble(3)).toBeGreaterThanOrEqual(4);
});

test("does not look all the time in trouble that lasts, where many workers answer", async () => {
  expect(await looksInTrouble(1000)).toBe(0);
});
