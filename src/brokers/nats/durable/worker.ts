import { CallError, type CallErrorInit, isCallError } from "../../../envelope/call-error.js";
import { messageOf } from "../../../json/attempt.js";
import { abortedFor, unavailable } from "../../../protocol/failure.js";
import { controlAddress, EVERY_WORKER } from "../addresses.js";
import { Link } from "../bus/link.js";
import { hear } from "../hear.js";
import type { NatsMessage, NatsSubscription } from "../nats-client.js";
import { giveBack } from "./attempts.js";
import type { DurableCounts, DurableWorker, DurableWorkerOptions } from "./durable.js";
import { eventsIn } from "./events.js";
import { isForbidden, JetStream } from "./jetstream.js";
import { Leases } from "./leases.js";
import { DurableOffer } from "./offer.js";
import { type DurableWorkerSettings, durableWorkerSettings } from "./options.js";
import { persist } from "./retry.js";
import type { RunningDurable } from "./running.js";

/** How long, in milliseconds, a start waits for a cluster that is choosing its leaders. */
const START_PATIENCE = 20_000;

/** What the operations of a worker share. */
export interface Workshop {
  readonly settings: DurableWorkerSettings;
  readonly js: JetStream;
  readonly link: Link;
  readonly leases: Leases;
  /** By the sequence of the request in its stream. */
  readonly running: Map<number, RunningDurable>;
  readonly tally: DurableTally;
  isClosing(): boolean;
  /** A call is done with. */
  onEnd(): void;
}

/** The counts while they are being counted. */
export type DurableTally = { -readonly [K in keyof DurableCounts]: DurableCounts[K] };

export class JetStreamWorker implements DurableWorker {
  readonly id: string;
  readonly #settings: DurableWorkerSettings;
  readonly #link: Link;
  readonly #tally: DurableTally = { stored: 0, repeated: 0, late: 0, lost: 0, failed: 0, malformed: 0 };
  readonly #running = new Map<number, RunningDurable>();
  readonly #leases: Leases;
  readonly #offers = new Set<DurableOffer>();
  #control: readonly NatsSubscription[] = [];
  #workshop: Promise<Workshop> | undefined;
  #onIdle: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(options: DurableWorkerOptions) {
    this.#settings = durableWorkerSettings(options);
    this.id = this.#settings.id;
    this.#link = new Link(this.#settings.connection, this.#settings.onError);
    this.#leases = new Leases({
      renew: (running) => this.#say(running, "+WPI"),
      onLost: (running) => {
        this.#tally.lost += 1;
        running.stop("lost", givenAway(running));
      },
      flush: () => this.#settings.connection.flush(),
    });
  }

  get counts(): DurableCounts {
    return this.#tally;
  }

  getRunningCount(): number {
    return this.#running.size;
  }

  async offer(operationId: string, major: number): Promise<() => Promise<void>> {
    const until = Date.now() + START_PATIENCE;
    const isWanted = (): boolean => this.#closing === undefined && Date.now() < until;
    try {
      const workshop = await persist(this.#link, () => this.#open(), isWanted);
      const offer = new DurableOffer(workshop, operationId, major);
      await persist(this.#link, () => offer.open(), isWanted);
      this.#offers.add(offer);
      return () => this.#withdraw(offer);
    } catch (thrown) {
      throw isCallError(thrown) ? thrown : new CallError(notOffered(thrown, operationId));
    }
  }

  close({ timeoutMs }: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(timeoutMs);
    return this.#closing;
  }

  async #close(timeoutMs: number | undefined): Promise<void> {
    await Promise.all([...this.#offers].map((offer) => offer.stop()));
    await this.#idle(timeoutMs);
    await Promise.all([...this.#running.values()].map((running) => this.#giveBack(running)));
    for (const subscription of this.#control) subscription.unsubscribe();
    this.#leases.stop();
    if (this.#link.isUp) await this.#settings.connection.flush().catch(() => {});
    this.#link.stop();
  }

  /** Unlike those of leases this timer keeps Node alive: someone awaits it. */
  async #idle(timeoutMs: number | undefined): Promise<void> {
    if (this.#running.size === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (timeoutMs !== undefined) timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
  }

  /** Another worker gets it at once, where the server can still be told. */
  async #giveBack(running: RunningDurable): Promise<void> {
    running.stop("released", unavailable("The worker was closed before the call ended."));
    const { js } = (await this.#workshop) ?? {};
    if (js !== undefined && this.#link.isUp) await giveBack(js, running, 0).catch(() => {});
  }

  async #withdraw(offer: DurableOffer): Promise<void> {
    this.#offers.delete(offer);
    await offer.stop();
  }

  #open(): Promise<Workshop> {
    if (this.#closing !== undefined) return Promise.reject(new CallError(unavailable("The worker was closed.")));
    this.#workshop ??= this.#build().catch((thrown) => {
      this.#workshop = undefined;
      throw thrown;
    });
    return this.#workshop;
  }

  async #build(): Promise<Workshop> {
    const js = await JetStream.open(this.#settings);
    await js.ensureStreams();
    this.#listen(js);
    return {
      ...{ settings: this.#settings, js, link: this.#link, leases: this.#leases },
      ...{ running: this.#running, tally: this.#tally },
      isClosing: () => this.#closing !== undefined,
      onEnd: () => {
        if (this.#running.size === 0) this.#onIdle();
      },
    };
  }

  #listen(js: JetStream): void {
    if (this.#control.length > 0) return;
    const { connection, prefix, id, onError } = this.#settings;
    this.#control = [
      ...[controlAddress(id), EVERY_WORKER].map((address) =>
        hear(connection, `${prefix}.${address}`, (message) => this.#hear(message), { onError }),
      ),
      hear(connection, js.electionSubject, ({ subject }) => this.#askAnew(subject), { onError }),
    ];
  }

  /** Another server leads the consumer, and knows nothing of what the last one was asked. */
  #askAnew(subject: string): void {
    for (const offer of this.#offers) if (subject.endsWith(`.${offer.consumer}`)) offer.askAnew();
  }

  #hear(message: NatsMessage): void {
    if (this.#running.size === 0) return;
    for (const event of eventsIn(message)) {
      if (event.type !== "call.aborted") continue;
      for (const running of this.#running.values()) {
        if (running.requestId === event.requestId) running.stop("aborted", abortedFor(event.reason));
      }
    }
  }

  async #say({ delivery }: RunningDurable, word: string): Promise<void> {
    await (await this.#workshop)?.js.acknowledge(delivery.reply, word);
  }
}

function givenAway({ operationId, ackWaitMs }: RunningDurable): CallErrorInit {
  return {
    category: "unavailable",
    code: "WORKER_LOST",
    message: `The server has heard nothing of this call of ${operationId} for ${ackWaitMs} ms, and gives it to another worker.`,
  };
}

function notOffered(thrown: unknown, operationId: string): CallErrorInit {
  const words = messageOf(thrown);
  if (isForbidden(thrown)) {
    return {
      category: "authorization",
      message: `The NATS server does not let this worker take durable calls of ${operationId}: ${words}`,
      cause: thrown,
    };
  }
  return {
    category: "unavailable",
    message: `JetStream does not give out the calls of ${operationId}: ${words}`,
    cause: thrown,
  };
}
