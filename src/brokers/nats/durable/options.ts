import { CallError } from "../../../envelope/call-error.js";
import { type Demand, type Demands, FUNCTION, oneOf, unmetDemand } from "../../../json/demands.js";
import { randomHex } from "../../../json/random-hex.js";
import { told } from "../../../json/told.js";
import { compact, isRecord } from "../../../json/value.js";
import { CONNECTION, POSITIVE, PREFIX, TOKEN } from "../demands.js";
import type { DurableCallerOptions, DurableWorkerOptions } from "./durable.js";

type CallerDefaults = "prefix" | "caller" | "publishTimeoutMs" | "streams";
export type CallerSettings = DurableCallerOptions & Required<Pick<DurableCallerOptions, CallerDefaults>>;

export function callerSettings(options: DurableCallerOptions): CallerSettings {
  refuse(options, CALLER, "This cannot make durable calls");
  return {
    prefix: "plico",
    caller: "anyone",
    publishTimeoutMs: 30_000,
    streams: {},
    ...compact(options),
  } as CallerSettings;
}

type WorkerDefaults = "prefix" | "id" | "maxRunning" | "ackWaitMs" | "maxDeliver" | "streams" | "onError";
export type DurableWorkerSettings = DurableWorkerOptions & Required<Pick<DurableWorkerOptions, WorkerDefaults>>;

export function durableWorkerSettings(options: DurableWorkerOptions): DurableWorkerSettings {
  refuse(options, WORKER, "This is no worker for durable calls");
  const limits = { maxRunning: 64, ackWaitMs: 30_000, maxDeliver: 5 };
  const defaults = { prefix: "plico", id: randomHex(8), streams: {}, onError: () => {} };
  return { ...defaults, ...limits, ...compact(options) } as DurableWorkerSettings;
}

const COUNT: Demand = {
  what: "a whole number above 0",
  isMet: (value) => Number.isInteger(value) && (value as number) > 0,
};

const STREAMS: Demands = {
  replicas: COUNT,
  storage: oneOf(["file", "memory"]),
  resultMaxAgeMs: POSITIVE,
};

const BOTH: Demands = {
  connection: CONNECTION,
  prefix: PREFIX,
  streams: { what: "an object", isMet: isRecord },
};

const CALLER: Demands = {
  ...BOTH,
  caller: TOKEN,
  signer: { what: "an object with `sign`", isMet: (value) => isRecord(value) && FUNCTION.isMet(value["sign"]) },
  publishTimeoutMs: POSITIVE,
};

const WORKER: Demands = {
  ...BOTH,
  id: TOKEN,
  trust: FUNCTION,
  run: FUNCTION,
  maxRunning: COUNT,
  ackWaitMs: POSITIVE,
  maxDeliver: COUNT,
  onError: FUNCTION,
};

function refuse(options: unknown, demands: Demands, what: string): void {
  const problem = problemOf(options, demands);
  if (problem !== undefined) throw new CallError({ category: "validation", message: `${what}: ${problem}.` });
}

function problemOf(options: unknown, demands: Demands): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  const missing = ["connection", "run"].find((name) => name in demands && options[name] === undefined);
  if (missing !== undefined) return `it has no \`${missing}\``;
  const { streams } = options;
  return unmetDemand(options, demands) ?? (isRecord(streams) ? unmetDemand(streams, STREAMS) : undefined);
}
