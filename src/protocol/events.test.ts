import fc from "fast-check";
import { Compile } from "typebox/schema";
import { describe, expect, test } from "vitest";
import { CallError } from "../envelope/call-error.js";
import { hostileValues } from "../testing/hostile-values.js";
import { CallEventSchema, CallEventSchemas } from "./event-schemas.js";
import { type CallEvent, type CallEventType, isCallEvent } from "./events.js";
import { envelope } from "./fixtures/peer.js";

const full = new CallError({
  category: "rate_limit",
  message: "Too many calls",
  details: { limit: 0 },
  data: null,
  issues: [{ path: "/a", message: "is wrong", rule: "r" }],
  suggestedAction: "Wait",
  nextTool: "clock.wait",
  retryAfterMs: 0,
}).toJSON();

const SAMPLES: readonly CallEvent[] = [
  { type: "call.requested", requestId: "1", operationId: "a.b", replyTo: "inbox" },
  { type: "call.requested", requestId: "1", operationId: "a.b", replyTo: "inbox", input: null },
  {
    type: "call.requested",
    requestId: "1",
    operationId: "a.b",
    input: { a: 0 },
    replyTo: "inbox",
    parentRequestId: "0",
    deadline: 1_700_000_000_000,
    idleTimeout: 0.5,
    identity: { id: "ada", scopes: ["read"], resources: { "project:7": ["write"] } },
    metadata: { trusted: true },
    idempotencyKey: "order-7",
    heartbeat: 0.5,
    credit: 1,
  },
  { type: "call.responded", requestId: "1", output: envelope(false) },
  { type: "call.responded", requestId: "1", output: envelope(null), sequence: 0 },
  { type: "call.completed", requestId: "1" },
  { type: "call.completed", requestId: "1", count: 0 },
  { type: "call.progress", requestId: "1", progress: 0 },
  { type: "call.progress", requestId: "1", progress: 0.5, total: 1, message: "half" },
  { type: "call.aborted", requestId: "1" },
  { type: "call.aborted", requestId: "1", reason: "" },
  { type: "call.aborted", requestId: "1", replyTo: "inbox" },
  { type: "call.error", requestId: "1", category: "own", code: "X", message: "", recoverable: false },
  { type: "call.error", requestId: "1", ...full },
  { type: "call.credited", requestId: "1", credit: 8 },
  { type: "call.credited", requestId: "1", credit: 0 },
  { type: "call.running", requestId: "1", controlTo: "worker" },
  { type: "call.running", requestId: "1", controlTo: "worker", sent: 0, granted: 1 },
  { type: "call.resumed", requestId: "1", replyTo: "inbox" },
  { type: "call.resumed", requestId: "1", replyTo: "inbox", received: 0, granted: 1 },
];

const TYPES = Object.keys(CallEventSchemas) as CallEventType[];
const checkers = new Map(TYPES.map((type) => [type, Compile(CallEventSchemas[type])]));
const fitsAny = Compile(CallEventSchema);

/** What the schemas say. */
function fitsSchema(value: unknown): boolean {
  return TYPES.some((type) => checkers.get(type)?.Check(value));
}

describe("isCallEvent", () => {
  test.each(SAMPLES.map((event) => [event.type, event] as const))("takes %s, also after JSON", (_, event) => {
    const copy: unknown = JSON.parse(JSON.stringify(event));
    expect(copy).toEqual(event);
    expect([event, copy].map(isCallEvent)).toEqual([true, true]);
    expect([fitsSchema(event), fitsAny.Check(copy)]).toEqual([true, true]);
  });

  test("has a sample of every type", () => {
    expect([...new Set(SAMPLES.map(({ type }) => type))]).toEqual(TYPES);
  });

  test("takes an optional field that holds undefined for absent", () => {
    expect(isCallEvent({ type: "call.aborted", requestId: "1", reason: undefined })).toBe(true);
  });

  test.each(hostileValues().map((value, at) => [at, value] as const))("refuses hostile value %i", (_, value) => {
    expect(isCallEvent(value)).toBe(false);
  });

  test("refuses an event whose fields throw", () => {
    const hostile = {
      type: "call.credited",
      requestId: "1",
      get credit(): number {
        throw new Error("no");
      },
    };
    expect(isCallEvent(hostile)).toBe(false);
  });

  test.each([
    { type: "call.unheard", requestId: "1" },
    { type: "toString", requestId: "1" },
    { type: "call.completed" },
    { type: "call.completed", requestId: "" },
    { type: "call.completed", requestId: 1 },
    { type: "call.completed", requestId: "1", count: -1 },
    { type: "call.completed", requestId: "1", count: 0.5 },
    { type: "call.responded", requestId: "1" },
    { type: "call.responded", requestId: "1", output: { data: 1 } },
    { type: "call.responded", requestId: "1", output: envelope(1), sequence: "0" },
    { type: "call.requested", requestId: "1", operationId: "a.b" },
    { type: "call.requested", requestId: "1", operationId: "", replyTo: "inbox" },
    { type: "call.requested", requestId: "1", operationId: "a.b", replyTo: "inbox", credit: 0 },
    { type: "call.requested", requestId: "1", operationId: "a.b", replyTo: "inbox", idleTimeout: 0 },
    { type: "call.requested", requestId: "1", operationId: "a.b", replyTo: "inbox", deadline: null },
    { type: "call.requested", requestId: "1", operationId: "a.b", replyTo: "inbox", identity: { id: "ada" } },
    { type: "call.requested", requestId: "1", operationId: "a.b", replyTo: "inbox", metadata: [] },
    { type: "call.progress", requestId: "1", progress: "half" },
    { type: "call.error", requestId: "1", category: "own", code: "X", message: "" },
    { type: "call.error", requestId: "1", ...full, retryAfterMs: -1 },
    { type: "call.error", requestId: "1", ...full, issues: [{}] },
    { type: "call.credited", requestId: "1", credit: -1 },
    { type: "call.aborted", requestId: "1", replyTo: "" },
    { type: "call.running", requestId: "1", controlTo: "" },
    { type: "call.running", requestId: "1", controlTo: "worker", sent: -1 },
    { type: "call.resumed", requestId: "1", received: 0 },
    { type: "call.resumed", requestId: "1", replyTo: "inbox", granted: 0.5 },
  ])("refuses %j, as its schema does", (value) => {
    expect(isCallEvent(value)).toBe(false);
    expect(fitsSchema(value)).toBe(false);
  });

  test("agrees with the schemas on events whose fields were changed", () => {
    const junk = fc.oneof(
      fc.constantFrom<unknown>(undefined, null, 0, -1, 1.5, "", "x", true, [], {}, ["x"], { id: "a", scopes: [] }),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const names = [...new Set(SAMPLES.flatMap((event) => Object.keys(event)))].filter((name) => name !== "output");
    const changed = fc
      .tuple(fc.constantFrom(...SAMPLES), fc.dictionary(fc.constantFrom(...names), junk, { maxKeys: 2 }))
      .map(([event, changes]): unknown => JSON.parse(JSON.stringify({ ...event, ...changes })));
    fc.assert(
      fc.property(changed, (value) => {
        expect(isCallEvent(value)).toBe(fitsSchema(value));
      }),
      { numRuns: 5000 },
    );
  });

  test("never throws, and takes none of what is no event", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.object()), (value) => {
        expect(isCallEvent(value)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test("takes a response whose hints are odd, which its schema does not: a result is not lost for a hint", () => {
    const output = { data: 1, meta: { source: "local", operationId: "a.b", timestamp: 0, summary: 5 } };
    const event = { type: "call.responded", requestId: "1", output };
    expect([isCallEvent(event), fitsSchema(event)]).toEqual([true, false]);
  });
});

describe("the schemas of the events", () => {
  test("are plain JSON", () => {
    expect(JSON.parse(JSON.stringify(CallEventSchemas))).toEqual(CallEventSchemas);
  });
});
