/** How many events were ignored, by reason. */
export interface EventCounts {
  /** The call had ended by then. */
  readonly late: number;
  /** It had come before. */
  readonly duplicate: number;
  /** It belongs to no call that was ever made here, or not to this address. */
  readonly unknown: number;
  /** It is no event at all, or more than was allowed. */
  readonly malformed: number;
}

/** The same of a caller. */
export interface PendingCounts extends EventCounts {
  /** Aborts that no worker confirmed, where there are heartbeats. */
  readonly unconfirmed: number;
}

type IgnoredReason = keyof EventCounts;

/** The same while it is being counted. */
export type EventTally = Record<IgnoredReason, number>;

export type PendingTally = Record<keyof PendingCounts, number>;

export function createTally(): EventTally {
  return { late: 0, duplicate: 0, unknown: 0, malformed: 0 };
}
