import { orElse } from "../../../json/attempt.js";
import type { NatsClient } from "../nats-client.js";

/**
 * Tells the subjects that the permissions of this user do not let it publish to: nobody answers what was sent there, and
 * the server says so beside the calls only. Returns what ends it.
 */
export function onRefusedSubject(connection: NatsClient, listener: (subject: string) => void): () => void {
  const statuses = connection.status();
  const follow = async (): Promise<void> => {
    for await (const status of statuses) {
      const subject = refusedSubject(status);
      if (subject !== undefined) orElse(() => listener(subject), undefined);
    }
  };
  follow().catch(() => {});
  return () => {
    const { stop } = statuses as { readonly stop?: unknown };
    if (typeof stop === "function") orElse(() => stop.call(statuses), undefined);
  };
}

function refusedSubject({ error }: { readonly type: string; readonly error?: unknown }): string | undefined {
  if (!(error instanceof Error) || error.name !== "PermissionViolationError") return undefined;
  const { operation, subject } = error as { readonly operation?: unknown; readonly subject?: unknown };
  return operation === "publish" && typeof subject === "string" ? subject : undefined;
}
