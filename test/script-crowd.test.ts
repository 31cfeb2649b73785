import { describe, expect, test } from "vitest";
import { watchResources } from "./left-behind.js";
import { markProcesses } from "./marked-processes.js";
import { type Ending, openScript } from "./script-trial.js";

const PATIENCE = { timeout: 60_000 };
const assertNothingLeft = watchResources();

/** Prints the line that it reads, and does not end at once. */
const ECHO = 'read -r line; printf %s "$line"; exec sleep 0.005';

/** Numbers from 0 to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** The most that was seen of something while work was done. */
async function most(look: () => number, work: () => Promise<unknown>): Promise<number> {
  let seen = 0;
  const timer = setInterval(() => {
    seen = Math.max(seen, look());
  }, 5);
  await work();
  clearInterval(timer);
  return seen;
}

function codeOf(end: Ending): string {
  return "error" in end ? end.error.code : "";
}

describe("many calls at once", () => {
  test.each([1, 2])("each end once, with their own, though half are aborted (seed %i)", PATIENCE, async (seed) => {
    const random = randomNumbers(seed);
    const mark = markProcesses();
    const limits = { inputAs: "stdin", concurrency: 4, maxQueue: 500, graceMs: 300, env: mark.env } as const;
    const { source, call } = await openScript({ command: ["sh", "-c", ECHO], ...limits });
    const plans = Array.from({ length: 500 }, (_, at) => ({
      at,
      abortAt: random() < 0.5 ? random() * 1_000 : undefined,
    }));
    const ends: Ending[] = [];
    const start = async ({ at, abortAt }: (typeof plans)[number]): Promise<void> => {
      const controller = new AbortController();
      const timer = abortAt === undefined ? undefined : setTimeout(() => controller.abort(), abortAt);
      const end = await call({ at }, { signal: controller.signal });
      clearTimeout(timer);
      ends.push(end);
      if ("error" in end)
        expect({ code: end.error.code, abortAt }).toEqual({ code: "ABORTED", abortAt: expect.any(Number) });
      else expect(end.envelope.data).toEqual({ at });
    };
    let mostWaiting = 0;
    const mostRunning = await most(
      () => {
        const { running, waiting } = source.health();
        mostWaiting = Math.max(mostWaiting, waiting);
        return running;
      },
      () => Promise.all(plans.map(start)),
    );
    expect(ends).toHaveLength(500);
    expect(ends.filter((end) => "envelope" in end).length).toBeGreaterThanOrEqual(
      plans.filter(({ abortAt }) => abortAt === undefined).length,
    );
    expect(ends.some((end) => "error" in end)).toBe(true);
    expect(mostRunning).toBeLessThanOrEqual(4);
    expect(mostWaiting).toBeLessThanOrEqual(496);
    await source.close();
    expect(source.health()).toMatchObject({ running: 0, waiting: 0 });
    expect(mark.alive()).toEqual([]);
  });

  test("never have more programs than allowed, also while stubborn ones are being ended", PATIENCE, async () => {
    const mark = markProcesses();
    const limits = { concurrency: 2, timeout: 100, graceMs: 400, env: mark.env };
    const { source, call } = await openScript({ command: ["sh", "-c", "trap '' TERM; exec sleep 60"], ...limits });
    const ends: Ending[] = [];
    const seen = await most(
      () => mark.alive().length,
      async () => ends.push(...(await Promise.all(Array.from({ length: 6 }, () => call())))),
    );
    expect(ends.map(codeOf)).toEqual(Array.from({ length: 6 }, () => "TIMEOUT"));
    expect(seen).toBe(2);
    await source.close();
    expect(mark.alive()).toEqual([]);
  });

  test("are refused where too many wait, and are taken again later", async () => {
    const { source, call } = await openScript({ command: ["sleep", "0.1"], concurrency: 1, maxQueue: 5 });
    const ends = await Promise.all(Array.from({ length: 10 }, () => call()));
    expect(ends.map(codeOf)).toEqual([...Array(6).fill(""), ...Array(4).fill("QUEUE_FULL")]);
    expect(ends[9]).toMatchObject({ error: { category: "unavailable", recoverable: true } });
    expect(codeOf(await call())).toBe("");
    await source.close();
  });

  test("that are aborted while they wait make room for others, and start no program", async () => {
    const mark = markProcesses();
    const limits = { concurrency: 1, maxQueue: 3, env: mark.env };
    const { source, call } = await openScript({ command: ["sleep", "0.3"], ...limits });
    const first = call();
    const controller = new AbortController();
    const waiting = Array.from({ length: 3 }, () => call({}, { signal: controller.signal }));
    await expect.poll(() => [mark.alive().length, source.health().waiting]).toEqual([1, 3]);
    controller.abort();
    expect((await Promise.all(waiting)).map(codeOf)).toEqual(["ABORTED", "ABORTED", "ABORTED"]);
    expect(source.health()).toMatchObject({ running: 1, waiting: 0 });
    expect(mark.alive()).toHaveLength(1);
    expect((await Promise.all(Array.from({ length: 3 }, () => call()))).map(codeOf)).toEqual(["", "", ""]);
    expect(codeOf(await first)).toBe("");
    await source.close();
  });

  test("that are aborted before they begin start no program", async () => {
    const mark = markProcesses();
    const { source, call } = await openScript({ command: ["sleep", "60"], env: mark.env });
    expect(codeOf(await call({}, { signal: AbortSignal.abort() }))).toBe("ABORTED");
    expect(codeOf(await call({}, { deadline: Date.now() - 1 }))).toBe("TIMEOUT");
    expect(mark.alive()).toEqual([]);
    await source.close();
  });

  test("run out of their time while they wait", async () => {
    const { source, call } = await openScript({ command: ["sleep", "0.5"], concurrency: 1 });
    const first = call();
    expect(codeOf(await call({}, { deadline: Date.now() + 50 }))).toBe("TIMEOUT");
    expect(codeOf(await first)).toBe("");
    await source.close();
  });

  test("all end when the source is closed, those that run and those that wait", PATIENCE, async () => {
    const mark = markProcesses();
    const limits = { concurrency: 3, graceMs: 200, env: mark.env };
    const { source, call } = await openScript({ command: ["sh", "-c", "trap '' TERM; exec sleep 60"], ...limits });
    const calls = Array.from({ length: 20 }, () => call());
    await expect.poll(() => mark.alive().length, { interval: 10 }).toBe(3);
    await Promise.all([source.close(), source.close()]);
    expect(mark.alive()).toEqual([]);
    expect(new Set((await Promise.all(calls)).map(codeOf))).toEqual(new Set(["UNAVAILABLE"]));
    expect(codeOf(await call())).toBe("UNAVAILABLE");
    expect(source.health()).toMatchObject({ status: "closed", running: 0, waiting: 0 });
  });
});

test("nothing is left of all these programs", PATIENCE, assertNothingLeft);
