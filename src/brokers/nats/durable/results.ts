import { CallError } from "../../../envelope/call-error.js";
import { orElse } from "../../../json/attempt.js";
import { isRecord, isString, type JsonRecord } from "../../../json/value.js";
import { type CallErrorEvent, type CallRespondedEvent, isCallEvent } from "../../../protocol/events.js";
import type { JetStream } from "./jetstream.js";
import { type DurableKey, resultAddress } from "./key.js";

/** What a call has come to. */
export type Answer = CallRespondedEvent | CallErrorEvent;

export interface StoredResult {
  readonly answer: Answer;
  /** Of the question. */
  readonly fingerprint: string;
  /** Who stored it: each attempt has a name of its own. */
  readonly by: string;
  /** For whom it was made, where a worker has believed it. */
  readonly identity?: string;
}

/** The result of a request that had a key is kept by its key. */
interface Reference {
  readonly key: string;
}

/** A result that is larger than a message is kept in parts, which are stored before their head. */
interface Head {
  readonly by: string;
  readonly parts: number;
  readonly bytes: number;
}

/** Nothing larger is stored, nor believed. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Of a message, for its headers. */
const SPARE_BYTES = 2048;
const PARTS_AT_ONCE = 4;

/** Stores the result unless there is one, and says whether it did. */
export async function storeResult(
  js: JetStream,
  key: DurableKey,
  result: StoredResult,
  maxPayload: number,
): Promise<boolean> {
  const address = resultAddress(key);
  const text = JSON.stringify(result);
  const room = maxPayload - SPARE_BYTES;
  if (Buffer.byteLength(text) <= room) return js.storeFirst(address, text);
  const bytes = Buffer.from(text);
  if (bytes.length > MOST_BYTES) throw tooLarge(bytes.length, MOST_BYTES);
  const parts = Math.ceil(bytes.length / room);
  const { by } = result;
  await inTurns(parts, async (at) => {
    await js.store(`${address}.${by}.${at}`, bytes.subarray(at * room, (at + 1) * room));
    return true;
  });
  const head: Head = { by, parts, bytes: bytes.length };
  return js.storeFirst(address, JSON.stringify(head));
}

export async function storeReference(js: JetStream, from: DurableKey, to: DurableKey): Promise<void> {
  const reference: Reference = { key: to.hash };
  await js.storeFirst(resultAddress(from), JSON.stringify(reference));
}

type Read = (address: string) => Promise<Uint8Array | undefined>;

/** The result, if it is there; `read` says whose word counts. */
export async function readResult(read: Read, key: DurableKey): Promise<StoredResult | undefined> {
  const found = recordOf(await read(resultAddress(key)));
  if (found === undefined) return undefined;
  if (isReference(found)) return readReferred(read, { caller: key.caller, hash: found["key"] as string });
  return isHead(found) ? readParts(read, key, found as unknown as Head) : resultFrom(found);
}

/** One step only: no reference leads to another. */
async function readReferred(read: Read, key: DurableKey): Promise<StoredResult | undefined> {
  const found = recordOf(await read(resultAddress(key)));
  if (found === undefined) return undefined;
  return isHead(found) ? readParts(read, key, found as unknown as Head) : resultFrom(found);
}

async function readParts(read: Read, key: DurableKey, { by, parts, bytes }: Head): Promise<StoredResult | undefined> {
  const found: Uint8Array[] = [];
  let size = 0;
  const isWhole = await inTurns(parts, async (at) => {
    const part = await read(`${resultAddress(key)}.${by}.${at}`);
    // Parts are a moment older than their head, and gone a moment earlier.
    if (part === undefined) return false;
    found[at] = part;
    size += part.length;
    return size <= bytes;
  });
  const record = isWhole && size === bytes ? recordOf(Buffer.concat(found)) : undefined;
  return record === undefined ? undefined : resultFrom(record);
}

/** What is stored as a JSON object. */
export function recordOf(bytes: Uint8Array | undefined): JsonRecord | undefined {
  if (bytes === undefined) return undefined;
  const value = orElse(() => JSON.parse(new TextDecoder().decode(bytes)) as unknown, undefined);
  return isRecord(value) ? value : undefined;
}

function isReference({ key }: JsonRecord): boolean {
  return isString(key) && /^[0-9a-f]{40}$/.test(key);
}

function isHead({ by, parts, bytes }: JsonRecord): boolean {
  if (!isString(by) || !/^\w+$/.test(by)) return false;
  return isUpTo(bytes, MOST_BYTES) && isUpTo(parts, bytes as number);
}

function isUpTo(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}

function resultFrom(record: JsonRecord): StoredResult | undefined {
  const { answer, fingerprint, by, identity } = record;
  if (!isCallEvent(answer) || (answer.type !== "call.responded" && answer.type !== "call.error")) return undefined;
  if (!isString(fingerprint) || !isString(by)) return undefined;
  return { answer, fingerprint, by, ...(isString(identity) && { identity }) };
}

/** A few at a time, until one says that it is in vain: whoever writes a head may promise any number of parts. */
async function inTurns(count: number, act: (at: number) => Promise<boolean>): Promise<boolean> {
  for (let first = 0; first < count; first += PARTS_AT_ONCE) {
    const length = Math.min(PARTS_AT_ONCE, count - first);
    const went = await Promise.all(Array.from({ length }, (_, at) => act(first + at)));
    if (went.includes(false)) return false;
  }
  return true;
}

export function tooLarge(bytes: number, most: number): CallError {
  return new CallError({
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    message: `It has ${bytes} bytes, and JetStream keeps at most ${most} here.`,
  });
}
