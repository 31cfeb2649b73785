import { randomHex } from "../../../json/random-hex.js";
import type { Link } from "../bus/link.js";
import { hear } from "../hear.js";
import type { NatsClient, NatsMessage, NatsSubscription } from "../nats-client.js";

/** How long, in milliseconds, the server keeps a question open, and how often it says that it does. */
const EXPIRES = 30_000;
const HEARTBEAT = 5_000;
/** After how many milliseconds of silence the question is asked anew: its server may be gone. */
const SILENCE = 2.5 * HEARTBEAT;
const RETRY_PAUSE = 500;

export interface PullOptions {
  readonly connection: NatsClient;
  readonly link: Link;
  /** Where the consumer is asked. */
  readonly subject: string;
  readonly inboxPrefix: string;
  /** No more than this are taken at a time. */
  readonly limit: number;
  readonly onMessage: (message: NatsMessage) => void;
  /** The consumer does not answer: makes it where it is gone. */
  readonly repair: () => Promise<void>;
  readonly onError: (thrown: unknown) => void;
}

/**
 * Asks a consumer for as many messages as can be begun at once, and for none that would have to wait: their time runs
 * from the moment they are delivered.
 */
export class Pull {
  readonly #options: PullOptions;
  readonly #inbox: string;
  readonly #subscription: NatsSubscription;
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #ends: (() => void)[];
  #asked = 0;
  /** How many messages the open question may still bring. One at a time: a message does not say which it answers. */
  #expected = 0;
  #busy = 0;
  #heardAt = Date.now();
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(options: PullOptions) {
    this.#options = options;
    this.#inbox = `${options.inboxPrefix}.${randomHex(11)}`;
    const { connection, onError } = options;
    this.#subscription = hear(connection, `${this.#inbox}.*`, (message) => this.#hear(message), { onError });
    this.#watch = setInterval(() => this.#lookForSilence(), HEARTBEAT).unref();
    this.#ends = [options.link.onState((state) => void (state === "connected" && this.askAnew()))];
    this.#ask();
  }

  /** One that was taken is done. */
  release(): void {
    this.#busy -= 1;
    this.#ask();
  }

  /** What was asked may have been lost with the server that was asked. */
  askAnew(): void {
    this.#expected = 0;
    this.#ask();
  }

  /** Takes nothing new. What the server has sent by then is still heard. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearInterval(this.#watch);
    clearTimeout(this.#retry);
    for (const end of this.#ends) end();
    if (this.#options.link.isUp) await Promise.race([this.#subscription.drain().catch(() => {}), this.#isLost()]);
    else this.#subscription.unsubscribe();
  }

  /** Nothing comes of what a lost connection had to say. */
  #isLost(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#options.link.onState(() => {
        stop();
        resolve();
      });
    });
  }

  /** A message has its own subject; what the server says of a question has the question's. */
  #hear(message: NatsMessage): void {
    this.#heardAt = Date.now();
    if (!message.subject.startsWith(this.#inbox)) this.#take(message);
    // 100 is only a sign of life.
    else if (message.headers?.code !== 100) this.#end(message.subject, message.headers?.code);
  }

  #take(message: NatsMessage): void {
    if (this.#expected > 0) this.#expected -= 1;
    this.#busy += 1;
    this.#options.onMessage(message);
    this.#ask();
  }

  /** 404 and 408 say that there was nothing in time; all else that something is wrong. */
  #end(question: string, code: number | undefined): void {
    if (question !== `${this.#inbox}.${this.#asked}` || this.#isStopped) return;
    this.#expected = 0;
    if (code === 404 || code === 408) this.#ask();
    else this.#askLater();
  }

  #askLater(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#options.repair().then(
        () => this.#ask(),
        (thrown) => {
          this.#options.onError(thrown);
          if (!this.#isStopped) this.#askLater();
        },
      );
    }, RETRY_PAUSE);
  }

  #lookForSilence(): void {
    if (this.#expected > 0 && Date.now() - this.#heardAt > SILENCE) this.askAnew();
  }

  #ask(): void {
    const { limit, link, connection, subject } = this.#options;
    const batch = limit - this.#busy;
    if (this.#isStopped || this.#expected > 0 || batch <= 0 || !link.isUp || this.#retry !== undefined) return;
    this.#asked += 1;
    this.#expected = batch;
    this.#heardAt = Date.now();
    const question = { batch, expires: EXPIRES * 1_000_000, idle_heartbeat: HEARTBEAT * 1_000_000 };
    connection.publish(subject, JSON.stringify(question), { reply: `${this.#inbox}.${this.#asked}` });
  }
}
