import type { Warning } from "../../envelope/warning.js";
import type { GatewaySourceHealth } from "../gateway.js";
import type { Log } from "../log.js";

/** Tells what becomes of a source, each thing once. */
export class SourceLog {
  readonly #log: Log;
  #isUp = false;
  #trouble: string | undefined;
  #warnings: ReadonlySet<string> = new Set();

  constructor(log: Log) {
    this.#log = log;
  }

  look({ name: source, kind, status, error, operations, warnings, openedInMs }: GatewaySourceHealth): void {
    if (status === "ready") {
      if (!this.#isUp) this.#log.info(`${source} is up`, { source, kind, operations, ms: openedInMs });
      this.#isUp = true;
      this.#trouble = undefined;
    }
    if (status === "down") {
      const trouble = error?.message ?? "";
      const advice = error?.suggestedAction === undefined ? "" : ` ${error.suggestedAction}`;
      if (this.#isUp || trouble !== this.#trouble)
        this.#log.warn(`${source} is down: ${trouble}${advice}`, { source, kind, code: error?.code });
      this.#isUp = false;
      this.#trouble = trouble;
    }
    this.#tellWarnings(source, warnings);
  }

  #tellWarnings(source: string, warnings: readonly Warning[]): void {
    for (const { code, message } of warnings)
      if (!this.#warnings.has(message)) this.#log.warn(`${source}: ${message}`, { source, code });
    this.#warnings = new Set(warnings.map(({ message }) => message));
  }
}
