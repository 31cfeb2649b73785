import { CallError } from "../../envelope/call-error.js";
import { type HandlerContext, whenEnded } from "../../registry/context.js";
import { CallQueue, type QueueLimits } from "../call-queue.js";
import { type ProcessTree, type ProcessTreeOptions, startProcessTree } from "../process-tree.js";

/** All programs of a source: those that run, and the calls that wait until they may start one. */
export class RunningScripts {
  readonly #queue: CallQueue;
  readonly #starting = new Set<Promise<ProcessTree>>();
  readonly #trees = new Set<ProcessTree>();
  /** Of all calls whose program runs. */
  readonly #listeners = new Set<(error: CallError) => void>();
  #closing: Promise<void> | undefined;

  constructor(limits: QueueLimits) {
    this.#queue = new CallQueue(limits);
  }

  get running(): number {
    return this.#queue.running;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Starts a program as soon as there is room for it. It has its place until its process has ended. */
  async start(argv: readonly string[], options: ProcessTreeOptions, context: HandlerContext): Promise<ProcessTree> {
    const leave = await this.#queue.enter(context);
    try {
      const tree = await this.#startNow(argv, options);
      void tree.exited.then(leave);
      return tree;
    } catch (thrown) {
      leave();
      throw thrown;
    }
  }

  async #startNow(argv: readonly string[], options: ProcessTreeOptions): Promise<ProcessTree> {
    // The source may have been closed since the turn came: what starts now, nobody would wait for.
    if (this.#closing !== undefined) throw sourceClosed();
    const starting = startProcessTree(argv, options);
    this.#starting.add(starting);
    try {
      const tree = await starting;
      this.#trees.add(tree);
      void tree.gone.then(() => this.#trees.delete(tree));
      return tree;
    } finally {
      this.#starting.delete(starting);
    }
  }

  /** Calls back when the call ends before its program does, or the source is closed. Returns what ends the watch. */
  whenEnded(context: HandlerContext, listener: (error: CallError) => void): () => void {
    this.#listeners.add(listener);
    const unwatch = whenEnded(context, listener);
    if (this.#closing !== undefined) listener(sourceClosed());
    return () => {
      unwatch();
      this.#listeners.delete(listener);
    };
  }

  /** Ends all of them; resolves when nobody is left. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#queue.close(sourceClosed());
    for (const listener of [...this.#listeners]) listener(sourceClosed());
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#trees].map((tree) => tree.stop()));
  }
}

function sourceClosed(): CallError {
  return new CallError({ category: "unavailable", message: "The source is closed.", recoverable: false });
}
