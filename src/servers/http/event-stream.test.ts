import fc from "fast-check";
import { expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { EventLogLimits } from "./event-log.js";
import { EventStreams } from "./event-streams.js";
import { EventPipe } from "./fixtures/event-pipe.js";
import { settle } from "./fixtures/stream-stage.js";
import { ValueTap } from "./fixtures/value-tap.js";

const step = fc.oneof(
  fc.record({ does: fc.constant("give" as const), values: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ does: fc.constant("deliver" as const), characters: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ does: fc.constant("connect" as const), capacity: fc.constantFrom(0, 30, 100, 1e6) }),
  fc.record({ does: fc.constant("turn" as const), times: fc.integer({ min: 1, max: 6 }) }),
  fc.constant({ does: "settle" as const }),
  fc.constant({ does: "cut" as const }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A client that comes back as often as it must, until it has seen the last event or has heard of a gap. */
class Client {
  readonly numbers: number[] = [];
  readonly values: unknown[] = [];
  readonly endings: string[] = [];
  hasGap = false;
  readonly #streams: EventStreams;
  readonly #tap: ValueTap;
  readonly #id: string;
  #pipe: EventPipe;
  #seen = 0;

  constructor(streams: EventStreams, tap: ValueTap, capacity: number) {
    this.#streams = streams;
    this.#tap = tap;
    this.#pipe = new EventPipe(capacity);
    streams.open(tap)(this.#pipe);
    this.#pipe.deliver();
    this.#id = this.#pipe.streamId;
  }

  get isDone(): boolean {
    return this.endings.length > 0 || this.hasGap;
  }

  get isConnected(): boolean {
    return !this.#pipe.isCut;
  }

  cut(): void {
    this.#pipe.cut();
  }

  connect(capacity: number): void {
    const start = this.#streams.resume(`${this.#id}:${this.numbers.length}`, undefined, this.#tap.operationId);
    if (typeof start === "function") {
      this.#seen = 0;
      this.#pipe = new EventPipe(capacity);
      start(this.#pipe);
    } else if (start === "complete") {
      this.#pipe.cut();
      this.endings.push("end");
    } else {
      expect(start.code).toBe("STREAM_GAP");
      this.hasGap = true;
    }
  }

  deliver(characters?: number): void {
    this.#pipe.deliver(characters);
    for (const { event, id, data } of this.#pipe.events.slice(this.#seen)) {
      this.#seen += 1;
      if (event !== "value") this.endings.push(event);
      else {
        this.numbers.push(Number(id?.split(":")[1]));
        this.values.push(JSON.parse(data));
      }
    }
  }
}

async function act(one: Step, tap: ValueTap, client: Client, given: number[]): Promise<void> {
  if (one.does === "give") {
    const values = Array.from({ length: one.values }, (_, at) => given.length + at + 1);
    given.push(...values);
    tap.give(...values);
  } else if (one.does === "deliver") client.deliver(one.characters);
  else if (one.does === "connect") client.connect(one.capacity);
  else if (one.does === "cut") client.cut();
  else if (one.does === "turn") for (let at = 0; at < one.times; at++) await Promise.resolve();
  else await settle();
}

async function play(steps: readonly Step[], fails: boolean, limits: EventLogLimits) {
  const streams = new EventStreams({ resumeMs: 60_000, maxHeld: 10, keepAliveMs: 0, ...limits });
  const tap = new ValueTap();
  const given: number[] = [];
  const client = new Client(streams, tap, 100);
  for (const one of steps) if (!client.isDone) await act(one, tap, client, given);
  if (fails) tap.fail(new CallError({ category: "internal", message: "Broken." }));
  else tap.finish();
  // Each round brings a value at least, or the end.
  for (let round = 0; round < given.length + 5 && !client.isDone; round++) {
    if (!client.isConnected) client.connect(50);
    await settle();
    client.deliver();
  }
  await streams.close();
  return { client, given, tap };
}

const script = fc.array(step, { maxLength: 60 });

test("whatever happens to its connections, a client gets every value once, in order, and the end", async () => {
  await fc.assert(
    fc.asyncProperty(script, fc.boolean(), async (steps, fails) => {
      const { client, given, tap } = await play(steps, fails, { bufferEvents: 1000, bufferBytes: 1e6 });
      expect(client.numbers).toEqual(given);
      expect(client.values).toEqual(given);
      expect(client.endings).toEqual([fails ? "failure" : "end"]);
      expect(tap.askedTwice).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test("where little is kept, a client misses nothing without being told", async () => {
  const limits = fc.record({
    bufferEvents: fc.integer({ min: 0, max: 4 }),
    bufferBytes: fc.integer({ min: 0, max: 300 }),
  });
  await fc.assert(
    fc.asyncProperty(script, limits, async (steps, tight) => {
      const { client, given, tap } = await play(steps, false, tight);
      expect(client.numbers).toEqual(given.slice(0, client.numbers.length));
      expect(client.values).toEqual(client.numbers);
      if (!client.hasGap) expect(client.numbers).toEqual(given);
      expect(client.isDone).toBe(true);
      expect(tap.askedTwice).toBe(0);
    }),
    { numRuns: 300 },
  );
});
