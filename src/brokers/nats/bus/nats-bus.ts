import { type CallErrorInit, callErrorData } from "../../../envelope/call-error.js";
import { attempt } from "../../../json/attempt.js";
import { randomHex } from "../../../json/random-hex.js";
import type { BusListener, BusSubscribeOptions } from "../../../protocol/bus.js";
import {
  type CallErrorEvent,
  type CallEvent,
  type CallRequestedEvent,
  type CallRunningEvent,
  isCallEvent,
} from "../../../protocol/events.js";
import { hear } from "../hear.js";
import type { IdentitySigner } from "../identity.js";
import type { NatsClient, NatsMessage } from "../nats-client.js";
import { checkAddress, checkPattern } from "../subjects.js";
import { eventText, openRequestText } from "./event-text.js";
import { type Announcement, isAnnouncement, kindOf, tooLarge } from "./large-event.js";
import { LargeEvents } from "./large-events.js";
import { Link } from "./link.js";
import { mayAskFor, namesItsOwn } from "./named-addresses.js";
import {
  checkBusOptions,
  type NatsBus,
  type NatsBusCounts,
  type NatsBusOptions,
  type NatsBusState,
  type NatsBusTally,
} from "./nats-bus-options.js";
import { NoResponders } from "./no-responders.js";
import { Outbox, type Route } from "./outbox.js";
import { type Arrival, type ReceivingTerms, receivedRequest } from "./received-request.js";
import { stamped } from "./stamp.js";
import { type Member, Topic } from "./topic.js";

/** Carries the call protocol over NATS. */
export function natsBus(options: NatsBusOptions): NatsBus {
  checkBusOptions(options);
  return new EventsOnNats(options);
}

class EventsOnNats implements NatsBus {
  readonly #connection: NatsClient;
  readonly #prefix: string;
  readonly #signer: IdentitySigner | undefined;
  readonly #tally: NatsBusTally = { malformed: 0, untrusted: 0, stale: 0, tooLarge: 0, lost: 0 };
  readonly #terms: ReceivingTerms;
  readonly #onError: (thrown: unknown) => void;
  readonly #link: Link;
  readonly #outbox: Outbox;
  readonly #noResponders: NoResponders;
  readonly #large: LargeEvents;
  /** Those that all listeners of an address share. */
  readonly #shared = new Map<string, Topic>();
  readonly #topics = new Set<Topic>();
  #closed = false;

  constructor(options: NatsBusOptions) {
    const { connection, prefix = "plico", signer, trust, maxSkewMs = 1000, onError = () => {} } = options;
    this.#connection = connection;
    this.#prefix = prefix;
    this.#signer = signer;
    this.#terms = { trust, maxSkewMs, tally: this.#tally, prefixLength: prefix.length + 1 };
    this.#onError = onError;
    this.#link = new Link(connection, onError);
    this.#outbox = new Outbox(
      (address) => {
        checkAddress(address);
        return `${prefix}.${address}`;
      },
      (route, text) => attempt(() => this.#link.send(route.subject, text), onError),
      () => this.#mostCharacters,
    );
    const tell = (address: string, event: CallErrorEvent): void => {
      this.#large.forget(event.requestId);
      this.#shared.get(address)?.deliver(event);
    };
    this.#noResponders = new NoResponders(connection, tell, onError);
    const { maxEventBytes = 64 * 1024 * 1024, partsAddress: parts = `parts.${randomHex(12)}` } = options;
    this.#large = new LargeEvents({ connection, link: this.#link, prefix, address: parts, maxEventBytes, onError });
  }

  get state(): NatsBusState {
    return this.#link.state;
  }

  get counts(): NatsBusCounts {
    return this.#tally;
  }

  onState(listener: (state: NatsBusState) => void): () => void {
    return this.#link.onState(listener);
  }

  publish(address: string, event: CallEvent): void {
    if (this.#link.state === "closed") return;
    const route = this.#outbox.route(address);
    const text = event.type === "call.requested" ? openRequestText(event) : eventText(event);
    if (text.length > this.#mostCharacters) this.#publishSizeable(route, event, text);
    else if (event.type === "call.requested") this.#request(route, event, text);
    else this.#outbox.add(route, text);
  }

  subscribe(address: string, listener: BusListener, { group, awaited }: BusSubscribeOptions = {}): () => void {
    checkPattern(address);
    if (this.#link.state === "closed") return () => {};
    const topic = (group === undefined ? this.#shared.get(address) : undefined) ?? this.#open(address, group);
    const member = topic.join(listener, awaited);
    return () => this.#leave(topic, member, group);
  }

  async flush(): Promise<void> {
    this.#outbox.flush();
    await this.#large.taken();
    if (this.#link.isUp) await this.#connection.flush();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const topic of this.#topics) topic.dismiss();
    this.#outbox.flush();
    await this.#large.taken(PATIENCE_MS);
    if (this.#link.isUp) await within(PATIENCE_MS, this.#connection.flush());
    this.#large.stop();
    for (const topic of this.#topics) topic.subscription?.unsubscribe();
    this.#noResponders.clear();
    this.#link.stop();
  }

  /** That fit into a message whatever they are: a character has at most three bytes, and counting them takes time. */
  get #mostCharacters(): number {
    return (this.#link.maxPayload - SPARE_BYTES) / 3;
  }

  #publishSizeable(route: Route, event: CallEvent, text: string): void {
    const bytes = Buffer.byteLength(text);
    if (bytes > this.#large.maxEventBytes) throw tooLarge(kindOf(event), bytes, this.#large.maxEventBytes);
    this.#outbox.flushRoute(route);
    if (bytes > this.#link.maxPayload - SPARE_BYTES) this.#announce(route, event, text, bytes);
    else if (event.type === "call.requested") this.#request(route, event, text);
    else this.#link.send(route.subject, text);
  }

  #announce(route: Route, event: CallEvent, text: string, bytes: number): void {
    if (!this.#link.isUp) {
      this.#link.hold({ bytes, send: () => this.#announce(route, event, text, bytes) });
      return;
    }
    const isRequest = event.type === "call.requested";
    const whole = isRequest ? stamped(text, Date.now(), this.#signer) : text;
    const reply = isRequest ? this.#replyOf(event) : undefined;
    this.#link.publish(route.subject, this.#large.announce(event, Buffer.from(whole)), reply);
  }

  #request(route: Route, event: CallRequestedEvent, text: string): void {
    this.#outbox.flushRoute(route);
    const reply = this.#replyOf(event);
    if (this.#link.isUp) this.#link.publish(route.subject, stamped(text, Date.now(), this.#signer), reply);
    else this.#holdRequest(route, event, text, reply);
  }

  /** Where the server says that nobody takes the request, if somebody here waits for its answer. */
  #replyOf({ replyTo, requestId }: CallRequestedEvent): string | undefined {
    if (!this.#shared.has(replyTo)) return undefined;
    return this.#noResponders.replySubject(replyTo, `${this.#prefix}.${replyTo}`, requestId);
  }

  /** Its caller waits for as long as the connection is gone, or its abort is held behind it. */
  #holdRequest(route: Route, { deadline }: CallRequestedEvent, text: string, reply?: string): void {
    const send = (): void => {
      const now = Date.now();
      if (deadline !== undefined && deadline <= now) this.#tally.stale += 1;
      else this.#link.publish(route.subject, stamped(text, now, this.#signer), reply);
    };
    this.#link.hold({ bytes: text.length, send });
  }

  #open(address: string, group: string | undefined): Topic {
    const topic = new Topic(address, this.#onError);
    const terms = { queue: group, onError: this.#onError };
    const receive = (message: NatsMessage): void => this.#receive(topic, message);
    topic.subscription = hear(this.#connection, `${this.#prefix}.${address}`, receive, terms);
    this.#topics.add(topic);
    if (group === undefined) this.#shared.set(address, topic);
    return topic;
  }

  #leave(topic: Topic, member: Member, group: string | undefined): void {
    if (group !== undefined) {
      // What the server has given this member of the group, no other will get.
      const gone = (): void => topic.idle(() => this.#drop(topic, member));
      topic.subscription?.drain().then(gone, gone);
      return;
    }
    this.#drop(topic, member);
    if (!topic.isDeserted || this.#shared.get(topic.address) !== topic) return;
    topic.subscription?.unsubscribe();
    this.#shared.delete(topic.address);
    this.#noResponders.forget(`${this.#prefix}.${topic.address}`);
  }

  #drop(topic: Topic, member: Member): void {
    topic.leave(member);
    if (topic.isDeserted) this.#topics.delete(topic);
  }

  #receive(topic: Topic, message: NatsMessage): void {
    if (topic.turns.areAhead) topic.turns.later(() => this.#take(topic, message));
    else this.#take(topic, message);
  }

  #take(topic: Topic, message: NatsMessage): void {
    const text = message.string();
    const value = parsed(text);
    if (Array.isArray(value)) this.#takeList(topic, value);
    else if (isAnnouncement(value)) this.#announced(topic, value, message.subject);
    else this.#deliver(topic, this.#eventIn(topic, value, { text, message, now: Date.now() }));
  }

  #takeList(topic: Topic, list: readonly unknown[]): void {
    const share = topic.turns.shareOf(list.length, topic.awaited());
    this.#deliverSome(topic, list, 0, share);
    if (share < list.length) topic.turns.later(() => this.#deliverSome(topic, list, share, list.length));
  }

  #deliverSome(topic: Topic, list: readonly unknown[], from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.#deliver(topic, this.#eventIn(topic, list[at]));
  }

  #deliver(topic: Topic, event: CallEvent | undefined): void {
    if (event !== undefined && !topic.deliver(event)) this.#tally.lost += 1;
  }

  /**
   * A request without an arrival came with others, which none does: they spread over workers. Only they come at addresses
   * with a star, so that of others the topic's address is theirs.
   */
  #eventIn({ address }: Topic, value: unknown, arrival?: Arrival): CallEvent | undefined {
    if (isCallEvent(value)) {
      if (value.type === "call.requested") {
        if (arrival !== undefined) return receivedRequest(value, arrival, this.#terms);
      } else if (namesItsOwn(value, address)) return value;
    }
    this.#tally.malformed += 1;
    return undefined;
  }

  #announced(topic: Topic, announcement: Announcement, subject: string): void {
    const { requestId, size, replyTo } = announcement;
    const now = Date.now();
    if (replyTo !== undefined && !mayAskFor(replyTo, subject.slice(this.#terms.prefixLength))) {
      this.#tally.malformed += 1;
      return;
    }
    if (size > this.#large.maxEventBytes) {
      this.#tally.tooLarge += 1;
      const what = replyTo === undefined ? "answer" : "request";
      this.#refuse(topic, announcement, tooLarge(what, size, this.#large.maxEventBytes));
      return;
    }
    const done = (bytes: Buffer | undefined): void => {
      if (bytes === undefined) this.#lose(topic, announcement);
      else this.#takeLarge(topic, requestId, { text: bytes.toString(), message: { subject }, now });
      topic.goOn(requestId);
    };
    // Meanwhile nobody else would say that the call lives.
    const goesOn = (): void => this.#tell(topic, announcement, { type: "call.running", requestId });
    const fetch = (): void => this.#large.fetch(announcement, { goesOn, done });
    if (!topic.pause(requestId, fetch)) this.#lose(topic, announcement);
  }

  #takeLarge(topic: Topic, requestId: string, arrival: Arrival): void {
    const value = parsed(arrival.text);
    const event = this.#eventIn(topic, value, arrival);
    if (event === undefined) return;
    if (event.requestId === requestId) topic.tell(event);
    else this.#tally.malformed += 1;
  }

  #lose(topic: Topic, announcement: Announcement): void {
    this.#tally.lost += 1;
    this.#refuse(topic, announcement, announcement.replyTo === undefined ? ANSWER_LOST : REQUEST_LOST);
  }

  #refuse(topic: Topic, announcement: Announcement, error: CallErrorInit): void {
    this.#tell(topic, announcement, {
      ...callErrorData(error),
      type: "call.error",
      requestId: announcement.requestId,
    });
  }

  /** Whoever waits is told: of a request its caller, of an answer the listener here. */
  #tell(topic: Topic, { replyTo }: Announcement, event: CallErrorEvent | CallRunningEvent): void {
    if (replyTo === undefined) topic.tell(event);
    else attempt(() => this.publish(replyTo, event), this.#onError);
  }
}

/** Of a message: for the time, the signature and the brackets of a list. */
const SPARE_BYTES = 1024;

/** How long the end of a bus waits for others, in milliseconds. */
const PATIENCE_MS = 1000;

async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise.catch(() => {}), late]);
  clearTimeout(timer);
}

/** Nothing where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ANSWER_LOST: CallErrorInit = {
  category: "unavailable",
  code: "ANSWER_LOST",
  message: "The answer was too large for one message, and its parts did not come.",
  recoverable: true,
  details: { mayHaveRun: true },
};

const REQUEST_LOST: CallErrorInit = {
  category: "unavailable",
  message: "The request was too large for one message, and its parts did not reach the worker.",
  details: { taken: false },
};
