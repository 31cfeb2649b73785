import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { CallError } from "../../../envelope/call-error.js";
import { messageOf } from "../../../json/attempt.js";
import type { NatsClient } from "../nats-client.js";
import { movedId } from "./delivery.js";
import { type StoredTime, storedTime } from "./stored-time.js";
import { type DurableStreamOptions, ensureStreams, isNamed, type StreamNames, streamNames } from "./streams.js";

/** How long, in milliseconds, one question to the server may take before it is asked again. */
const PATIENCE = 2_000;

export interface JetStreamOptions {
  readonly connection: NatsClient;
  readonly prefix: string;
  readonly streams: DurableStreamOptions;
  readonly load?: () => Promise<JetStreamPackage>;
}

/** A request in its stream. */
export interface KeptCall {
  readonly sequence: number;
  readonly subject: string;
  readonly text: string;
  readonly storedAt: StoredTime;
}

type JetStreamPackage = Pick<typeof import("@nats-io/jetstream"), "jetstream" | "jetstreamManager">;

/** JetStream, as far as durable calls need it. */
export class JetStream {
  readonly manager: JetStreamManager;
  readonly names: StreamNames;
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #options: JetStreamOptions;

  private constructor(options: JetStreamOptions, manager: JetStreamManager, client: JetStreamClient) {
    this.#options = options;
    this.manager = manager;
    this.#client = client;
    this.#connection = options.connection as NatsConnection;
    this.names = streamNames(options.prefix);
  }

  static async open(options: JetStreamOptions): Promise<JetStream> {
    const { jetstream, jetstreamManager } = await loaded(options.load ?? (() => import("@nats-io/jetstream")));
    const connection = options.connection as NatsConnection;
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: PATIENCE });
    return new JetStream(options, manager, jetstream(connection, { timeout: PATIENCE }));
  }

  /** Makes what is missing. Throws `UNAVAILABLE` where the server has no JetStream. */
  async ensureStreams(): Promise<void> {
    try {
      await this.manager.getAccountInfo();
    } catch (thrown) {
      throw isNamed(thrown, "JetStreamNotEnabled") ? noJetStream(thrown) : thrown;
    }
    await ensureStreams(this.manager, this.#options.prefix, this.#options.streams);
  }

  /**
   * Stores something, without an id by which servers would know it when it comes again. With ids, the servers of a cluster
   * (2.9.10) were seen to number the same calls differently after a restart: one that was acknowledged removed another.
   */
  async store(address: string, data: Uint8Array | string): Promise<void> {
    await this.#client.publish(this.subject(address), data);
  }

  /** Stores only where nothing is stored, and says whether it did. */
  async storeFirst(address: string, text: string): Promise<boolean> {
    try {
      await this.#client.publish(this.subject(address), text, { expect: { lastSubjectSequence: 0 } });
      return true;
    } catch (thrown) {
      if (isRefusedAsLater(thrown)) return false;
      throw thrown;
    }
  }

  /** What any server of the cluster has, which may be a moment old; a caller's permissions can be about its subject. */
  async glance(address: string): Promise<Uint8Array | undefined> {
    const found = await this.manager.direct.getMessage(this.names.results, { last_by_subj: this.subject(address) });
    return found?.data;
  }

  /** What the leader has. */
  async look(address: string): Promise<Uint8Array | undefined> {
    const query = { last_by_subj: this.subject(address) };
    return (await this.manager.streams.getMessage(this.names.results, query))?.data;
  }

  /** The first of the calls that are kept for an address, which may hold `*` and `>`, from a place in the stream on. */
  async oldest(address: string, from: number = 1): Promise<KeptCall | undefined> {
    const query = { next_by_subj: this.subject(address), seq: from };
    const found = await this.manager.streams.getMessage(this.names.calls, query);
    if (found === null) return undefined;
    const { seq: sequence, subject, data } = found;
    return { sequence, subject, text: new TextDecoder().decode(data), storedAt: storedTime(found.timestamp) };
  }

  /**
   * Puts a call at the end of its stream, unless one of the same key is there already, or it is itself gone. It says
   * there where it comes from.
   */
  async moveToEnd({ subject, sequence, text }: KeptCall): Promise<void> {
    try {
      await this.#client.publish(subject, text, {
        expect: { lastSubjectSequence: sequence },
        msgID: movedId(sequence),
      });
    } catch (thrown) {
      if (!isRefusedAsLater(thrown)) throw thrown;
    }
    await this.remove(sequence);
  }

  /** Removes a call, where it is still there. */
  async remove(sequence: number): Promise<void> {
    try {
      await this.manager.streams.deleteMessage(this.names.calls, sequence, false);
    } catch (thrown) {
      // Others may do the same at the same time.
      if (!isNamed(thrown, "JetStreamApiError")) throw thrown;
    }
  }

  /** Says something of a message that was delivered, and waits until the server has heard it. */
  async acknowledge(reply: string, word: string): Promise<void> {
    await this.#connection.request(reply, word, { timeout: PATIENCE });
  }

  /** Where a consumer is asked for messages. */
  pullSubject(consumer: string): string {
    return `${this.#client.apiPrefix}.CONSUMER.MSG.NEXT.${this.names.calls}.${consumer}`;
  }

  /** Where workers say what becomes of the calls that a consumer has given them; servers have two ways to write it. */
  signSubjects(consumer: string): readonly string[] {
    const tail = `${this.names.calls}.${consumer}.>`;
    return [`$JS.ACK.${tail}`, `$JS.ACK.*.*.${tail}`];
  }

  /** Where a cluster tells that a consumer has a new leader. */
  get electionSubject(): string {
    return `$JS.EVENT.ADVISORY.CONSUMER.LEADER_ELECTED.${this.names.calls}.*`;
  }

  subject(address: string): string {
    return `${this.#options.prefix}.${address}`;
  }
}

async function loaded(load: () => Promise<JetStreamPackage>): Promise<JetStreamPackage> {
  try {
    return await load();
  } catch (thrown) {
    throw new CallError({
      category: "unavailable",
      message: `Durable calls need the package @nats-io/jetstream, which ${whyNotLoaded(thrown)}.`,
      suggestedAction: "Install it: npm install @nats-io/jetstream.",
      recoverable: false,
      details: { mayHaveRun: false },
      cause: thrown,
    });
  }
}

/** Where the package was looked for is of no use to anybody. */
function whyNotLoaded(thrown: unknown): string {
  const isMissing = /cannot find (?:package|module)/i.test(messageOf(thrown));
  return isMissing ? "is not installed" : `cannot be loaded: ${messageOf(thrown).replace(/\.$/, "")}`;
}

function noJetStream(cause: unknown): CallError {
  return new CallError({
    category: "unavailable",
    message: "Durable calls need JetStream, which the NATS server does not have, or not for this account.",
    suggestedAction: "Start nats-server with -js, or write jetstream { store_dir: … } into its configuration.",
    recoverable: false,
    details: { mayHaveRun: false },
    cause,
  });
}

const WRONG_LAST_SEQUENCE: readonly unknown[] = [10071, 10164];

function isRefusedAsLater(thrown: unknown): boolean {
  return isNamed(thrown, "JetStreamApiError") && WRONG_LAST_SEQUENCE.includes((thrown as { code?: unknown }).code);
}

const PASSING: readonly string[] = [
  ...["TimeoutError", "NoRespondersError", "RequestError", "ConnectionError"],
  ...["JetStreamNotEnabled", "JetStreamStatusError"],
];

/** Too few servers for the replicas, and a stream or a consumer whose servers are away: they may just be starting. */
const SERVERS_AWAY: readonly unknown[] = [10005, 10118, 10119];

/** Whether the same may work in a moment: a leader is chosen, a server or a connection comes back. */
export function mayPass(thrown: unknown): boolean {
  if (isForbidden(thrown)) return false;
  if (!isNamed(thrown, "JetStreamApiError")) return PASSING.some((name) => isNamed(thrown, name));
  const { status, code } = thrown as { status?: unknown; code?: unknown };
  return status === 503 || SERVERS_AWAY.includes(code);
}

export function isForbidden(thrown: unknown): boolean {
  return (
    isNamed(thrown, "PermissionViolationError") ||
    (thrown instanceof Error && isNamed(thrown.cause, "PermissionViolationError"))
  );
}
