import type { NatsClient } from "../nats-client.js";
import { type ConnectionStatus, followStatuses } from "./statuses.js";

/**
 * Tells the subjects that the permissions of this user do not let it publish to: nobody answers what was sent there, and
 * the server says so beside the calls only. Returns what ends it.
 */
export function onRefusedSubject(connection: NatsClient, listener: (subject: string) => void): () => void {
  return followStatuses(connection, (status) => {
    const subject = refusedSubject(status);
    if (subject !== undefined) listener(subject);
  });
}

function refusedSubject({ error }: ConnectionStatus): string | undefined {
  if (!(error instanceof Error) || error.name !== "PermissionViolationError") return undefined;
  const { operation, subject } = error as { readonly operation?: unknown; readonly subject?: unknown };
  return operation === "publish" && typeof subject === "string" ? subject : undefined;
}
