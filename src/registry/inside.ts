import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { ExecuteOptions } from "./call-options.js";
import type { Entry } from "./entry.js";

/** What only this package may do with a registry: no caller can make itself trusted. */
export interface RegistryInside {
  /** The operations by namespace, in the order of their registration. */
  namespaces(): ReadonlyMap<string, readonly Entry[]>;
  /** A call of one handler to another operation. */
  callTrusted(id: string, input: unknown, options: ExecuteOptions): Promise<ResponseEnvelope>;
}

const INSIDE = new WeakMap<object, RegistryInside>();

export function allowInside(registry: object, inside: RegistryInside): void {
  INSIDE.set(registry, inside);
}

export function insideOf(registry: object): RegistryInside {
  const inside = INSIDE.get(registry);
  if (inside === undefined) throw new TypeError("An OperationRegistry of this copy of Plico is wanted.");
  return inside;
}
