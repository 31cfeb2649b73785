import { orElse } from "../../json/attempt.js";
import { isRecord, isString } from "../../json/value.js";
import { isToken } from "./subjects.js";

/** A worker, as its answer to a ping or its news shows it. */
export interface Sighting {
  readonly id: string;
  /** The name of its service. */
  readonly service: string;
  readonly version: string;
  /** Of its catalog. */
  readonly digest: string;
  /** Whether it says that it goes. */
  readonly isLeaving: boolean;
}

/** What a worker tells of itself without being asked. */
export type News = "come" | "change" | "go";

/** The metadata of a service that make it one of ours. */
export function serviceMetadata(prefix: string, digest: string, operations: number): Record<string, string> {
  return { plico_prefix: prefix, plico_catalog: digest, plico_operations: String(operations) };
}

const LONGEST_VERSION = 64;

/** What a message says of a worker of this prefix; nothing where it is another service, or no such message at all. */
export function sightingFrom(text: string, prefix: string): Sighting | undefined {
  const value: unknown = orElse(() => JSON.parse(text), undefined);
  if (!isRecord(value) || !isRecord(value["metadata"])) return undefined;
  const { id, name, version, news, metadata } = value;
  const digest = metadata["plico_catalog"];
  if (metadata["plico_prefix"] !== prefix || !isToken(id) || !isToken(name) || !isToken(digest)) return undefined;
  if (!isString(version) || version.length > LONGEST_VERSION) return undefined;
  return { id, service: name, version, digest, isLeaving: news === "go" } as Sighting;
}
