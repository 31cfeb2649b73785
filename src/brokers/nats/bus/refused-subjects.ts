import type { NatsClient } from "../nats-client.js";
import { followStatuses } from "./statuses.js";

/** What the permissions of a user may not let it do with a subject. */
export type RefusedDeed = "publish" | "subscription";

/**
 * Tells the subjects that the permissions of this user do not let it publish to, or subscribe to: nobody answers what was
 * sent there, nothing comes from there, and the server says so beside the calls only. Returns what ends it.
 */
export function onRefusedSubject(
  connection: NatsClient,
  listener: (subject: string) => void,
  deed: RefusedDeed = "publish",
): () => void {
  return followStatuses(connection, ({ error }) => {
    const refusal = refusalIn(error);
    if (refusal?.deed === deed) listener(refusal.subject);
  });
}

export interface Refusal {
  readonly deed: RefusedDeed;
  readonly subject: string;
}

/** What an error of the client says of permissions, if it is about them. */
export function refusalIn(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || error.name !== "PermissionViolationError") return undefined;
  const { operation, subject } = error as { readonly operation?: unknown; readonly subject?: unknown };
  if ((operation !== "publish" && operation !== "subscription") || typeof subject !== "string") return undefined;
  return { deed: operation, subject };
}
