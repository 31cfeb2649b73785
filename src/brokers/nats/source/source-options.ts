import { CallError } from "../../../envelope/call-error.js";
import { AMOUNT, type Demands, FUNCTION, unmetDemand } from "../../../json/demands.js";
import { LONGEST_TIMER } from "../../../json/longest-timer.js";
import { told } from "../../../json/told.js";
import { compact, isRecord } from "../../../json/value.js";
import { CONNECTION, type IdPatterns, PATTERNS, POSITIVE, PREFIX, TOKEN } from "../demands.js";
import type { DurableCallerOptions } from "../durable/durable.js";
import type { IdentitySigner } from "../identity.js";
import type { NatsClient } from "../nats-client.js";

export interface NatsSourceOptions {
  /** A connected client, such as that of `@nats-io/transport-node`. Who opened it closes it. */
  readonly connection: NatsClient;
  /** Of the source. Operations keep their own ids. @default "nats" */
  readonly name?: string | undefined;
  /** The first words of every subject: workers and callers with the same one meet. @default "plico" */
  readonly prefix?: string | undefined;
  /** This caller's name in subjects, to which the permissions of a NATS server may confine it. @default "anyone" */
  readonly caller?: string | undefined;
  /** Signs requests, so that workers believe the identities in them. */
  readonly signer?: IdentitySigner | undefined;
  /** Which major version of an operation is called, by its id or a pattern. @default the highest that is offered */
  readonly majors?: Readonly<Record<string, number>> | undefined;
  /** The operations that are imported, by their ids. @default all */
  readonly include?: IdPatterns | undefined;
  readonly exclude?: IdPatterns | undefined;
  /** Milliseconds between a worker's signs of life; after three of them without one it is lost. @default 1000 */
  readonly heartbeat?: number | undefined;
  /** How often a call may be made again of another worker, where that is safe. @default 2 */
  readonly retries?: number | undefined;
  /** Milliseconds between two looks at who is there. Workers also tell when they come and go. @default 60000 */
  readonly refreshMs?: number | undefined;
  /** The longest that a look takes, in milliseconds. @default 1000 */
  readonly discoverMs?: number | undefined;
  /**
   * How long an operation stays listed that nobody offers any more, in milliseconds; calls of it are `UNAVAILABLE`
   * meanwhile. Durable ones stay, and their calls wait. @default 300000
   */
  readonly keepMs?: number | undefined;
  /** How durable calls are kept. */
  readonly durability?: Pick<DurableCallerOptions, "publishTimeoutMs" | "streams"> | undefined;
  /** The size of the largest request or answer, in bytes; that of the other side holds too. @default 67108864 */
  readonly maxEventBytes?: number | undefined;
  /** Hears of what goes wrong beside the calls. */
  readonly onError?: ((thrown: unknown) => void) | undefined;
  /** Gives up the opening; a source that is open is closed by `close`. */
  readonly signal?: AbortSignal | undefined;
}

type Defaults =
  | ("name" | "prefix" | "caller" | "majors" | "heartbeat" | "retries")
  | ("refreshMs" | "discoverMs" | "keepMs" | "onError");

type Present<T> = { readonly [Name in keyof T]: Exclude<T[Name], undefined> };

/** The options with every default. */
export type SourceSettings = Present<Omit<NatsSourceOptions, Defaults>> &
  Required<Present<Pick<NatsSourceOptions, Defaults>>>;

const DEFAULTS = {
  ...{ name: "nats", prefix: "plico", caller: "anyone", majors: {} },
  ...{ heartbeat: 1000, retries: 2, refreshMs: 60_000, discoverMs: 1000, keepMs: 300_000, onError: () => {} },
};

export function sourceSettings(options: NatsSourceOptions): SourceSettings {
  const problem = problemOf(options);
  if (problem !== undefined)
    throw new CallError({ category: "validation", message: `This is no source on NATS: ${problem}.` });
  const settings = { ...DEFAULTS, ...compact(options) } as SourceSettings;
  const { refreshMs, discoverMs } = settings;
  // Looks come a little earlier or later than they are due.
  return {
    ...settings,
    refreshMs: Math.min(refreshMs, LONGEST_TIMER / 2),
    discoverMs: Math.min(discoverMs, LONGEST_TIMER),
  };
}

const DEMANDS: Demands = {
  connection: CONNECTION,
  name: TOKEN,
  prefix: PREFIX,
  caller: TOKEN,
  signer: { what: "a signer, such as `sharedSecret` gives", isMet: (value) => hasSign(value), isSecret: true },
  majors: {
    what: 'major versions by operation, such as { "math.*": 2 }',
    isMet: (value) => isRecord(value) && Object.values(value).every((major) => Number.isInteger(major)),
  },
  include: PATTERNS,
  exclude: PATTERNS,
  heartbeat: POSITIVE,
  retries: AMOUNT,
  refreshMs: POSITIVE,
  discoverMs: POSITIVE,
  maxEventBytes: POSITIVE,
  keepMs: AMOUNT,
  durability: { what: "an object", isMet: isRecord },
  onError: FUNCTION,
  signal: { what: "an AbortSignal", isMet: (value) => value instanceof AbortSignal },
};

function hasSign(value: unknown): boolean {
  return isRecord(value) && FUNCTION.isMet(value["sign"]);
}

function problemOf(options: unknown): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  if (options["connection"] === undefined) return "it has no `connection`";
  return unmetDemand(options, DEMANDS);
}
