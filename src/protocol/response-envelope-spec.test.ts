import { afterEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import { type MCPContentBlock, MCPContentBlockSchema } from "../envelope/content-block.js";
import {
  httpEnvelope,
  isResponseEnvelope,
  localEnvelope,
  mcpEnvelope,
  type ResponseEnvelope,
  ResponseEnvelopeSchema,
  unwrap,
} from "../envelope/response-envelope.js";
import { buildEnv, type OperationEnv } from "../registry/env.js";
import { failureOf, operation, registryOf, thrownBy } from "../registry/fixtures/operations.js";
import type { AnyHandler, OperationSpec } from "../registry/operation.js";
import { OperationRegistry } from "../registry/registry.js";
import { check } from "../schema/compile.js";
import { buildCallHandler } from "./call-handler.js";
import { CallEventSchema, CallEventSchemas } from "./event-schemas.js";
import type { CallEvent } from "./events.js";
import { gate } from "./fixtures/caller.js";
import { turns } from "./fixtures/peer.js";
import { memoryBus } from "./memory-bus.js";
import { PendingRequestMap } from "./pending-request-map.js";

// One test a rule of specs/response-envelope.md; "NOTES" in a title means that specs/NOTES.md decides it otherwise or
// in more detail. The rules of the MCP and OpenAPI adapters have their tests there.

const POINT = {
  type: "object",
  properties: { x: { type: "integer" }, label: { type: "string", default: "none" } },
  required: ["x"],
};

const RAW_VALUES = [undefined, null, 0, "", false, [], {}, { data: 1 }, { data: 1, meta: { source: "elsewhere" } }];

/** A caller and a worker with `test.run`, and all that they tell each other. */
function connect(handler: AnyHandler, over: Partial<OperationSpec> = {}) {
  const bus = memoryBus();
  const events: CallEvent[] = [];
  const tapped: typeof bus = {
    ...bus,
    publish(address, event) {
      events.push(event);
      bus.publish(address, event);
    },
  };
  const worker = buildCallHandler({ registry: registryOf(handler, over), bus: tapped });
  const answers = () => events.filter(({ type }) => type !== "call.requested");
  return { map: new PendingRequestMap({ bus: tapped }), worker, events, answers };
}

function toolFailure(data: unknown, text: string): ResponseEnvelope {
  return mcpEnvelope(data, { isError: true, content: [{ type: "text", text }] });
}

async function taken<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("Integration Points: OperationRegistry.execute()", () => {
  test("1. looks up spec and handler, and fails where either is missing", async () => {
    const registry = new OperationRegistry().registerSpec(operation(() => 1).spec);
    expect(await failureOf(registry.execute("test.other"))).toMatchObject({ code: "OPERATION_NOT_FOUND" });
    expect(await failureOf(registry.execute("test.run"))).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("2. validates input before the handler runs; NOTES: VALIDATION_ERROR is really raised", async () => {
    const handler = vi.fn();
    const error = await failureOf(registryOf(handler, { inputSchema: POINT }).execute("test.run", { x: "one" }));
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", category: "validation", issues: [{ path: "/x" }] });
    expect(handler).not.toHaveBeenCalled();
  });

  test("3. awaits the handler's result", async () => {
    const { opened, open } = gate<number>();
    const call = registryOf(() => opened).execute("test.run");
    open(3);
    expect(unwrap(await call)).toBe(3);
  });

  test("4. passes a result that is an envelope through; NOTES: by identity", async () => {
    const own = httpEnvelope([1], { statusCode: 200, headers: {}, contentType: "application/json" });
    expect(await registryOf(() => own).execute("test.run")).toBe(own);
  });

  test("5. wraps any other result in a local envelope", async () => {
    for (const value of RAW_VALUES) {
      const { data, meta } = await registryOf(() => value).execute("test.run");
      expect(data).toBe(value);
      expect(meta).toEqual({ source: "local", operationId: "test.run", timestamp: expect.any(Number) });
    }
  });

  test("6. validates envelope.data and only warns; NOTES: it checks, then normalises, then reports", async () => {
    const registry = registryOf(() => ({ x: "12", extra: 1 }), { outputSchema: POINT });
    const { data, meta } = await registry.execute("test.run");
    expect(data).toEqual({ x: 12, label: "none" });
    expect(meta.warnings?.map(({ code, path }) => `${code} ${path}`).sort()).toEqual([
      "OUTPUT_CONVERTED /x",
      "OUTPUT_FILLED /label",
      "OUTPUT_STRIPPED /extra",
    ]);
  });

  test("7. returns the envelope, as its type says", async () => {
    const registry = registryOf(() => 1);
    expectTypeOf(registry.execute("test.run")).resolves.toExtend<ResponseEnvelope>();
    expect(isResponseEnvelope(await registry.execute("test.run"))).toBe(true);
  });

  test("Note: does not ask whether the envelope's source matches the operation's origin", async () => {
    const foreign = localEnvelope(1, "somewhere.else");
    expect((await registryOf(() => foreign).execute("test.run")).meta).toMatchObject({ operationId: "somewhere.else" });
  });
});

describe("Integration Points: CallHandler", () => {
  test("handlers return values and publish nothing: there is one answer, the CallHandler's", async () => {
    const { map, answers } = connect(() => 5);
    await map.call("test.run");
    expect(answers()).toMatchObject([{ type: "call.responded", output: { data: 5 } }]);
  });

  test("1. looks up spec and handler", async () => {
    const { map } = connect(() => 1);
    expect(await failureOf(map.call("test.other"))).toMatchObject({ code: "OPERATION_NOT_FOUND" });
  });

  test("2. checks access, before the input; NOTES: without an identity it is ACCESS_DENIED", async () => {
    const { map } = connect(() => 1, { accessControl: { requiredScopes: ["a"] }, inputSchema: POINT });
    expect(await failureOf(map.call("test.run", "bad"))).toMatchObject({ code: "ACCESS_DENIED" });
    const identity = { id: "ada", scopes: ["a"] };
    expect(unwrap(await map.call("test.run", { x: 1 }, { identity }))).toBe(1);
  });

  test("3. validates input; NOTES: VALIDATION_ERROR reaches the caller with its issues", async () => {
    const { map } = connect(() => 1, { inputSchema: POINT });
    const error = await failureOf(map.call("test.run", {}));
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", issues: [{ path: "/x" }] });
  });

  test("4. calls the handler with the input and awaits its result", async () => {
    const { map } = connect(async (input) => [input]);
    expect(unwrap(await map.call("test.run", "in"))).toEqual(["in"]);
  });

  test("5. uses a result that is an envelope directly", async () => {
    const own = localEnvelope({ a: 1 }, "other.op");
    expect(await connect(() => own).map.call("test.run")).toBe(own);
  });

  test("6. wraps any other result in a local envelope", async () => {
    const { data, meta } = await connect(() => "raw").map.call("test.run");
    expect({ data, meta }).toMatchObject({ data: "raw", meta: { source: "local", operationId: "test.run" } });
  });

  test("7. validates envelope.data and only warns; NOTES: a missing value stays missing and is told", async () => {
    const { data, meta } = await connect(() => ({ label: "a" }), { outputSchema: POINT }).map.call("test.run");
    expect(data).toEqual({ label: "a" });
    expect(meta.warnings).toMatchObject([{ code: "OUTPUT_MISMATCH", path: "/x" }]);
  });

  test("8. publishes call.responded with the request's id and the envelope", async () => {
    const { map, answers } = connect(() => 1);
    const envelope = await map.call("test.run", null, { requestId: "r1" });
    expect(answers()).toEqual([{ type: "call.responded", requestId: "r1", output: envelope }]);
  });

  test("9. publishes call.error for what a handler throws", async () => {
    const { map, answers } = connect(() => Promise.reject(new Error("secret")));
    expect(await failureOf(map.call("test.run"))).toMatchObject({ code: "EXECUTION_ERROR" });
    expect(answers().map(({ type }) => type)).toEqual(["call.error"]);
    expect(JSON.stringify(answers())).not.toContain("secret");
  });

  test("9. Note: an envelope with meta.isError is no call.error; NOTES: it stays an envelope", async () => {
    const failed = toolFailure({ why: "full" }, "The disk is full.");
    const { map, answers } = connect(() => failed, { outputSchema: POINT });
    expect(await map.call("test.run")).toBe(failed);
    expect(failed.data).toEqual({ why: "full" });
    expect(answers().map(({ type }) => type)).toEqual(["call.responded"]);
  });
});

describe("Integration Points: PendingRequestMap", () => {
  test("respond() throws where the output is no envelope, and the call waits on", async () => {
    const { map } = connect(() => new Promise(() => {}));
    const call = map.call("test.run", null, { requestId: "r1" });
    for (const value of RAW_VALUES) {
      expect(thrownBy(() => map.respond("r1", value as never))).toMatchObject({ category: "internal" });
    }
    expect(map.getPendingCount()).toBe(1);
    map.respond("r1", localEnvelope(1, "test.run"));
    expect(unwrap(await call)).toBe(1);
  });

  test("respond() asks the type guard, not the whole schema", async () => {
    const { map } = connect(() => new Promise(() => {}));
    const call = map.call("test.run", null, { requestId: "r1" });
    const odd = { data: 1, meta: { source: "local", operationId: "a.b", timestamp: 1, summary: 5 } };
    expect(check(ResponseEnvelopeSchema, odd)).not.toEqual([]);
    map.respond("r1", odd as never);
    expect(await call).toBe(odd);
  });

  test("call() resolves with the envelope of call.responded.output", async () => {
    const { map, answers } = connect(() => 1);
    expectTypeOf(map.call("test.run")).resolves.toEqualTypeOf<ResponseEnvelope>();
    const envelope = await map.call("test.run", null, { requestId: "r2" });
    expect(answers().find(({ requestId }) => requestId === "r2")).toMatchObject({ output: envelope });
  });
});

describe("Integration Points: subscribe()", () => {
  const own = localEnvelope("own", "other.op");
  async function* values() {
    yield "raw";
    yield own;
    vi.setSystemTime(2000);
    yield undefined;
  }

  test.each([
    ["OperationRegistry", () => registryOf(values, { type: "subscription" }).subscribe("test.run"), undefined],
    ["PendingRequestMap", () => connect(values, { type: "subscription" }).map.subscribe("test.run"), null],
  ])("of %s wraps each raw value with a fresh timestamp and passes envelopes through", async (_, start, nothing) => {
    vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
    const [first, second, third, ...rest] = await taken<ResponseEnvelope>(start());
    expect(first).toMatchObject({ data: "raw", meta: { source: "local", operationId: "test.run", timestamp: 1000 } });
    expect(second).toBe(own);
    expect(third).toMatchObject({ data: nothing, meta: { timestamp: 2000 } });
    expect(rest).toEqual([]);
  });
});

describe("Integration Points: buildEnv()", () => {
  test("gives functions, each of which returns a promise of an envelope", async () => {
    const registry = registryOf(() => "inner");
    const outer = registryOf(async (_, context) => {
      const env = buildEnv({ registry, context }) as OperationEnv;
      return [await env["test"]?.["run"]?.()];
    });
    const { data } = await outer.execute("test.run");
    expect(data).toMatchObject([{ data: "inner", meta: { source: "local", operationId: "test.run" } }]);
  });
});

describe("Integration Points: CallEventSchema", () => {
  test("call.responded.output is an envelope and no other value", () => {
    const responded = (output: unknown) => ({ type: "call.responded", requestId: "1", output });
    for (const schema of [CallEventSchemas["call.responded"], CallEventSchema]) {
      expect(check(schema, responded(localEnvelope(1, "a.b")))).toEqual([]);
      for (const value of RAW_VALUES) expect(check(schema, responded(value))).not.toEqual([]);
    }
  });
});

describe("Integration Points: outputSchema and Validation", () => {
  const answerOf = (data: unknown, over: Partial<OperationSpec>) => registryOf(() => data, over).execute("test.run");

  test("outputSchema validates envelope.data, not the envelope", async () => {
    const own = localEnvelope({ x: 1, label: "a" }, "other.op");
    expect((await answerOf(own, { outputSchema: POINT })).meta.warnings).toBeUndefined();
  });

  test("1. warning validation tells a mismatch and throws nothing", async () => {
    const { data, meta } = await answerOf("no point", { outputSchema: POINT });
    expect(data).toBe("no point");
    expect(meta.warnings).toMatchObject([{ code: "OUTPUT_MISMATCH" }]);
  });

  test("2. data normalisation upcasts; NOTES: only without loss, and strips also what already checks", async () => {
    const { data, meta } = await answerOf({ x: "abc", label: "a" }, { outputSchema: POINT });
    expect(data).toEqual({ x: "abc", label: "a" });
    expect(meta.warnings).toMatchObject([{ code: "OUTPUT_MISMATCH", path: "/x" }]);
    expect((await answerOf({ x: 1, label: "a", more: 1 }, { outputSchema: POINT })).data).toEqual({ x: 1, label: "a" });
  });

  test('2. NOTES: output "cast" is the full cast, which fills empty values too and reports each', async () => {
    const { data, meta } = await answerOf({ x: "abc" }, { outputSchema: POINT, output: "cast" });
    expect(data).toEqual({ x: 0, label: "none" });
    expect(meta.warnings?.map(({ path }) => path).sort()).toEqual(["/label", "/x"]);
  });

  test("3. normalisation is skipped where outputSchema is unknown", async () => {
    const data = { any: ["thing"] };
    for (const outputSchema of [{}, true]) {
      const envelope = await answerOf(data, { outputSchema });
      expect(envelope.data).toBe(data);
      expect(envelope.meta.warnings).toBeUndefined();
    }
  });
});

describe("Constraints", () => {
  test("1. no runtime envelope overhead for local handlers: raw values, which are not even copied", async () => {
    const data = { x: 1, label: "a" };
    expect((await registryOf(() => data, { outputSchema: POINT }).execute("test.run")).data).toBe(data);
    expect((await connect(() => data, { outputSchema: POINT }).map.call("test.run")).data).toBe(data);
  });

  test("2. an envelope is always present at the boundary; NOTES: undefined travels as null", async () => {
    for (const value of RAW_VALUES) {
      const { map, answers } = connect(() => value);
      await map.call("test.run");
      const sent = JSON.parse(JSON.stringify(answers()[0]));
      expect(isResponseEnvelope(sent.output)).toBe(true);
      expect(sent.output.data).toEqual(value ?? null);
    }
  });

  test("4. MCPContentBlock types are our own: the five kinds of the spec", () => {
    const blocks: MCPContentBlock[] = [
      { type: "text", text: "a", annotations: { audience: ["user"], priority: 1 } },
      { type: "image", data: "", mimeType: "image/png" },
      { type: "audio", data: "", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a", text: "a" } },
      { type: "resource_link", uri: "file:///a", name: "a" },
    ];
    expect(blocks.flatMap((block) => check(MCPContentBlockSchema, block))).toEqual([]);
    expect(isResponseEnvelope(mcpEnvelope(blocks, { isError: false, content: blocks }))).toBe(true);
  });

  test("6. unwrap() is the simple path: the data of an envelope from anywhere", async () => {
    const registry = registryOf(() => 7);
    expect(unwrap(await registry.execute("test.run"))).toBe(7);
    expect(unwrap(await connect(() => 7).map.call("test.run"))).toBe(7);
  });

  test("7. ResponseEnvelopeSchema validates the envelope, outputSchema the business data", async () => {
    const envelope = await registryOf(() => "no point", { outputSchema: POINT }).execute("test.run");
    expect(check(ResponseEnvelopeSchema, envelope)).toEqual([]);
    expect(check(POINT, envelope.data)).not.toEqual([]);
  });

  test("8. isResponseEnvelope() is the sole detection: a JSON copy is an envelope, a brand or a likeness is none", async () => {
    const copy = JSON.parse(JSON.stringify(localEnvelope(1, "a.b")));
    expect(await registryOf(() => copy).execute("test.run")).toBe(copy);
    const branded = { data: 1, [Symbol.for("ResponseEnvelope")]: true, __envelopeVersion: 1 };
    const alike = { data: 1, meta: { source: "grpc", operationId: "a.b", timestamp: 1 } };
    for (const value of [branded, alike]) expect((await registryOf(() => value).execute("test.run")).data).toBe(value);
  });
});

describe("NOTES", () => {
  test("an isError envelope is a failure for who asks: TOOL_ERROR, or what its payload says, with the payload kept", async () => {
    const plain = await registryOf(() => toolFailure([], "Full.")).attempt("test.run");
    expect(plain).toMatchObject({ ok: false, error: { category: "execution", code: "TOOL_ERROR", message: "Full." } });
    const payload = { code: "DISK_FULL", message: "No room.", category: "conflict" };
    const told = await registryOf(() => toolFailure(payload, "Full.")).attempt("test.run");
    expect(told).toMatchObject({ ok: false, error: { ...payload, data: payload } });
  });

  test("a declared code that a handler throws is the code that a caller elsewhere gets", async () => {
    const errorSchemas = { SOLD_OUT: { category: "conflict" } };
    const handler = () => Promise.reject(new Error("SOLD_OUT: none left"));
    const error = await failureOf(connect(handler, { errorSchemas }).map.call("test.run"));
    expect(error).toMatchObject({ code: "SOLD_OUT", category: "conflict", message: "none left" });
  });

  test("a consumer's break publishes call.aborted, and the serving side's generator is stopped", async () => {
    const ended = gate();
    const handler = async function* () {
      try {
        for (;;) yield 1;
      } finally {
        ended.open();
      }
    };
    const { map, events, worker } = connect(handler, { type: "subscription" });
    for await (const _ of map.subscribe("test.run", null, { requestId: "r1" })) break;
    await ended.opened;
    await turns();
    expect(events.filter(({ type }) => type === "call.aborted")).toEqual([{ type: "call.aborted", requestId: "r1" }]);
    expect(worker.getRunningCount()).toBe(0);
  });

  test("a request from elsewhere is not trusted, though what its handler calls is", async () => {
    const inner = operation(() => "secret", { name: "inner", accessControl: { requiredScopes: ["a"] } });
    const outer = operation(async (_, { env }) => (await env["test"]?.["inner"]?.())?.data);
    const bus = memoryBus();
    buildCallHandler({ registry: new OperationRegistry().registerAll([inner, outer]), bus });
    const map = new PendingRequestMap({ bus });
    expect(unwrap(await map.call("test.run"))).toBe("secret");
    expect(await failureOf(map.call("test.inner"))).toMatchObject({ code: "ACCESS_DENIED" });
  });
});
