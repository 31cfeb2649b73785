import type { ConsumerConfig, ConsumerInfo, JetStreamManager, StreamConfig, StreamInfo } from "@nats-io/jetstream";
import { CallError } from "../../../envelope/call-error.js";
import { told } from "../../../json/told.js";
import { consumerName, durableAddressOf } from "./key.js";

/** How the two streams are made where they are missing. Those that are there are used as they are. */
export interface DurableStreamOptions {
  /** On how many servers of a cluster calls and results are kept. @default 1 */
  readonly replicas?: number;
  /** @default "file" */
  readonly storage?: "file" | "memory";
  /**
   * How long, in milliseconds, results are kept. Callers count on it too: where it is another, tell them. @default
   * 3600000
   */
  readonly resultMaxAgeMs?: number;
}

export interface StreamNames {
  readonly calls: string;
  readonly results: string;
}

export function streamNames(prefix: string): StreamNames {
  const name = prefix.replace(/[^A-Za-z0-9_-]/g, "_").toUpperCase();
  return { calls: `${name}_CALLS`, results: `${name}_RESULTS` };
}

/** Milliseconds. */
export const RESULT_MAX_AGE = 3_600_000;

/** Makes the streams where they are missing. */
export async function ensureStreams(
  manager: JetStreamManager,
  prefix: string,
  { replicas = 1, storage = "file", resultMaxAgeMs = RESULT_MAX_AGE }: DurableStreamOptions,
): Promise<void> {
  const names = streamNames(prefix);
  const kept = { storage, num_replicas: replicas };
  await ensureStream(manager, {
    ...kept,
    name: names.calls,
    subjects: [`${prefix}.durable.>`],
    retention: "workqueue",
    // Where the stream has a limit, a call is refused rather than an older one lost.
    discard: "new",
  });
  await ensureStream(manager, {
    ...kept,
    name: names.results,
    subjects: [`${prefix}.result.>`],
    retention: "limits",
    max_age: nanos(resultMaxAgeMs),
    // Only the last number of attempts counts; all else is stored once.
    max_msgs_per_subject: 1,
    allow_direct: true,
  });
}

type WantedStream = Partial<StreamConfig> & Pick<StreamConfig, "name" | "subjects" | "retention">;

async function ensureStream(manager: JetStreamManager, wanted: WantedStream): Promise<void> {
  const { config } = (await streamInfo(manager, wanted.name)) ?? (await addStream(manager, wanted));
  const covers = wanted.subjects.every((subject) => config.subjects?.some((one) => one === subject || one === ">"));
  if (config.retention !== wanted.retention) throw unfit(wanted, `its retention is ${told(config.retention)}`);
  if (!covers) throw unfit(wanted, "it does not take these subjects");
}

async function streamInfo(manager: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(name);
  } catch (thrown) {
    if (isNamed(thrown, "StreamNotFoundError")) return undefined;
    throw thrown;
  }
}

/** Others may make it at the same time, with other settings: then it is theirs. */
async function addStream(manager: JetStreamManager, wanted: WantedStream): Promise<StreamInfo> {
  try {
    return await manager.streams.add(wanted);
  } catch (thrown) {
    const made = await streamInfo(manager, wanted.name);
    if (made !== undefined) return made;
    throw thrown;
  }
}

function unfit({ name, subjects, retention }: WantedStream, why: string): CallError {
  return new CallError({
    category: "conflict",
    message: `The stream ${name} cannot keep durable calls: ${why}. It must have the subjects ${subjects.join(", ")} and the retention ${retention}.`,
    suggestedAction: `Remove the stream, and it is made anew; or use another prefix.`,
  });
}

/**
 * Whether the consumer has given out more than its stream knows of: it would pass over all calls that come until the
 * stream has got that far again. One cluster was seen to be so after a crash; why is not known.
 */
export async function isAhead(manager: JetStreamManager, stream: string, consumer: string): Promise<boolean> {
  // In this order: the stream only grows.
  const { delivered } = await manager.consumers.info(stream, consumer);
  const { state } = await manager.streams.info(stream);
  return delivered.stream_seq > state.last_seq;
}

/** The consumer that the workers of one operation share. One that is there keeps its settings: others count on them. */
export async function ensureConsumer(
  manager: JetStreamManager,
  { prefix, operationId, major, ackWaitMs }: ConsumerWish,
): Promise<ConsumerInfo> {
  const { calls } = streamNames(prefix);
  const name = consumerName(operationId, major);
  try {
    return await manager.consumers.info(calls, name);
  } catch (thrown) {
    if (!isNamed(thrown, "ConsumerNotFoundError")) throw thrown;
  }
  const wanted: Partial<ConsumerConfig> = {
    durable_name: name,
    filter_subject: `${prefix}.${durableAddressOf(operationId, major)}.>`,
    ack_policy: "explicit",
    deliver_policy: "all",
    ack_wait: nanos(ackWaitMs),
    // The workers count: what the server stops to deliver would wait for ever, and nobody would be told.
    max_deliver: -1,
    max_ack_pending: -1,
    max_waiting: 4096,
  };
  return manager.consumers.add(calls, wanted);
}

export interface ConsumerWish {
  readonly prefix: string;
  readonly operationId: string;
  readonly major: number;
  readonly ackWaitMs: number;
}

/** By name, because the package may be loaded twice. */
export function isNamed(thrown: unknown, name: string): boolean {
  return thrown instanceof Error && thrown.name === name;
}

function nanos(ms: number): number {
  return ms * 1_000_000;
}
