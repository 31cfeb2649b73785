import { createHash } from "node:crypto";
import { canonicalJson } from "../../../json/canonical.js";
import type { CallRequestedEvent } from "../../../protocol/events.js";
import { operationPath } from "../addresses.js";

/** Whose call it is, and which: the last two words of its subjects. */
export interface DurableKey {
  readonly caller: string;
  readonly hash: string;
}

type Keyed = Pick<CallRequestedEvent, "requestId" | "operationId" | "idempotencyKey" | "identity">;

/**
 * A hash, so that a key can be any text, and cannot be guessed from a subject. Users of one caller have keys of their
 * own; a `requestId` alone must find its result, so it stands without the operation.
 */
export function keyOf(
  caller: string,
  major: number,
  { requestId, operationId, idempotencyKey, identity }: Keyed,
): DurableKey {
  if (idempotencyKey === undefined) return keyOfRequest(caller, requestId);
  return { caller, hash: digest(["key", caller, operationId, major, identity?.id ?? null, idempotencyKey]) };
}

export function keyOfRequest(caller: string, requestId: string): DurableKey {
  return { caller, hash: digest(["request", caller, requestId]) };
}

/** The same for the same question: a key stands for one question only. */
export function fingerprintOf(major: number, { operationId, input, identity }: CallRequestedEvent): string {
  return digest([operationId, major, identity?.id ?? null, input === undefined ? [] : [input]]);
}

export function durableAddress(operationId: string, major: number, { caller, hash }: DurableKey): string {
  return `${durableAddressOf(operationId, major)}.${caller}.${hash}`;
}

/** What the addresses of all calls of an operation begin with. */
export function durableAddressOf(operationId: string, major: number): string {
  return `durable.${operationPath(operationId)}.v${major}`;
}

export function resultAddress({ caller, hash }: DurableKey): string {
  return `result.${caller}.${hash}`;
}

/** The name of a consumer: for people to read, with a hash because names may differ in what it cannot hold. */
export function consumerName(operationId: string, major: number): string {
  const readable = operationId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 100);
  return `${readable}_v${major}_${digest([operationId, major]).slice(0, 8)}`;
}

/** 160 bits are enough for a name that nobody finds a second text for by chance. */
function digest(parts: readonly unknown[]): string {
  return createHash("sha256").update(canonicalJson(parts)).digest("hex").slice(0, 40);
}
