import type { CallEvent } from "./events.js";

/**
 * Carries events between callers and workers. Its laws, which `testBus` of `plico/testing` holds every bus to:
 *
 * - Events from one publisher to one address arrive in the order in which they were published.
 * - Nothing is delivered inside `publish`, so that neither side is ever re-entered.
 * - Delivery is at most once: an event may be lost, never doubled. `publish` returns nothing to wait for.
 * - A listener that throws hurts neither the publisher nor another listener.
 * - After `close`, or after it was unsubscribed, a listener hears nothing; `publish` is ignored.
 * - `publish` throws only where the event cannot be carried at all, such as one that is too large or no JSON, or where
 *   the bus knows that no one will ever answer a request.
 *
 * Who may publish to which address, and whether an event's `identity` is true, is the business of the bus: what it
 * delivers is believed.
 */
export interface Bus {
  /** Delivers to every listener of the address that has no group, and to one listener of each group. */
  publish(address: string, event: CallEvent): void;
  /** Returns what ends the subscription. */
  subscribe(address: string, listener: BusListener, options?: BusSubscribeOptions): () => void;
  close(): Promise<void>;
}

export type BusListener = (event: CallEvent) => void;

export interface BusSubscribeOptions {
  /** Listeners of one group share the events of the address. */
  readonly group?: string;
  /** How many answers the listener waits for, by which a bus may part those that come together. @default not known */
  readonly awaited?: () => number;
}
