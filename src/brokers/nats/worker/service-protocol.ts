import { orElse } from "../../../json/attempt.js";
import { hear } from "../hear.js";
import type { NatsClient, NatsMessage } from "../nats-client.js";
import type { OperationStats } from "./endpoint-stats.js";

/** What a service says of itself. */
export interface ServiceAbout {
  readonly name: string;
  readonly id: string;
  readonly version: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ServiceEndpoint {
  readonly name: string;
  readonly subject: string;
  readonly queueGroup: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** More metadata, which is left out first where an answer would be too large. */
  schemas(): Readonly<Record<string, string>>;
  stats(): OperationStats;
}

export interface Service {
  readonly started: Date;
  about(): ServiceAbout;
  /** The same list as long as nothing has changed. */
  endpoints(): readonly ServiceEndpoint[];
}

export interface ServiceAnswering {
  readonly connection: NatsClient;
  /** The first words of all subjects at which workers and callers meet. */
  readonly prefix: string;
  readonly onError: (thrown: unknown) => void;
}

/**
 * Answers as NATS's service protocol wants it (ADR-32), so that `nats micro` shows the service. Returns what ends it.
 */
export function answerServiceRequests(service: Service, { connection, prefix, onError }: ServiceAnswering): () => void {
  const { name, id } = service.about();
  const info = infoOf(service, connection);
  const answers = { PING: () => pingText(service), INFO: info, STATS: () => statsText(service, connection) };
  const subscriptions = Object.entries(answers).flatMap(([verb, answer]) => {
    const listener = ({ reply }: NatsMessage): void => {
      if (reply !== undefined && mayAnswerAt(reply, prefix)) connection.publish(reply, answer());
    };
    const subjects = [`$SRV.${verb}`, `$SRV.${verb}.${name}`, `$SRV.${verb}.${name}.${id}`];
    return subjects.map((subject) => hear(connection, subject, listener, { onError }));
  });
  return () => {
    for (const subscription of subscriptions) orElse(() => subscription.unsubscribe(), undefined);
  };
}

/**
 * Whoever may ask must not use the worker's permissions: no question makes it publish to the server's own subjects, nor
 * to those of its kind but where callers wait for answers.
 */
function mayAnswerAt(subject: string, prefix: string): boolean {
  if (subject === "" || subject.startsWith("$")) return false;
  return !subject.startsWith(`${prefix}.`) || subject.startsWith(`${prefix}.reply.`);
}

/** The answer to a ping, and with more fields the news of a worker. */
export function pingText(service: Pick<Service, "about">, more: Readonly<Record<string, string>> = {}): string {
  const { name, id, version, metadata } = service.about();
  return JSON.stringify({ type: "io.nats.micro.v1.ping_response", name, id, version, metadata, ...more });
}

/** The text is made anew only when the endpoints have changed: with many of them it takes a while. */
function infoOf(service: Service, connection: NatsClient): () => string {
  let endpoints: readonly ServiceEndpoint[] | undefined;
  let text = "";
  return () => {
    if (endpoints !== service.endpoints()) {
      endpoints = service.endpoints();
      text = infoText(service.about(), endpoints, budgetOf(connection));
    }
    return text;
  };
}

/** Bytes that an answer may have: well under what the server takes. */
function budgetOf({ info }: NatsClient): number {
  return Math.floor((info?.max_payload ?? 1024 * 1024) / 2);
}

export function infoText(about: ServiceAbout, endpoints: readonly ServiceEndpoint[], budget: number): string {
  const { name, id, version, description, metadata } = about;
  const { shown, leftOut } = fitted(endpoints, budget - RESERVE);
  return JSON.stringify({
    ...{ type: "io.nats.micro.v1.info_response", name, id, version, description },
    metadata: { ...metadata, ...leftOut },
    endpoints: shown,
  });
}

/** For what an answer has beside its endpoints. */
const RESERVE = 4096;

interface Fitted {
  readonly shown: readonly object[];
  /** How many endpoints lack what. */
  readonly leftOut: Readonly<Record<string, string>>;
}

/** All endpoints by name, then as many with their metadata as there is room for, then as many with their schemas. */
function fitted(endpoints: readonly ServiceEndpoint[], budget: number): Fitted {
  const room = new Room(budget);
  const named = endpoints.filter((endpoint) => room.takes(bareEndpoint(endpoint)));
  const described = new Set(named.filter(({ metadata }) => room.takes({ metadata })));
  let schemas = 0;
  const shown = named.map((endpoint) => {
    const bare = bareEndpoint(endpoint);
    if (!described.has(endpoint)) return bare;
    const more = endpoint.schemas();
    const fits = room.takes(more);
    if (fits) schemas += 1;
    return { ...bare, metadata: fits ? { ...endpoint.metadata, ...more } : endpoint.metadata };
  });
  const leftOut = {
    ...leftOutOf("endpoints", endpoints.length, named.length),
    ...leftOutOf("metadata", named.length, described.size),
    ...leftOutOf("schemas", described.size, schemas),
  };
  return { shown, leftOut };
}

function leftOutOf(what: string, all: number, shown: number): Record<string, string> {
  return all === shown ? {} : { [`plico_${what}_left_out`]: String(all - shown) };
}

function bareEndpoint({ name, subject, queueGroup }: ServiceEndpoint): object {
  return { name, subject, queue_group: queueGroup };
}

/** What is left of the bytes that an answer may have. */
class Room {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  takes(value: object): boolean {
    const size = Buffer.byteLength(JSON.stringify(value)) + 1;
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }
}

function statsText(service: Service, connection: NatsClient): string {
  const { name, id, version, metadata } = service.about();
  const room = new Room(budgetOf(connection) - RESERVE);
  const endpoints = service.endpoints();
  const shown = endpoints.map(endpointStats).filter((endpoint) => room.takes(endpoint));
  return JSON.stringify({
    ...{ type: "io.nats.micro.v1.stats_response", name, id, version, started: service.started.toISOString() },
    metadata: { ...metadata, ...leftOutOf("endpoints", endpoints.length, shown.length) },
    endpoints: shown,
  });
}

function endpointStats(endpoint: ServiceEndpoint): object {
  const { requests, errors, lastError = "", processingMs } = endpoint.stats();
  const nanoseconds = Math.round(processingMs * 1e6);
  return {
    ...bareEndpoint(endpoint),
    ...{ num_requests: requests, num_errors: errors, last_error: lastError },
    processing_time: nanoseconds,
    average_processing_time: requests === 0 ? 0 : Math.round(nanoseconds / requests),
  };
}
