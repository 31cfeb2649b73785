import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { metrics, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import { operation } from "../../registry/fixtures/operations.js";
import { OperationRegistry } from "../../registry/registry.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { ClientCall } from "../../servers/client-call.js";
import { SILENT } from "../log.js";
import { telemetry } from "./telemetry.js";

const spans = new InMemorySpanExporter();
const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
const meters = new MeterProvider({ readers: [reader] });
trace.setGlobalTracerProvider(tracers);
metrics.setGlobalMeterProvider(meters);

const folder = mkdtempSync(join(tmpdir(), "plico-telemetry-"));

afterAll(async () => {
  await Promise.all([tracers.shutdown(), meters.shutdown()]);
  trace.disable();
  metrics.disable();
  rmSync(folder, { recursive: true });
});

beforeEach(() => spans.reset());

const registry = new OperationRegistry().registerAll([
  operation((_, { metadata }) => metadata ?? null),
  operation(
    () => {
      throw new CallError({ category: "network", code: "GONE", message: "a secret" });
    },
    { name: "fail" },
  ),
  operation((_, { metadata }) => [metadata, 2], { name: "many", type: "subscription" }),
]) as unknown as ServedRegistry;

const served = telemetry({ folder, log: SILENT, sourceOf: () => ({ name: "tests" }) })(registry);

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

describe("a span", () => {
  test("stands for each call, as a tool that is executed", async () => {
    await served.attempt("test.run", {}, { identity: { id: "ada", scopes: [] }, requestId: "r" });
    const [span] = spans.getFinishedSpans();
    expect(span).toMatchObject({
      name: "execute_tool test.run",
      kind: SpanKind.SERVER,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "test.run",
        "plico.source": "tests",
        "plico.request.id": "r",
        "enduser.id": "ada",
      },
    });
  });

  test("goes on with the trace of the caller, and the source with the span", async () => {
    const metadata = { traceparent: PARENT, tracestate: "a=1", other: 2 };
    const outcome = await served.attempt("test.run", {}, new ClientCall({ identity: undefined, metadata }));
    const [span] = spans.getFinishedSpans();
    expect(span?.spanContext().traceId).toBe(TRACE);
    expect(span?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
    const traceparent = `00-${TRACE}-${span?.spanContext().spanId}-01`;
    expect(outcome).toMatchObject({ ok: true, data: { traceparent, tracestate: "a=1", other: 2 } });
  });

  test("takes the caller of an HTTP server for its parent, not the server, which is told of the span", async () => {
    const metadata = { traceparent: `00-${TRACE}-${"a".repeat(16)}-01`, callerTraceparent: PARENT };
    const outcome = await served.attempt("test.run", {}, { metadata });
    const [span] = spans.getFinishedSpans();
    expect(span?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
    expect(outcome.meta).toMatchObject({ traceId: TRACE, spanId: span?.spanContext().spanId });
  });

  test("begins a trace where there is none", async () => {
    const outcome = await served.attempt("test.run", {});
    const [span] = spans.getFinishedSpans();
    expect(outcome).toMatchObject({ data: { traceparent: expect.stringContaining(`${span?.spanContext().traceId}`) } });
  });

  test("says how a call failed, without its words", async () => {
    await served.attempt("test.fail", {});
    expect(spans.getFinishedSpans()).toMatchObject([
      {
        status: { code: SpanStatusCode.ERROR, message: "GONE" },
        attributes: { "error.type": "network", "plico.error.code": "GONE" },
        events: [],
      },
    ]);
  });

  test("does not have a name that a caller made up", async () => {
    await served.attempt("what.ever", {});
    expect(() => served.subscribe("what.ever")).toThrow();
    expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual(["execute_tool", "execute_tool"]);
  });

  test("lasts as long as a subscription", async () => {
    const values = served.subscribe("test.many", {}, { metadata: { traceparent: PARENT } });
    const first = await values.next();
    expect(first.value?.data).toMatchObject({ traceparent: expect.stringContaining(TRACE) });
    expect(spans.getFinishedSpans()).toEqual([]);
    await values.return(undefined);
    for await (const _ of served.subscribe("test.many"));
    expect(spans.getFinishedSpans()).toHaveLength(2);
  });
});

test("calls are counted and timed by operation and failure, and those that run", async () => {
  exporter.reset();
  await served.attempt("test.run", {});
  await served.attempt("test.fail", {});
  await served.attempt("made.up", {});
  await reader.forceFlush();
  const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: all }) => all));
  const points = (name: string) => found.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  const attributes = points("plico.calls").map((point) => point.attributes);
  expect(attributes).toContainEqual({ "plico.source": "tests", "gen_ai.tool.name": "test.run" });
  expect(attributes).toContainEqual({
    "plico.source": "tests",
    "gen_ai.tool.name": "test.fail",
    "error.type": "network",
  });
  expect(attributes.map((one) => one["gen_ai.tool.name"])).not.toContain("made.up");
  expect(attributes.map((one) => one["gen_ai.tool.name"])).toContain("_OTHER");
  expect(points("plico.call.duration").length).toBe(attributes.length);
  expect(points("plico.calls.active").map(({ value }) => value)).toEqual([0]);
});
