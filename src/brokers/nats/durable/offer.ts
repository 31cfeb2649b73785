import { orElse } from "../../../json/attempt.js";
import type { NatsClient, NatsMessage } from "../nats-client.js";
import { type Delivery, deliveryOf } from "./delivery.js";
import { consumerName } from "./key.js";
import { processDelivery } from "./processing.js";
import { Pull } from "./pull.js";
import { persist } from "./retry.js";
import { RunningDurable } from "./running.js";
import { recoverStrays } from "./strays.js";
import { ensureConsumer, isAhead } from "./streams.js";
import type { Workshop } from "./worker.js";

/** One major version of an operation, whose calls a worker takes. */
export class DurableOffer {
  readonly operationId: string;
  readonly major: number;
  readonly #workshop: Workshop;
  #ackWaitMs: number;
  #pull: Pull | undefined;
  #unfollow: () => void = () => {};
  #search: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(workshop: Workshop, operationId: string, major: number) {
    this.#workshop = workshop;
    this.operationId = operationId;
    this.major = major;
    this.#ackWaitMs = workshop.settings.ackWaitMs;
  }

  get consumer(): string {
    return consumerName(this.operationId, this.major);
  }

  async open(): Promise<void> {
    const { settings, js, link } = this.#workshop;
    await this.#ensureConsumer();
    if (this.#isStopped || this.#workshop.isClosing()) return;
    this.#pull = new Pull({
      ...{ connection: settings.connection, link, limit: settings.maxRunning },
      subject: js.pullSubject(this.consumer),
      inboxPrefix: inboxPrefixOf(settings.connection),
      onMessage: (message) => this.#receive(message),
      repair: async () => {
        await js.ensureStreams();
        await this.#ensureConsumer();
      },
      onError: (thrown) => orElse(() => settings.onError(thrown), undefined),
    });
    this.#searchLater(1);
    this.#unfollow = link.onState((state) => {
      if (state === "connected") this.#searchLater(1);
      if (state === "connected") this.#mend().catch((thrown) => orElse(() => settings.onError(thrown), undefined));
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unfollow();
    clearTimeout(this.#search);
    await this.#pull?.stop();
  }

  /** Another server leads the consumer. */
  askAnew(): void {
    this.#pull?.askAnew();
    this.#searchLater(1);
  }

  /** After about so many times what a worker is given: often at first, when something has happened, and then less. */
  #searchLater(times: number): void {
    clearTimeout(this.#search);
    if (this.#isStopped) return;
    const again = (found: number): void => this.#searchLater(found > 0 ? 1 : Math.min(2 * times, RAREST_SEARCH));
    this.#search = setTimeout(
      () => {
        this.#recoverStrays().then(again, (thrown) => {
          orElse(() => this.#workshop.settings.onError(thrown), undefined);
          again(0);
        });
      },
      this.#ackWaitMs * times * (0.5 + Math.random()),
    ).unref();
  }

  async #recoverStrays(): Promise<number> {
    if (!this.#workshop.link.isUp) return 0;
    const { operationId, major, consumer } = this;
    return recoverStrays(this.#workshop, { operationId, major, consumer, ackWaitMs: this.#ackWaitMs });
  }

  /** The server may come back from a crash. Workers do not all look at once, and the first one mends it for all. */
  async #mend(): Promise<void> {
    const { js, link } = this.#workshop;
    const isWanted = (): boolean => !this.#isStopped;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MEND_WAIT).unref());
    const isBroken = await persist(link, () => isAhead(js.manager, js.names.calls, this.consumer), isWanted);
    if (!isBroken || this.#isStopped) return;
    await js.manager.consumers.delete(js.names.calls, this.consumer);
    await persist(link, () => this.#ensureConsumer(), isWanted);
    this.askAnew();
  }

  async #ensureConsumer(): Promise<void> {
    const { settings, js, leases } = this.#workshop;
    const wish = { prefix: settings.prefix, operationId: this.operationId, major: this.major };
    const { config } = await ensureConsumer(js.manager, { ...wish, ackWaitMs: settings.ackWaitMs });
    this.#ackWaitMs = (config.ack_wait ?? 0) / 1_000_000 || settings.ackWaitMs;
    leases.expect(this.#ackWaitMs);
  }

  #receive(message: NatsMessage): void {
    const { running, leases } = this.#workshop;
    const delivery = deliveryOf(message);
    const known = delivery === undefined ? undefined : running.get(delivery.sequence);
    // What came late may run elsewhere by now; if it does not, it comes again.
    if (delivery === undefined || leases.isBehind) this.#pull?.release();
    else if (this.#isStopped || this.#workshop.isClosing()) this.#giveBack(delivery, "-NAK");
    else if (known === undefined) void this.#begin(delivery);
    else this.#goOn(known, delivery);
  }

  /** It runs here already: it is not begun again, even where its handler does not care that it was given away. */
  #goOn(known: RunningDurable, delivery: Delivery): void {
    const isOurs = known.stopped === undefined || known.stopped.reason === "aborted";
    if (isOurs) {
      known.adopt(delivery);
      this.#pull?.release();
    } else this.#giveBack(delivery, `-NAK {"delay": ${this.#ackWaitMs * 1_000_000}}`);
  }

  #giveBack({ reply }: Delivery, word: string): void {
    orElse(() => this.#workshop.settings.connection.publish(reply, word), undefined);
    this.#pull?.release();
  }

  async #begin(delivery: Delivery): Promise<void> {
    const { running, leases, settings, onEnd } = this.#workshop;
    const one = new RunningDurable(this.operationId, delivery, this.#ackWaitMs);
    running.set(delivery.sequence, one);
    leases.add(one);
    try {
      await processDelivery(this.#workshop, this, one);
    } catch (thrown) {
      // It was not acknowledged, so it is delivered again.
      orElse(() => settings.onError(thrown), undefined);
    }
    running.delete(delivery.sequence);
    leases.delete(one);
    this.#pull?.release();
    onEnd();
  }
}

/** Milliseconds. */
const LONGEST_MEND_WAIT = 500;

/** Times what a worker is given. */
const RAREST_SEARCH = 16;

/** A user may be allowed to listen below its own inbox only. */
function inboxPrefixOf(connection: NatsClient): string {
  const { options } = connection as { readonly options?: { readonly inboxPrefix?: unknown } };
  return typeof options?.inboxPrefix === "string" ? options.inboxPrefix : "_INBOX";
}
