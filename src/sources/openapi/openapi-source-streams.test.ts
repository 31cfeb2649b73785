import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { failureOf, httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, type Mounted, mounted, ok, tidyUp } from "./fixtures/mounted.js";

tidyUp();

const EVENTS = "text/event-stream";
const LINES = "application/x-ndjson";
const ITEM = { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false };

interface Streaming extends Mounted {
  /** The answers that the server has begun. */
  readonly responses: readonly ServerResponse[];
}

/** One operation, `a`, that answers in this type. */
async function api(type: string, answer: (response: ServerResponse) => void, more: object = {}): Promise<Streaming> {
  const responses: ServerResponse[] = [];
  const { url } = await httpServer((_, response) => {
    responses.push(response);
    response.setHeader("content-type", type);
    answer(response);
  });
  const operation = { operationId: "a", responses: { 200: ok(ITEM, type) } };
  const document = documentWith({ "GET /a": { ...operation, ...more } });
  return { ...(await mounted({ document, baseUrl: url })), responses };
}

async function all(values: AsyncIterable<ResponseEnvelope>): Promise<unknown[]> {
  const data: unknown[] = [];
  for await (const envelope of values) data.push(envelope.data);
  return data;
}

describe("a subscription", () => {
  test.each([
    [EVENTS, 'data: {"n": 1}\n\nevent: more\nid: 7\ndata: {"n": "2"}\n\n'],
    [LINES, '{"n": 1}\n{"n": "2"}'],
    ["application/json-seq", '\u001e{"n": 1}\n\u001e{"n": "2"}\n'],
  ])("of %s gives one value after the other, each fitted to its schema", async (type, text) => {
    const { values, spec } = await api(type, (response) => response.end(text));
    expect(spec("a")).toMatchObject({ type: "subscription", outputSchema: ITEM });
    const found: ResponseEnvelope[] = [];
    for await (const envelope of values("a")) found.push(envelope);
    expect(found.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(found.map(({ meta }) => meta.warnings?.map(({ code }) => code))).toEqual([undefined, ["OUTPUT_CONVERTED"]]);
  });

  test("asks for a stream before all else", async () => {
    const { values, responses } = await api(EVENTS, (response) => response.end());
    expect(await all(values("a"))).toEqual([]);
    expect(responses[0]?.req.headers.accept).toMatch(/^text\/event-stream/);
  });

  test("gives what an event says of itself", async () => {
    const { values } = await api(EVENTS, (response) => response.end('event: more\nid: 7\ndata: {"n": 2}\n\n'));
    for await (const { meta } of values("a")) expect(meta.extra).toEqual({ sse: { event: "more", id: "7" } });
  });

  test("gives events that are no JSON as texts, unless their schema says otherwise", async () => {
    const text = "data: 5\n\ndata: hello\n\ndata: [DONE]\n\n";
    const untold = await api(EVENTS, (response) => response.end(text), {
      responses: { 200: ok({ type: "string" }, EVENTS) },
    });
    expect(await all(untold.values("a"))).toEqual(["5", "hello"]);
    const told = await api(EVENTS, (response) => response.end(text), {
      responses: { 200: ok({ type: "integer" }, EVENTS) },
    });
    expect(await all(told.values("a"))).toEqual([5, "hello"]);
  });

  test("ends its request when its reader leaves", async () => {
    const { values, responses } = await api(EVENTS, (response) => response.write('data: {"n": 1}\n\n'));
    for await (const { data } of values("a")) {
      expect(data).toEqual({ n: 1 });
      break;
    }
    await once(responses[0] as ServerResponse, "close");
  });

  test("ends its request when its reader leaves while nothing comes", async () => {
    const { values, responses } = await api(EVENTS, (response) => response.write('data: {"n": 1}\n\n'));
    const iterator = values("a");
    await iterator.next();
    const waiting = iterator.next();
    await iterator.return(undefined);
    expect(await waiting).toMatchObject({ done: true });
    await once(responses[0] as ServerResponse, "close");
  });

  test("ends when its caller gives up", async () => {
    const { values, responses } = await api(EVENTS, (response) => response.write('data: {"n": 1}\n\n'));
    const controller = new AbortController();
    const iterator = values("a", {}, { signal: controller.signal });
    await iterator.next();
    const waiting = failureOf(iterator.next());
    controller.abort();
    expect((await waiting).category).toBe("aborted");
    if (responses[0]?.destroyed === false) await once(responses[0], "close");
  });

  test("ends at its deadline", async () => {
    const { values, responses } = await api(EVENTS, (response) => response.write('data: {"n": 1}\n\n'));
    const iterator = values("a", {}, { deadline: Date.now() + 80 });
    await iterator.next();
    expect((await failureOf(iterator.next())).category).toBe("timeout");
    if (responses[0]?.destroyed === false) await once(responses[0], "close");
  });

  test("ends with the source", async () => {
    const { values, source, responses } = await api(LINES, (response) => response.write('{"n": 1}\n'));
    const iterator = values("a");
    await iterator.next();
    const waiting = failureOf(iterator.next());
    await source.close();
    expect((await waiting).category).toBe("unavailable");
    if (responses[0]?.destroyed === false) await once(responses[0], "close");
  });

  test("that is cut fails after the values that came, and is not begun anew", async () => {
    const { values, responses } = await api(LINES, (response) => {
      response.write('{"n": 1}\n', () => response.destroy());
    });
    const iterator = values("a");
    expect(await iterator.next()).toMatchObject({ value: { data: { n: 1 } } });
    expect((await failureOf(iterator.next())).category).toBe("unavailable");
    expect(responses).toHaveLength(1);
  });

  test("that is refused fails as a call does", async () => {
    const { values } = await api(
      "application/json",
      (response) => {
        response.writeHead(404).end('{"message": "no such thing"}');
      },
      { responses: { 200: ok(ITEM, EVENTS) } },
    );
    expect(await failureOf(all(values("a")))).toMatchObject({ category: "not_found" });
  });

  test("that is answered at once is one value", async () => {
    const { values } = await api("application/json", (response) => response.end('{"n": 1}'), {
      responses: { 200: ok(ITEM, EVENTS) },
    });
    expect(await all(values("a"))).toEqual([{ n: 1 }]);
  });

  test("of an operation that also answers at once has the schema of its values", async () => {
    const content = { "application/json": { schema: { type: "array", items: ITEM } }, [EVENTS]: { schema: ITEM } };
    const { spec, values } = await api(EVENTS, (response) => response.end('data: {"n": 1, "x": 2}\n\n'), {
      responses: { 200: { description: "", content } },
    });
    expect(spec("a").outputSchema).toMatchObject({ type: "array" });
    expect(spec("a_stream").outputSchema).toEqual(ITEM);
    expect(await all(values("a_stream"))).toEqual([{ n: 1 }]);
  });
});

describe("a call that is answered in a stream", () => {
  const content = { "application/json": { schema: { type: "array", items: ITEM } }, [EVENTS]: { schema: ITEM } };
  const more = { responses: { 200: { description: "", content } } };

  test("gives the list of its values, each fitted to its schema", async () => {
    const { call } = await api(
      EVENTS,
      (response) => response.end('data: {"n": "1", "x": 0}\n\ndata: {"n": 2}\n\n'),
      more,
    );
    const { data, meta } = await call("a");
    expect(data).toEqual([{ n: 1 }, { n: 2 }]);
    expect(meta.warnings?.map(({ code, path }) => `${code} ${path}`)).toEqual([
      "OUTPUT_CONVERTED /0/n",
      "OUTPUT_STRIPPED /0/x",
    ]);
  });

  test("that fails within keeps the values that came", async () => {
    const { fail } = await api(LINES, (response) => response.end('{"n": 1}\n{"n": \n'), more);
    expect(await fail("a")).toMatchObject({ code: "INVALID_ANSWER", data: [{ n: 1 }] });
  });
});
