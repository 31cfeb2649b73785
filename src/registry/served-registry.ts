import type { Outcome } from "../envelope/outcome.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { ExecuteOptions } from "./call-options.js";
import type { OperationSpec } from "./operation.js";

/** What a server serves: an `OperationRegistry`, or anything that can do the same. */
export interface ServedRegistry {
  list(): readonly OperationSpec[];
  attempt(id: string, input?: unknown, options?: ExecuteOptions): Promise<Outcome>;
  subscribe(id: string, input?: unknown, options?: ExecuteOptions): AsyncGenerator<ResponseEnvelope>;
  onChange(listener: () => void): () => void;
}

/** Whether a value can do what a server wants of a registry. */
export function isServedRegistry(value: unknown): value is ServedRegistry {
  const registry = value as Partial<Record<string, unknown>> | null | undefined;
  return ["list", "attempt", "subscribe", "onChange"].every((name) => typeof registry?.[name] === "function");
}
