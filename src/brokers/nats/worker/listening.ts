import { CallError, callErrorData, isCallError } from "../../../envelope/call-error.js";
import { orElse } from "../../../json/attempt.js";
import type { CallHandler, CloseOptions } from "../../../protocol/call-handler.js";
import { refused } from "../../../protocol/failure.js";
import { callAddress, workerCallAddress } from "../addresses.js";
import { type DurableCounts, type DurableWorker, durableWorker } from "../durable/durable.js";
import { type OfferedOperation, WORKERS } from "./offer.js";
import type { WorkerExecutor } from "./worker-executor.js";
import type { WorkerSettings } from "./worker-options.js";

/** The subjects at which a worker hears of its operations. */
export class Listening {
  readonly #handler: CallHandler;
  readonly #executor: WorkerExecutor;
  readonly #settings: WorkerSettings;
  readonly #stops = new Map<string, () => void>();
  #durable: DurableWorker | undefined;

  constructor(handler: CallHandler, executor: WorkerExecutor, settings: WorkerSettings) {
    this.#handler = handler;
    this.#executor = executor;
    this.#settings = settings;
  }

  get durableCounts(): DurableCounts | undefined {
    return this.#durable?.counts;
  }

  getRunningCount(): number {
    return this.#durable?.getRunningCount() ?? 0;
  }

  /** Listens to these operations and no others. Rejects where one cannot be listened to. */
  async follow(operations: ReadonlyMap<string, OfferedOperation>): Promise<void> {
    const wanted = new Map([...operations.values()].map((operation) => [keyOf(operation), operation]));
    for (const [key, stop] of this.#stops) if (!wanted.has(key)) this.#end(key, stop);
    const added = [...wanted].filter(([key]) => !this.#stops.has(key));
    await Promise.all(added.map(([key, operation]) => this.#begin(key, operation)));
  }

  async close(options: CloseOptions): Promise<void> {
    for (const [key, stop] of this.#stops) this.#end(key, stop);
    await this.#durable?.close(options);
  }

  #end(key: string, stop: () => void): void {
    this.#stops.delete(key);
    stop();
  }

  async #begin(key: string, operation: OfferedOperation): Promise<void> {
    if (operation.spec.delivery !== "durable") this.#stops.set(key, this.#listen(operation));
    else await this.#offer(key, operation);
  }

  #listen({ id, major }: OfferedOperation): () => void {
    // What is under way when the operation goes, or its next major comes, is another worker's.
    const isOpen = (): boolean => this.#executor.offers(id, major);
    const options = { operationId: id, group: WORKERS, isOpen };
    const stops = [
      this.#handler.listen(callAddress(id, major, "*"), options),
      // One group of one: what is under way when it ends is still heard.
      this.#handler.listen(workerCallAddress(id, major, "*", this.#settings.id), options),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** An operation may be gone again before JetStream is ready for it. */
  async #offer(key: string, { id, major }: OfferedOperation): Promise<void> {
    this.#durable ??= this.#openDurable();
    const offering = this.#durable.offer(id, major);
    this.#stops.set(key, () => void offering.then((stop) => stop()).catch(() => {}));
    try {
      await offering;
    } catch (thrown) {
      this.#stops.delete(key);
      throw isCallError(thrown) ? notOfferable(id, thrown) : thrown;
    }
  }

  #openDurable(): DurableWorker {
    const { connection, prefix, id, trust, durability, onError } = this.#settings;
    return durableWorker({
      ...durability,
      ...{ connection, prefix, id, ...(trust !== undefined && { trust }) },
      onError: (thrown) => orElse(() => onError(thrown), undefined),
      run: async ({ operationId, major, input, options }) => {
        // It may be gone, or another version of it, since the call was delivered: then it is another worker's.
        if (!this.#executor.offers(operationId, major)) throw notOffered(operationId, major);
        return this.#executor.execute(operationId, input, options);
      },
    });
  }
}

/** Whoever offers another major, or the same otherwise, listens elsewhere. */
function keyOf({ id, major, spec }: OfferedOperation): string {
  return `${id} ${major} ${spec.delivery ?? "once"}`;
}

function notOfferable(operationId: string, error: CallError): CallError {
  const { message, ...told } = callErrorData(error);
  return new CallError({ ...told, message: `${operationId} cannot be offered. ${message}`, cause: error });
}

function notOffered(operationId: string, major: number): CallError {
  return new CallError(refused(`This worker no longer offers version ${major} of ${operationId}.`));
}
