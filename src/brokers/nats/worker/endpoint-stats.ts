import { messageOf } from "../../../json/attempt.js";
import { isRecord } from "../../../json/value.js";

/** How often an operation was called here, and how long that took. */
export interface OperationStats {
  readonly requests: number;
  readonly errors: number;
  readonly lastError?: string;
  /** Milliseconds, of all calls that have ended. */
  readonly processingMs: number;
}

/** Counts the calls of one operation. */
export class EndpointStats {
  #requests = 0;
  #errors = 0;
  #lastError: string | undefined;
  #processingMs = 0;

  /** What `performance.now()` said when the call began. */
  succeeded(began: number): void {
    this.#requests += 1;
    this.#processingMs += performance.now() - began;
  }

  failed(began: number, thrown: unknown): void {
    this.succeeded(began);
    this.#errors += 1;
    const code = isRecord(thrown) && typeof thrown["code"] === "string" ? `${thrown["code"]}: ` : "";
    this.#lastError = `${code}${messageOf(thrown)}`.slice(0, LONGEST_ERROR);
  }

  read(): OperationStats {
    const counts = { requests: this.#requests, errors: this.#errors, processingMs: this.#processingMs };
    return this.#lastError === undefined ? counts : { ...counts, lastError: this.#lastError };
  }
}

const LONGEST_ERROR = 200;
