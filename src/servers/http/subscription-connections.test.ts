import { describe, expect, test, vi } from "vitest";
import { read } from "../../index.js";
import { EventClient } from "./fixtures/event-client.js";
import { Moment } from "./fixtures/moments.js";
import { served } from "./fixtures/served.js";
import { counting, subscription } from "./fixtures/subscriptions.js";

const numbers = (client: EventClient): unknown[] =>
  client.dataOf("value").map((document) => {
    const reading = read(document);
    return reading.kind === "outcome" && reading.outcome.ok ? reading.outcome.data : document;
  });

describe("a stream that is cut", () => {
  test("goes on where it was", async () => {
    const { ticks, more, ended } = counting();
    const { url } = await served([ticks]);
    const path = `${url}/operations/test.run`;
    const first = await EventClient.open(path, { method: "POST", body: {} });
    more(3);
    await first.got(3);
    first.cut();
    more(2);
    const second = await EventClient.open(path, { headers: { "last-event-id": first.lastId.replace(/\d+$/, "2") } });
    await second.got(3);
    expect(numbers(second)).toEqual([3, 4, 5]);
    expect(second.events.map(({ id }) => id?.split(":")[1])).toEqual(["3", "4", "5"]);
    expect(ended.hasCome).toBe(false);
  });

  test("goes on before it has sent anything", async () => {
    const { ticks, more } = counting();
    const { url } = await served([ticks]);
    const path = `${url}/operations/test.run`;
    const first = await EventClient.open(path);
    await first.until(({ text }) => text.includes(": open"));
    first.cut();
    const second = await EventClient.open(path, { headers: { "last-event-id": first.lastId } });
    more(1);
    await second.got(1);
    expect(numbers(second)).toEqual([1]);
  });

  test("is not for another caller, another operation, or nobody", async () => {
    const { ticks, more } = counting();
    const other = counting({ name: "other" });
    const { url } = await served([ticks, other.ticks], {
      authorize: ({ headers: { authorization } }) =>
        authorization === undefined ? undefined : { id: String(authorization), scopes: [] },
    });
    const path = `${url}/operations/test.run`;
    const first = await EventClient.open(path, { headers: { authorization: "ada" } });
    more(1);
    await first.got(1);
    first.cut();
    const ask = async (at: string, headers: Readonly<Record<string, string>>): Promise<number> => {
      const client = await EventClient.open(at, { headers: { "last-event-id": first.lastId, ...headers } });
      client.cut();
      return client.status;
    };
    expect(await ask(path, { authorization: "bob" })).toBe(404);
    expect(await ask(path, {})).toBe(404);
    expect(await ask(`${url}/operations/test.other`, { authorization: "ada" })).toBe(404);
    expect(await ask(path, { authorization: "ada", "last-event-id": "nonsense" })).toBe(404);
    expect(await ask(path, { authorization: "ada" })).toBe(200);
  });

  test("says where something was missed", async () => {
    const { ticks, more } = counting();
    const { url } = await served([ticks], { streams: { bufferEvents: 2 } });
    const path = `${url}/operations/test.run`;
    const first = await EventClient.open(path);
    more(10);
    await first.got(10);
    first.cut();
    const lastEventId = first.lastId.replace(/\d+$/, "1");
    const { status, text } = await (
      await EventClient.open(path, { headers: { "last-event-id": lastEventId } })
    ).closed();
    expect(status).toBe(409);
    expect(JSON.parse(text)).toMatchObject({ data: { error_code: "STREAM_GAP" } });
  });

  test("ends when nobody comes back in time", async () => {
    const { ticks, more, ended } = counting();
    const { url } = await served([ticks], { streams: { resumeMs: 30 } });
    const first = await EventClient.open(`${url}/operations/test.run`);
    more(1);
    await first.got(1);
    first.cut();
    await ended.come;
    const late = await EventClient.open(`${url}/operations/test.run`, { headers: { "last-event-id": first.lastId } });
    expect(late.status).toBe(404);
  });

  test("ends at once where it cannot be resumed", async () => {
    const { ticks, ended } = counting();
    const { url } = await served([ticks], { streams: { resumeMs: 0 } });
    const first = await EventClient.open(`${url}/operations/test.run`);
    first.cut();
    await ended.come;
  });

  test("ends before it has begun where its client did not wait for that", async () => {
    const asked = new Moment();
    const aborted = new Moment();
    const slow = subscription(async function* (_input, { signal }) {
      asked.now();
      signal.addEventListener("abort", () => aborted.now());
      yield await new Promise(() => {});
    });
    const { url } = await served([slow], { streams: { resumeMs: 0 } });
    const opened = EventClient.open(`${url}/operations/test.run`);
    await asked.come;
    (await opened).cut();
    await aborted.come;
  });
});

test("a client that does not read makes the server wait, and not pile up", async () => {
  let made = 0;
  const large = "x".repeat(64 * 1024);
  const flood = subscription(async function* () {
    for (; made < 100_000; made++) yield large;
  });
  const { url } = await served([flood], { streams: { resumeMs: 0, bufferBytes: 200_000 } });
  const client = await EventClient.open(`${url}/operations/test.run`);
  await client.got(1);
  client.pause();
  let before = -1;
  await vi.waitFor(
    () => {
      const isStill = made === before;
      before = made;
      expect(isStill).toBe(true);
    },
    { interval: 100, timeout: 10_000 },
  );
  expect(made * large.length).toBeLessThan(32 * 1024 * 1024);
  client.resume();
  await client.until(() => made > before);
  client.cut();
});

test("closing the server ends streams, whose clients are told why", async () => {
  const { ticks, more, ended } = counting();
  const { url, close } = await served([ticks]);
  const client = await EventClient.open(`${url}/operations/test.run`);
  more(1);
  await client.got(1);
  await close();
  await client.closed();
  await ended.come;
  expect(client.dataOf("failure")).toMatchObject([{ success: false, data: { error_type: "unavailable" } }]);
  expect(client.isEnded).toBe(true);
});
