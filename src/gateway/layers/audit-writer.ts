import { resolve } from "node:path";
import { orElse } from "../../json/attempt.js";
import { printJson } from "../../json/printable.js";
import type { OperationType } from "../../registry/operation.js";
import type { LogConfig } from "../config/config.js";
import type { Log } from "../log.js";
import type { Redactor } from "../redact.js";
import { AuditFile } from "./audit-file.js";

export interface AuditWriterOptions {
  readonly log: Log;
  /** Asked for each call, because a configuration may be read again. */
  readonly settings: () => LogConfig | undefined;
  readonly redactor: () => Redactor;
  /** Where the path of the file starts. */
  readonly folder: string;
}

/** One line of the audit log. */
export interface AuditEntry {
  readonly time: string;
  readonly event: "call";
  readonly requestId: string;
  readonly traceId?: string;
  readonly operation: string;
  /** `null` where no source has such an operation. */
  readonly source: string | null;
  readonly type: OperationType | null;
  /** `null` where the caller is not known. */
  readonly identity: string | null;
  readonly ms: number;
  readonly ok: boolean;
  readonly category?: string;
  readonly code?: string;
  /** Of a subscription: how many values came, and whether the caller ended it before its source did. */
  readonly values?: number;
  readonly stopped?: boolean;
  readonly input?: unknown;
  readonly answer?: unknown;
}

/** Writes entries to where the settings say at the time. */
export class AuditWriter {
  readonly #options: AuditWriterOptions;
  #file: AuditFile | undefined;
  /** Of files that are written no more. */
  readonly #closing = new Set<Promise<void>>();

  constructor(options: AuditWriterOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    const audit = this.#options.settings()?.audit;
    return audit !== undefined && audit !== false;
  }

  /** A field with the payload, where it is asked for. */
  payload(name: "input" | "answer", value: unknown): Pick<AuditEntry, "input" | "answer"> {
    if (value === undefined || this.#options.settings()?.payloads !== true) return {};
    const plain = orElse<unknown>(() => JSON.parse(printJson(this.#options.redactor().value(value))), undefined);
    return plain === undefined ? {} : { [name]: plain };
  }

  write(entry: AuditEntry): void {
    const audit = this.#options.settings()?.audit;
    if (typeof audit === "string") this.#fileAt(resolve(this.#options.folder, audit)).write(printJson(entry));
    else if (audit === true) this.#tell(entry);
  }

  async close(): Promise<void> {
    this.#leave();
    await Promise.all(this.#closing);
  }

  /** The log has a time of its own. */
  #tell({ time: _, ...entry }: AuditEntry): void {
    this.#options.log.info(`called ${entry.operation}`, entry);
  }

  #fileAt(path: string): AuditFile {
    if (this.#file?.path !== path) this.#leave();
    this.#file ??= new AuditFile(path, this.#options.log);
    return this.#file;
  }

  #leave(): void {
    const closing = this.#file?.close();
    this.#file = undefined;
    if (closing === undefined) return;
    this.#closing.add(closing);
    void closing.then(() => this.#closing.delete(closing));
  }
}
