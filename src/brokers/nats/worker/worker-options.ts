import { CallError } from "../../../envelope/call-error.js";
import { AMOUNT, type Demands, FUNCTION, RECORD, TEXT, unmetDemand } from "../../../json/demands.js";
import { randomHex } from "../../../json/random-hex.js";
import { told } from "../../../json/told.js";
import { compact, isRecord, isString } from "../../../json/value.js";
import { VERSION } from "../../../registry/registration.js";
import { CONNECTION, type IdPatterns, PATTERNS, POSITIVE, PREFIX, TOKEN } from "../demands.js";
import type { DurableWorkerOptions } from "../durable/durable.js";
import type { IdentityTrust } from "../identity.js";
import type { NatsClient } from "../nats-client.js";

export interface NatsWorkerOptions {
  /** A connected client, such as that of `@nats-io/transport-node`. Who opened it closes it. */
  readonly connection: NatsClient;
  /** The first words of every subject: workers and callers with the same one meet. @default "plico" */
  readonly prefix?: string | undefined;
  /** Of the service, as `nats micro ls` shows it. @default "plico" */
  readonly name?: string | undefined;
  /** Of this worker, in its subjects; no two may have the same. @default a random one */
  readonly id?: string | undefined;
  /** Of the service; operations have their own. @default "0.0.0" */
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  /** Says whom to take a caller for. Without it nobody is believed, and what asks for scopes is refused. */
  readonly trust?: IdentityTrust | undefined;
  /** The operations that are offered, by their ids. @default all */
  readonly include?: IdPatterns | undefined;
  readonly exclude?: IdPatterns | undefined;
  /** Calls beyond this many at a time are refused, and made of another worker. @default 1000 */
  readonly maxRunning?: number | undefined;
  /** Operations that are durable, beside those that say so themselves. */
  readonly durable?: IdPatterns | undefined;
  /** How durable calls are kept and given out. */
  readonly durability?: Durability | undefined;
  /** How far, in milliseconds, the clocks of two machines may differ. @default 1000 */
  readonly maxSkewMs?: number | undefined;
  /** The size of the largest request or answer, in bytes; that of the other side holds too. @default 67108864 */
  readonly maxEventBytes?: number | undefined;
  /** Hears of what goes wrong beside the calls. */
  readonly onError?: ((thrown: unknown) => void) | undefined;
}

export type Durability = Pick<DurableWorkerOptions, "maxRunning" | "ackWaitMs" | "maxDeliver" | "streams">;

type Defaults = "prefix" | "name" | "id" | "version" | "description" | "maxRunning" | "onError";

type Present<T> = { readonly [Name in keyof T]: Exclude<T[Name], undefined> };

/** The options with every default. */
export type WorkerSettings = Present<Omit<NatsWorkerOptions, Defaults>> &
  Required<Present<Pick<NatsWorkerOptions, Defaults>>>;

export function workerSettings(options: NatsWorkerOptions): WorkerSettings {
  const problem = problemOf(options);
  if (problem !== undefined)
    throw new CallError({ category: "validation", message: `This is no worker on NATS: ${problem}.` });
  const defaults = { prefix: "plico", name: "plico", version: "0.0.0", description: "", maxRunning: 1000 };
  return { ...defaults, id: randomHex(8), onError: () => {}, ...compact(options) } as WorkerSettings;
}

const DEMANDS: Demands = {
  connection: CONNECTION,
  prefix: PREFIX,
  name: TOKEN,
  id: TOKEN,
  version: { what: "a semantic version such as 1.0.0", isMet: (value) => isString(value) && VERSION.test(value) },
  description: TEXT,
  trust: FUNCTION,
  include: PATTERNS,
  exclude: PATTERNS,
  maxRunning: POSITIVE,
  durable: PATTERNS,
  durability: RECORD,
  maxSkewMs: AMOUNT,
  maxEventBytes: POSITIVE,
  onError: FUNCTION,
};

function problemOf(options: unknown): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  if (options["connection"] === undefined) return "it has no `connection`";
  return unmetDemand(options, DEMANDS);
}
