import { CallError } from "../../../envelope/call-error.js";
import { AMOUNT, type Demands, FUNCTION, RECORD, unmetDemand } from "../../../json/demands.js";
import type { JsonRecord } from "../../../json/value.js";
import type { Bus } from "../../../protocol/bus.js";
import { CONNECTION, PREFIX } from "../demands.js";
import type { IdentitySigner, IdentityTrust } from "../identity.js";
import type { NatsClient } from "../nats-client.js";
import { isPartsAddress } from "./large-event.js";

export interface NatsBusOptions {
  /** A connected client, such as that of `@nats-io/transport-node`. Who opened it closes it. */
  readonly connection: NatsClient;
  /** The first words of every subject. @default "plico" */
  readonly prefix?: string;
  /** Signs the requests that are published here. */
  readonly signer?: IdentitySigner;
  /** Says whom to take a request's caller for. Without it nobody is believed. */
  readonly trust?: IdentityTrust;
  /** How far, in milliseconds, the clocks of two machines may differ. @default 1000 */
  readonly maxSkewMs?: number;
  /** The size of the largest event, in bytes. @default 67108864 */
  readonly maxEventBytes?: number;
  /**
   * Where this bus hears of the parts of large events. Callers whom the server confines to their own name need one
   * below `reply.<caller>`. @default "parts.<random>"
   */
  readonly partsAddress?: string;
  /** Gets what a listener throws, and what NATS refuses. */
  readonly onError?: (thrown: unknown) => void;
}

export type NatsBusState = "connected" | "disconnected" | "closed";

/** What was not delivered, by reason. */
export interface NatsBusCounts {
  /** No event, or one of the wrong shape. */
  readonly malformed: number;
  /** Requests whose identity was not believed; they were delivered without it. */
  readonly untrusted: number;
  /** Requests so old that their callers have given up. */
  readonly stale: number;
  readonly tooLarge: number;
  /** Large events that were announced and never came whole, and what had no room to wait for them. */
  readonly lost: number;
}

export interface NatsBus extends Bus {
  readonly state: NatsBusState;
  /** Tells each change. What was held while there was no connection is on its way by then. Returns what ends it. */
  onState(listener: (state: NatsBusState) => void): () => void;
  readonly counts: NatsBusCounts;
  /** Resolves when the server has all that was published, and receivers have the large events. */
  flush(): Promise<void>;
}

/** The same while it is being counted. */
export type NatsBusTally = { -readonly [K in keyof NatsBusCounts]: NatsBusCounts[K] };

/** Throws where an option is not what it must be. */
export function checkBusOptions(options: NatsBusOptions): void {
  const unmet = unmetDemand({ ...options } as JsonRecord, DEMANDS);
  if (unmet !== undefined) throw new CallError({ category: "validation", message: `natsBus: ${unmet}.` });
}

const DEMANDS: Demands = {
  connection: CONNECTION,
  prefix: PREFIX,
  signer: RECORD,
  trust: FUNCTION,
  maxSkewMs: AMOUNT,
  maxEventBytes: AMOUNT,
  partsAddress: { what: "an address below `parts` or `reply`", isMet: isPartsAddress },
  onError: FUNCTION,
};
