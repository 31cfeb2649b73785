import type { Attributes, Context, Span, SpanContext } from "@opentelemetry/api";
import type { CallErrorData } from "../../envelope/call-error.js";
import type { ResponseHints } from "../../envelope/hints.js";
import { parseTraceparent, traceparentOf } from "../../envelope/trace-context.js";
import { isString } from "../../json/value.js";
import { type ExecuteOptions, withOptions } from "../../registry/call-options.js";
import type { OpenTelemetry } from "./open-telemetry.js";

/** One call as OpenTelemetry sees it: a span, and what is counted. */
export interface CallSpan {
  /** The options with which the call goes on, so that its source continues the trace. */
  readonly options: ExecuteOptions | undefined;
  /** Which span of the caller's trace the call is, where a server tells its client of one. */
  readonly told: Pick<ResponseHints, "traceId" | "spanId"> | undefined;
  /** Whatever is begun in `run` belongs to the span. */
  run<T>(run: () => T): T;
  /** How the call ended; only the first time counts. */
  end(error?: CallErrorData): void;
}

export interface SpanOf {
  readonly operation: string;
  readonly source: string | undefined;
  readonly options: ExecuteOptions | undefined;
}

/**
 * Names and attributes follow the conventions for tools (https://opentelemetry.io/docs/specs/semconv/gen-ai/). What is
 * counted must not grow with what callers make up: an operation that does not exist is `_OTHER`.
 */
export function startCallSpan(telemetry: OpenTelemetry, { operation, source, options }: SpanOf): CallSpan {
  const { api, tracer, active, calls, duration } = telemetry;
  const startedAt = performance.now();
  const ofSource: Attributes = { ...(source !== undefined && { "plico.source": source }) };
  const span = tracer.startSpan(
    `execute_tool ${operation}`,
    { kind: api.SpanKind.SERVER, attributes: { ...ofSource, ...attributesOf(operation, options) } },
    parentOf(telemetry, options),
  );
  active.add(1, ofSource);
  let isOver = false;
  return {
    options: carrying(telemetry, span, options),
    told: toldOf(telemetry, span, options),
    run: (run) => api.context.with(api.trace.setSpan(api.context.active(), span), run),
    end(error) {
      if (isOver) return;
      isOver = true;
      if (error !== undefined) tellFailure(telemetry, span, error);
      span.end();
      active.add(-1, ofSource);
      const name = error?.code === "OPERATION_NOT_FOUND" ? "_OTHER" : operation;
      const counted = { ...ofSource, "gen_ai.tool.name": name, ...(error && { "error.type": error.category }) };
      calls.add(1, counted);
      duration.record((performance.now() - startedAt) / 1000, counted);
    },
  };
}

function attributesOf(operation: string, options: ExecuteOptions | undefined): Attributes {
  const { identity, requestId } = options ?? {};
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": operation,
    ...(identity !== undefined && { "enduser.id": identity.id }),
    ...(requestId !== undefined && { "plico.request.id": requestId }),
  };
}

function tellFailure({ api }: OpenTelemetry, span: Span, { category, code }: CallErrorData): void {
  span.setAttributes({ "error.type": category, "plico.error.code": code });
  // The message may hold what was called with.
  span.setStatus({ code: api.SpanStatusCode.ERROR, message: code });
  if (code === "OPERATION_NOT_FOUND") span.updateName("execute_tool");
}

/** The caller's span. Where an instrumented server has begun one for it in the same trace, that is nearer. */
function parentOf({ api }: OpenTelemetry, options: ExecuteOptions | undefined): Context {
  const active = api.context.active();
  const { callerTraceparent, traceparent } = options?.metadata ?? {};
  // An HTTP server tells sources of a span of its own, which nobody has recorded.
  const parent = parseTraceparent(traceparentOf({ traceparent: callerTraceparent ?? traceparent }));
  if (parent === undefined || api.trace.getSpanContext(active)?.traceId === parent.traceId) return active;
  const { traceId, parentId: spanId, flags: traceFlags } = parent;
  const state = options?.metadata?.["tracestate"];
  return api.trace.setSpanContext(active, {
    traceId,
    spanId,
    traceFlags,
    isRemote: true,
    ...(isString(state) && { traceState: api.createTraceState(state) }),
  });
}

/** Without an SDK there are no spans, and the caller's trace goes on as it came. */
function carrying({ api }: OpenTelemetry, span: Span, options: ExecuteOptions | undefined): ExecuteOptions | undefined {
  const context = span.spanContext();
  if (!api.isSpanContextValid(context)) return options;
  const { tracestate: _, callerTraceparent: __, ...metadata } = options?.metadata ?? {};
  const state = context.traceState?.serialize();
  const tracestate = state === undefined || state === "" ? {} : { tracestate: state };
  return withOptions(options, { metadata: { ...metadata, traceparent: traceparent(context), ...tracestate } });
}

/** Without this an HTTP server would tell of the span that it has made up. */
function toldOf({ api }: OpenTelemetry, span: Span, options: ExecuteOptions | undefined): CallSpan["told"] {
  const { traceId, spanId } = span.spanContext();
  const isTold = options?.metadata?.["callerTraceparent"] !== undefined;
  return isTold && api.isSpanContextValid(span.spanContext()) ? { traceId, spanId } : undefined;
}

function traceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, "0")}`;
}
