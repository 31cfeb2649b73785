import { orElse } from "../../../json/attempt.js";
import type { CallHandler, CloseOptions } from "../../../protocol/call-handler.js";
import type { Executor } from "../../../protocol/executor.js";
import { callAddress, workerCallAddress } from "../addresses.js";
import { type DurableCounts, type DurableWorker, durableWorker } from "../durable/durable.js";
import { type OfferedOperation, WORKERS } from "./offer.js";
import type { WorkerSettings } from "./worker-options.js";

/** The subjects at which a worker hears of its operations. */
export class Listening {
  readonly #handler: CallHandler;
  readonly #executor: Executor;
  readonly #settings: WorkerSettings;
  readonly #stops = new Map<string, () => void>();
  #durable: DurableWorker | undefined;

  constructor(handler: CallHandler, executor: Executor, settings: WorkerSettings) {
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
    const stops = [
      this.#handler.listen(callAddress(id, major, "*"), { operationId: id, group: WORKERS }),
      // One group of one: what is under way when it ends is still heard.
      this.#handler.listen(workerCallAddress(id, major, "*", this.#settings.id), { operationId: id, group: WORKERS }),
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
      throw thrown;
    }
  }

  #openDurable(): DurableWorker {
    const { connection, prefix, id, trust, durability, onError } = this.#settings;
    return durableWorker({
      ...durability,
      ...{ connection, prefix, id, ...(trust !== undefined && { trust }) },
      onError: (thrown) => orElse(() => onError(thrown), undefined),
      run: ({ operationId, input, options }) => this.#executor.execute(operationId, input, options),
    });
  }
}

/** Whoever offers another major, or the same otherwise, listens elsewhere. */
function keyOf({ id, major, spec }: OfferedOperation): string {
  return `${id} ${major} ${spec.delivery ?? "once"}`;
}
