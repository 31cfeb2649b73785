import { afterEach, describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import { mcpEnvelope } from "../../envelope/response-envelope.js";
import type { JsonRecord } from "../../json/value.js";
import type { HandlerContext } from "../../registry/context.js";
import { operation } from "../../registry/fixtures/operations.js";
import type { OperationSpec } from "../../registry/operation.js";
import { OperationRegistry } from "../../registry/registry.js";
import { callMessage, MODERN_META, modernHeaders, post, RawLine } from "./fixtures/clients.js";
import { ROWS } from "./fixtures/tools.js";
import { serveMcpHttp, serveMcpStdio } from "./index.js";
import type { McpLayout } from "./options.js";

const blocks = [
  { type: "hologram", depth: 3 },
  { type: "text", text: "hi", vendor: 1 },
] as never[];

const subscription: Partial<OperationSpec> = { name: "values", type: "subscription" };

const registry = new OperationRegistry().registerAll([
  operation(({ rows }) => ({ rows }), { name: "rows", outputSchema: ROWS }),
  operation(() => "text", { name: "text" }),
  operation(
    (_input, { warn, link }: HandlerContext) => {
      warn("careful");
      link({ uri: "demo://1", name: "one" });
      return { a: 1 };
    },
    { name: "hints" },
  ),
  operation(
    () => {
      throw new CallError({ category: "conflict", message: "locked", data: { by: "bob" } });
    },
    { name: "fails" },
  ),
  operation(() => mcpEnvelope(blocks, { isError: false, content: blocks, _meta: { "vendor/a": 1 } }), {
    name: "blocks",
  }),
  operation(() => ({ big: 12n }), { name: "big" }),
  operation(
    () => {
      const inputRequests = { roots: { method: "roots/list" } };
      throw new CallError({ category: "execution", code: "INPUT_REQUIRED", message: "?", details: { inputRequests } });
    },
    { name: "asks" },
  ),
  operation(async function* () {
    yield 1;
    yield 2;
  }, subscription),
]) as unknown as OperationRegistry;

/** Calls, and whether the short way answers them. */
const CALLS: readonly [name: string, args: JsonRecord][] = [
  ["rows", { rows: [1] }],
  ["rows", { rows: "none" }],
  ["rows", {}],
  ["text", {}],
  ["hints", {}],
  ["fails", {}],
  ["blocks", {}],
  ["big", {}],
  ["values", {}],
  ["asks", {}],
  ["nope", {}],
];

const LAYOUTS: readonly McpLayout[] = ["plain", "tool-response", "tool-envelope-v1"];

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

/** Two answers to the same call, as they came. */
interface Answers {
  readonly short: string;
  readonly long: string;
}

/** What the SDK writes begins otherwise; only so can it be told who answered. */
function expectSame({ short, long }: Answers): void {
  expect(short.startsWith('{"jsonrpc":"2.0","id"')).toBe(true);
  expect(long.startsWith('{"result":') || long.includes('"error":')).toBe(true);
  const { id: _short, ...first } = JSON.parse(short);
  const { id: _long, ...second } = JSON.parse(long);
  // Plico's words for a client that cannot answer are its own.
  for (const { error } of [first, second]) if (error?.code === -32021) error.message = "";
  expect(withoutTime(first)).toEqual(withoutTime(second));
}

/** A block of tool-envelope-v1 says when it was made. */
function withoutTime(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message).replaceAll(/__ENVELOPE_V1__:[\w+/=]+/g, "block"));
}

describe.each(LAYOUTS)("with the layout %s, a clean call is answered as the SDK answers it", (layout) => {
  const options = { registry, layout, toolNames: "bare", budget: 200 } as const;

  test.each(CALLS)("over stdio before 2026: %s %j", async (name, args) => {
    const line = new RawLine();
    const server = serveMcpStdio({ ...options, stdin: line.pipes.stdin, stdout: line.pipes.stdout });
    ends.push(() => server.close());
    // What can be asked at all is handed over to the SDK.
    await line.greet(name === "asks" ? {} : { elicitation: {} });
    await line.request(callMessage(1, name, args));
    // A call as a task is left to the SDK.
    const { params, ...others } = callMessage(2, name, args);
    await line.request({ ...others, params: { ...(params as object), task: {} } });
    const [short = "", long = ""] = line.lines.slice(-2);
    expectSame({ short, long });
  });

  test.each(CALLS)("over stdio from 2026 on: %s %j", async (name, args) => {
    const line = new RawLine();
    const server = serveMcpStdio({ ...options, stdin: line.pipes.stdin, stdout: line.pipes.stdout });
    ends.push(() => server.close());
    await line.request(callMessage(1, name, args, MODERN_META));
    const meta = { ...MODERN_META, "io.modelcontextprotocol/logLevel": "debug" };
    await line.request(callMessage(2, name, args, meta));
    const [short = "", long = ""] = line.lines;
    expectSame({ short, long });
  });

  test.each(CALLS)("over HTTP before 2026: %s %j", async (name, args) => {
    const server = await serveMcpHttp(options);
    ends.push(() => server.close());
    const short = await post(server.url, callMessage(1, name, args));
    expect(short.headers.get("content-type")).toBe("application/json");
    const long = await post(server.url, [callMessage(2, name, args)]);
    expect(long.headers.get("content-type")).toBe("text/event-stream");
    const [data = ""] = long.text.match(/(?<=^data: ).+$/m) ?? [];
    expectSame({ short: short.text, long: data });
  });

  test.each(CALLS)("over HTTP from 2026 on: %s %j", async (name, args) => {
    const server = await serveMcpHttp(options);
    ends.push(() => server.close());
    const headers = modernHeaders(name);
    const short = await post(server.url, callMessage(1, name, args, MODERN_META), { headers });
    const packed = { ...headers, "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=` };
    const long = await post(server.url, callMessage(2, name, args, MODERN_META), { headers: packed });
    expect(short.status).toBe(long.status);
    expectSame({ short: short.text, long: long.text });
  });
});
