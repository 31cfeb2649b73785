import type { CallError } from "../../../envelope/call-error.js";
import { isRecord } from "../../../json/value.js";
import type { HandlerContext } from "../../../registry/context.js";
import { isRepeatable } from "../../../registry/repeatable.js";
import { controlAddress } from "../addresses.js";
import type { Target } from "./call-target.js";

/** The attempts at one call: where it is made again, as long as that is safe. */
export class Attempts {
  readonly #target: Target;
  readonly #tried = new Set<string>();
  #last: string;
  #count = 1;

  constructor(target: Target) {
    this.#target = target;
    this.#last = target.address;
  }

  /** Where the call that has failed is to be made next: of another worker, else of whoever takes it. */
  after(error: CallError): string | undefined {
    const { caller, spec, address } = this.#target;
    if (!isTrouble(error)) return undefined;
    caller.onTrouble();
    if (this.#count > caller.retries || !(wasNotTaken(error) || isRepeatable(spec))) return undefined;
    const lost = lostWorker(error);
    if (lost !== undefined) this.#tried.add(lost);
    const next = this.#target.another(this.#tried) ?? (this.#last === address ? undefined : address);
    if (next === undefined) return undefined;
    this.#last = next;
    this.#count += 1;
    return next;
  }

  /** Tells the consumer, whether the last attempt went well or not. */
  tell(context: HandlerContext): void {
    if (this.#count === 1) return;
    const message = "was called more than once, because a worker was lost or busy";
    context.warn({ code: "RETRIED", message, count: this.#count });
  }
}

/** Whether the worker failed, or the way to it, and not the operation. */
function isTrouble(error: CallError): boolean {
  return error.category === "unavailable" && (wasNotTaken(error) || LOST.has(error.code));
}

const LOST: ReadonlySet<string> = new Set(["WORKER_LOST", "ANSWER_LOST"]);

function wasNotTaken({ details }: CallError): boolean {
  return isRecord(details) && details["taken"] === false;
}

/** The worker that was lost, where it is known. */
function lostWorker({ details }: CallError): string | undefined {
  const controlTo = isRecord(details) ? details["controlTo"] : undefined;
  const start = controlAddress("");
  return typeof controlTo === "string" && controlTo.startsWith(start) ? controlTo.slice(start.length) : undefined;
}
