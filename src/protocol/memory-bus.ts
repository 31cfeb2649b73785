import { CallError } from "../envelope/call-error.js";
import { orElse } from "../json/attempt.js";
import { told } from "../json/told.js";
import type { Bus, BusListener, BusSubscribeOptions } from "./bus.js";
import type { CallEvent } from "./events.js";
import { refused } from "./failure.js";

export interface MemoryBusOptions {
  /** Gets what a listener throws. Nobody else hears of it. */
  readonly onError?: (thrown: unknown) => void;
}

/** A bus within one process. Events are passed on as they are, without a copy. */
export function memoryBus({ onError = () => {} }: MemoryBusOptions = {}): Bus {
  const topics = new Map<string, Topic>();
  // The queue: two arrays instead of one entry an event, and a length of its own, so that their memory is used again.
  const addresses: string[] = [];
  const events: (CallEvent | undefined)[] = [];
  let length = 0;
  let closed = false;

  function drain(): void {
    // The length grows while listeners publish.
    for (let at = 0; at < length; at += 1) {
      const event = events[at];
      events[at] = undefined;
      const topic = topics.get(addresses[at] ?? "");
      if (topic !== undefined && event !== undefined) deliver(topic, event, onError);
    }
    length = 0;
    if (events.length > KEPT_LENGTH) addresses.length = events.length = 0;
  }

  return {
    publish(address, event) {
      // Here it is known that no one will ever answer.
      if (!topics.has(address) && isRequest(event)) throw nobodyListens(address);
      if (closed) return;
      // Node's queueMicrotask takes three times as long.
      if (length === 0) RESOLVED.then(drain);
      addresses[length] = address;
      events[length] = event;
      length += 1;
    },
    subscribe(address, listener, options) {
      if (closed) return () => {};
      const topic = topics.get(address) ?? { everyone: [], groups: [] };
      topics.set(address, topic);
      const leave = join(topic, listener, options);
      return () => {
        leave();
        const deserted = topic.everyone.length === 0 && topic.groups.length === 0;
        if (deserted && topics.get(address) === topic) topics.delete(address);
      };
    },
    async close() {
      closed = true;
      for (const topic of topics.values()) dismiss(topic);
      topics.clear();
    },
  };
}

function isRequest(event: CallEvent): boolean {
  return orElse(() => event.type === "call.requested", false);
}

function nobodyListens(address: string): CallError {
  return new CallError(refused(`No worker listens at ${told(address)}, or the bus is closed.`));
}

const RESOLVED: Promise<void> = Promise.resolve();

/** After a flood of events the queue does not keep its size. */
const KEPT_LENGTH = 4096;

/** The lists are replaced, never changed: a delivery that is under way goes on with the old ones. */
interface Topic {
  everyone: readonly Subscription[];
  groups: readonly Group[];
}

interface Group {
  readonly name: string;
  members: readonly Subscription[];
  turn: number;
}

interface Subscription {
  readonly listener: BusListener;
  active: boolean;
}

function join(topic: Topic, listener: BusListener, { group: name }: BusSubscribeOptions = {}): () => void {
  const subscription: Subscription = { listener, active: true };
  if (name === undefined) {
    topic.everyone = [...topic.everyone, subscription];
    return () => {
      subscription.active = false;
      topic.everyone = topic.everyone.filter((other) => other !== subscription);
    };
  }
  const group = groupOf(topic, name);
  group.members = [...group.members, subscription];
  return () => {
    subscription.active = false;
    group.members = group.members.filter((other) => other !== subscription);
    if (group.members.length === 0) topic.groups = topic.groups.filter((other) => other !== group);
  };
}

function groupOf(topic: Topic, name: string): Group {
  const known = topic.groups.find((group) => group.name === name);
  if (known !== undefined) return known;
  const group: Group = { name, members: [], turn: 0 };
  topic.groups = [...topic.groups, group];
  return group;
}

/** Also those hear nothing more to whom an event is being delivered right now. */
function dismiss({ everyone, groups }: Topic): void {
  for (const subscription of everyone) subscription.active = false;
  for (const { members } of groups) for (const subscription of members) subscription.active = false;
}

function deliver({ everyone, groups }: Topic, event: CallEvent, onError: (thrown: unknown) => void): void {
  for (const subscription of everyone) hand(subscription, event, onError);
  for (const group of groups) {
    group.turn = group.turn + 1 < group.members.length ? group.turn + 1 : 0;
    const subscription = group.members[group.turn];
    if (subscription !== undefined) hand(subscription, event, onError);
  }
}

function hand(subscription: Subscription, event: CallEvent, onError: (thrown: unknown) => void): void {
  // One that left during this very delivery is still in the list.
  if (!subscription.active) return;
  try {
    subscription.listener(event);
  } catch (thrown) {
    orElse(() => onError(thrown), undefined);
  }
}
