import type { WriteStream } from "node:fs";
import { closeSync, createWriteStream, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { CallError } from "../../envelope/call-error.js";
import { messageOf, orElse } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";
import { type HeaderLine, RECORDING_VERSION } from "./recording.js";

export interface RecordingFileOptions {
  readonly file: string;
  /** Unix epoch milliseconds. */
  readonly now: number;
  /** Called once, when nothing more can be written. */
  readonly onFailure: (error: Error) => void;
  /** Called for a line that no text can hold. */
  readonly onTooLarge: () => void;
}

/** A recording that lines are added to: a new one, or one that is there. Any other file is left as it is. */
export class RecordingFile {
  readonly #stream: WriteStream;
  readonly #onTooLarge: () => void;
  #isOpen = true;
  #room: Promise<void> | undefined;

  /** Throws a `CallError` where the file cannot be written, or is no recording. */
  constructor({ file, now, onFailure, onTooLarge }: RecordingFileOptions) {
    this.#onTooLarge = onTooLarge;
    const descriptor = open(file);
    try {
      begin(descriptor, file, now);
    } catch (thrown) {
      closeSync(descriptor);
      throw thrown;
    }
    this.#stream = createWriteStream(file, { fd: descriptor, highWaterMark: 1024 * 1024 });
    this.#stream.once("error", (error) => {
      this.#isOpen = false;
      onFailure(error);
    });
  }

  /** Adds a line. A promise where the disk is slower than the calls: they should wait for it, or fill the memory. */
  write(print: () => string): Promise<void> | undefined {
    if (!this.#isOpen) return undefined;
    try {
      return this.#stream.write(`${print()}\n`) ? undefined : this.#hasRoom();
    } catch (thrown) {
      // There are no longer texts than half a gigabyte.
      if (!(thrown instanceof RangeError)) throw thrown;
      this.#onTooLarge();
      return undefined;
    }
  }

  /** After all that was written. */
  async close(): Promise<void> {
    this.#isOpen = false;
    if (this.#stream.closed) return;
    await new Promise<void>((resolve) => {
      this.#stream.once("close", resolve);
      this.#stream.end();
    });
  }

  #hasRoom(): Promise<void> {
    this.#room ??= new Promise((resolve) => {
      const done = (): void => {
        this.#room = undefined;
        this.#stream.off("drain", done).off("close", done);
        resolve();
      };
      this.#stream.on("drain", done).on("close", done);
    });
    return this.#room;
  }
}

function open(file: string): number {
  try {
    // What is recorded is for nobody else to read.
    return openSync(file, "a+", 0o600);
  } catch (thrown) {
    throw unwritable(file, thrown);
  }
}

function begin(descriptor: number, file: string, now: number): void {
  const { size } = fstatSync(descriptor);
  if (size === 0) writeHeader(descriptor, file, now);
  else goOn(descriptor, file, size);
}

function writeHeader(descriptor: number, file: string, now: number): void {
  const header: HeaderLine = { plico: "recording", version: RECORDING_VERSION, at: new Date(now).toISOString() };
  try {
    writeSync(descriptor, `${JSON.stringify(header)}\n`);
  } catch (thrown) {
    throw unwritable(file, thrown);
  }
}

const CHUNK = 64 * 1024;

function goOn(descriptor: number, file: string, size: number): void {
  const [first = ""] = textAt(descriptor, 0, Math.min(size, CHUNK)).split("\n", 1);
  const header: unknown = orElse(() => JSON.parse(first), undefined);
  if (!isRecord(header) || header["plico"] !== "recording") throw noRecording(file);
  if (header["version"] !== RECORDING_VERSION) throw otherVersion(file, header["version"]);
  const whole = endOfLastLine(descriptor, size);
  // A recorder that was killed leaves half a line.
  if (whole < size) ftruncateSync(descriptor, whole);
}

function endOfLastLine(descriptor: number, size: number): number {
  for (let end = size; end > 0; end -= CHUNK) {
    const start = Math.max(0, end - CHUNK);
    const at = bytesAt(descriptor, start, end - start).lastIndexOf(0x0a);
    if (at >= 0) return start + at + 1;
  }
  return 0;
}

function textAt(descriptor: number, start: number, length: number): string {
  return bytesAt(descriptor, start, length).toString("utf8");
}

function bytesAt(descriptor: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, start));
}

function unwritable(file: string, thrown: unknown): CallError {
  return new CallError({
    category: "validation",
    code: "RECORDING_UNWRITABLE",
    message: `The recording ${file} cannot be written: ${messageOf(thrown)}.`,
    suggestedAction: "Name a file in a folder that exists and may be written to.",
    cause: thrown,
  });
}

function noRecording(file: string): CallError {
  return new CallError({
    category: "validation",
    code: "NO_RECORDING",
    message: `${file} is no recording, and is not written over.`,
    suggestedAction: "Name a new file, or a recording that calls are to be added to.",
  });
}

/** For those who write one, and those who read one. */
export function otherVersion(file: string, version: unknown): CallError {
  return new CallError({
    category: "validation",
    code: "RECORDING_VERSION",
    message: `${file} is a recording of version ${JSON.stringify(version)}; this Plico knows version ${RECORDING_VERSION}.`,
    suggestedAction: "Record again, or use the Plico that made it.",
  });
}
