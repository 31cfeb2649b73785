import { afterEach, describe, expect, test } from "vitest";
import { registryOf } from "../../registry/fixtures/operations.js";
import { type ClientOptions, type Connection, connect, WAYS } from "./fixtures/clients.js";
import type { McpServerOptions } from "./options.js";

const open: Connection[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});

const TRACE = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=1,b=2" };
const OTHER = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };

/** Calls with logging are answered by the SDK, all others beside it. */
const LANES = [
  { lane: "beside the SDK", capabilities: {} },
  { lane: "through the SDK", capabilities: { logging: {} } },
];
const ALL = WAYS.flatMap((way) => LANES.map((lane) => ({ ...way, ...lane })));

type Call = (meta?: Record<string, unknown>) => Promise<unknown>;

/** Calls a handler that gives back what it is told of its trace. */
async function caller(
  { carrier, era, capabilities }: (typeof ALL)[number],
  headers: ClientOptions["headers"] = {},
): Promise<Call> {
  const registry = registryOf((_, { metadata = {} }) => {
    const { traceparent, tracestate } = metadata;
    return { traceparent, tracestate };
  });
  const options: McpServerOptions = { registry, capabilities };
  const connection = await connect(options, { carrier, era, headers });
  open.push(connection);
  return async (_meta = {}) => {
    const { structuredContent } = await connection.client.callTool({ name: "test_run", arguments: {}, _meta });
    return structuredContent;
  };
}

describe.each(ALL)("a call over $carrier in the $era era, $lane", (way) => {
  test("goes on in the trace that its message names", async () => {
    const call = await caller(way);
    expect(await call(TRACE)).toEqual(TRACE);
    expect(await call(OTHER)).toEqual(OTHER);
  });

  test("belongs to no trace where it names none that is sound", async () => {
    const call = await caller(way);
    for (const meta of [undefined, { traceparent: "nonsense" }, { traceparent: 5 }, { tracestate: "a=1" }])
      expect(await call(meta)).toEqual({});
  });
});

describe.each(ALL.filter(({ carrier }) => carrier === "http"))("a request in the $era era, $lane", (way) => {
  test("names the trace of its call, unless the message names another", async () => {
    const call = await caller(way, OTHER);
    expect(await call()).toEqual(OTHER);
    expect(await call(TRACE)).toEqual(TRACE);
  });
});
