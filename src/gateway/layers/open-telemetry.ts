import { createRequire } from "node:module";
import { join } from "node:path";
import type { Counter, Histogram, Tracer, UpDownCounter } from "@opentelemetry/api";
import { messageOf } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";
import { ABOUT_PLICO } from "../../mcp/about-plico.js";
import type { Log } from "../log.js";

type Api = typeof import("@opentelemetry/api");

/** OpenTelemetry, as far as calls need it. */
export interface OpenTelemetry {
  readonly api: Api;
  readonly tracer: Tracer;
  readonly calls: Counter;
  readonly duration: Histogram;
  readonly active: UpDownCounter;
}

const PACKAGE = "@opentelemetry/api";

/**
 * The API package, where it is installed: beside the configuration or beside Plico. The one beside the configuration
 * comes first, because the SDK that the user has set up was made for it.
 */
export function openTelemetry(folder: string, log: Log): OpenTelemetry | undefined {
  for (const place of [join(folder, "plico.json"), import.meta.url]) {
    try {
      return instruments(createRequire(place)(PACKAGE) as Api);
    } catch (thrown) {
      if (!isNotInstalled(thrown)) log.warn(`${PACKAGE} cannot be used: ${messageOf(thrown)}`);
    }
  }
  return undefined;
}

function isNotInstalled(thrown: unknown): boolean {
  return isRecord(thrown) && thrown["code"] === "MODULE_NOT_FOUND";
}

function instruments(api: Api): OpenTelemetry {
  const { name, version } = ABOUT_PLICO;
  const meter = api.metrics.getMeter(name, version);
  return {
    api,
    tracer: api.trace.getTracer(name, version),
    calls: meter.createCounter("plico.calls", { unit: "{call}", description: "Calls of operations that have ended." }),
    duration: meter.createHistogram("plico.call.duration", {
      unit: "s",
      description: "How long calls of operations take.",
      advice: { explicitBucketBoundaries: BOUNDARIES },
    }),
    active: meter.createUpDownCounter("plico.calls.active", {
      unit: "{call}",
      description: "Calls of operations that run.",
    }),
  };
}

/** Seconds: those that OpenTelemetry wants for MCP. */
const BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
