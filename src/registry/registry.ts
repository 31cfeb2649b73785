import type { CallError } from "../envelope/call-error.js";
import { type Outcome, outcomeFromEnvelope } from "../envelope/outcome.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { ExecuteOptions } from "./call-options.js";
import type { CallContext } from "./context.js";
import { Entry } from "./entry.js";
import { envOf, nestedOptions } from "./env.js";
import { hintsOfFailure } from "./failure-hints.js";
import { allowInside } from "./inside.js";
import { type InputLimits, limitsOf } from "./limits.js";
import { Listeners } from "./listeners.js";
import type { AnyHandler, OperationSpec, OperationType, OutputPolicy } from "./operation.js";
import type {
  AnyOperation,
  Arguments,
  ErrorsOf,
  MapOf,
  OperationMap,
  OutcomeOf,
  OutputOf,
  With,
} from "./operation-map.js";
import { type Middleware, type Pipeline, runCall } from "./pipeline.js";
import { mustSubscribe, operationNotFound } from "./refusals.js";
import { checkHandler, checkPolicy, checkSpec, duplicate } from "./registration.js";
import { Subscription } from "./subscription.js";

export interface RegistryOptions {
  /** Runs around every handler, the first outermost. */
  readonly middleware?: readonly Middleware[];
  /**
   * How large an input may be. Where none are given, the defaults hold for inputs from outside the process, and for
   * what a schema leaves open.
   */
  readonly limits?: InputLimits;
  /**
   * For operations that do not say it themselves.
   * @default "normalise"
   */
  readonly output?: OutputPolicy;
}

/** What a registry knows of an operation. */
export type RegisteredOperation = Readonly<Pick<Entry, "id" | "spec" | "handler" | "warnings">>;

export interface ListFilter {
  readonly namespace?: string;
  readonly type?: OperationType;
  readonly tag?: string;
}

/** Operations by id, and the one way to run them. */
export class OperationRegistry<Operations extends OperationMap = OperationMap> {
  readonly #entries = new Map<string, Entry>();
  readonly #pipeline: Pipeline;
  readonly #output: OutputPolicy;
  readonly #listeners = new Listeners();
  #namespaces: ReadonlyMap<string, readonly Entry[]> | undefined;

  constructor({ middleware = [], limits, output = "normalise" }: RegistryOptions = {}) {
    checkPolicy(output);
    this.#output = output;
    this.#pipeline = {
      middleware,
      limits: limitsOf(limits),
      measuresAll: limits !== undefined,
      makeEnv: (context) => this.#env(context),
    };
    allowInside(this, {
      namespaces: () => this.#byNamespace(),
      callTrusted: (id, input, options) => this.#call(id, input, options, true),
    });
  }

  register<One extends AnyOperation>(operation: One): OperationRegistry<With<Operations, MapOf<[One]>>> {
    return this.registerAll([operation]);
  }

  /** All or none: where one cannot be registered, none is. */
  registerAll<const All extends readonly AnyOperation[]>(
    operations: All,
  ): OperationRegistry<With<Operations, MapOf<All>>> {
    const ids = new Set<string>();
    const entries = operations.map((operation) => {
      const entry = this.#check(operation?.spec, operation?.handler);
      checkHandler(entry.id, entry.handler);
      if (ids.has(entry.id)) throw duplicate(entry.id);
      ids.add(entry.id);
      return entry;
    });
    this.#add(entries);
    return this as unknown as OperationRegistry<With<Operations, MapOf<All>>>;
  }

  /** An operation whose handler comes later, or elsewhere. */
  registerSpec(spec: OperationSpec): this {
    this.#add([this.#check(spec, undefined)]);
    return this;
  }

  /** Forgets an operation; calls that are running go on. Whether there was one. */
  unregister(id: string): boolean {
    return this.unregisterAll([id]) > 0;
  }

  /** The same for many, which is one change. How many there were. */
  unregisterAll(ids: readonly string[]): number {
    const found = ids.filter((id) => this.#entries.delete(id)).length;
    if (found > 0) this.#changed();
    return found;
  }

  /** Calls back after operations came or went. Returns what ends it. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  registerHandler(id: string, handler: AnyHandler): this {
    const entry = this.#find(id);
    if (entry.handler !== undefined) throw duplicate(id, "handler");
    checkHandler(id, handler);
    entry.handler = handler;
    return this;
  }

  get(id: keyof Operations & string): RegisteredOperation | undefined {
    return this.#entries.get(id);
  }

  getSpec(id: keyof Operations & string): OperationSpec | undefined {
    return this.#entries.get(id)?.spec;
  }

  getHandler(id: keyof Operations & string): AnyHandler | undefined {
    return this.#entries.get(id)?.handler;
  }

  /** By its whole id, or by its name where only one operation has it. */
  getByName(name: string): RegisteredOperation | undefined {
    const exact = this.#entries.get(name);
    if (exact !== undefined) return exact;
    const [found, ...others] = [...this.#entries.values()].filter(({ spec }) => spec.name === name);
    return others.length === 0 ? found : undefined;
  }

  list({ namespace, type, tag }: ListFilter = {}): readonly OperationSpec[] {
    return [...this.#entries.values()]
      .map(({ spec }) => spec)
      .filter((spec) => namespace === undefined || spec.namespace === namespace)
      .filter((spec) => type === undefined || spec.type === type)
      .filter((spec) => tag === undefined || spec.tags?.includes(tag) === true);
  }

  /** Calls an operation. Answers in an envelope, or rejects with a `CallError`. */
  execute<Id extends keyof Operations & string>(
    id: Id,
    ...call: Arguments<Operations[Id], ExecuteOptions>
  ): Promise<ResponseEnvelope<OutputOf<Operations[Id]>>>;
  execute(id: string, input?: unknown, options?: ExecuteOptions): Promise<ResponseEnvelope> {
    return this.#call(id, input, options, false);
  }

  /** As `execute`, but never rejects: a failure is an outcome too, also what a tool itself calls an error. */
  attempt<Id extends keyof Operations & string>(
    id: Id,
    ...call: Arguments<Operations[Id], ExecuteOptions>
  ): Promise<OutcomeOf<OutputOf<Operations[Id]>, ErrorsOf<Operations[Id]>>>;
  attempt(id: string, input?: unknown, options?: ExecuteOptions): Promise<Outcome> {
    const failed = (error: CallError): Outcome => ({
      ok: false,
      error,
      meta: { ...idHint(options), ...hintsOfFailure(error) },
    });
    return this.#call(id, input, options, false).then(outcomeFromEnvelope, failed);
  }

  /**
   * The values of an operation as they come, each in an envelope. Nothing happens before the first is asked for; only an
   * unknown id throws at once.
   */
  subscribe<Id extends keyof Operations & string>(
    id: Id,
    ...call: Arguments<Operations[Id], ExecuteOptions>
  ): AsyncGenerator<ResponseEnvelope<OutputOf<Operations[Id]>>, undefined, undefined>;
  subscribe(
    id: string,
    input?: unknown,
    options?: ExecuteOptions,
  ): AsyncGenerator<ResponseEnvelope, undefined, undefined> {
    return new Subscription(this.#pipeline, this.#find(id), input, options);
  }

  #call(
    id: string,
    input: unknown,
    options: ExecuteOptions | undefined,
    isTrusted: boolean,
  ): Promise<ResponseEnvelope> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return Promise.reject(operationNotFound(id, this.#entries.keys()));
    if (entry.spec.type === "subscription") return Promise.reject(mustSubscribe(id));
    return runCall(this.#pipeline, entry, input, options, isTrusted);
  }

  #env(context: CallContext): ReturnType<typeof envOf> {
    return envOf(
      this.#byNamespace(),
      () => true,
      (id, input, options) => this.#call(id, input, nestedOptions(context, options), true),
    );
  }

  #byNamespace(): ReadonlyMap<string, readonly Entry[]> {
    this.#namespaces ??= byNamespace(this.#entries.values());
    return this.#namespaces;
  }

  #check(spec: OperationSpec, handler: AnyHandler | undefined): Entry {
    checkSpec(spec);
    const entry = new Entry(spec, handler, this.#output);
    if (this.#entries.has(entry.id)) throw duplicate(entry.id);
    return entry;
  }

  #add(entries: readonly Entry[]): void {
    for (const entry of entries) this.#entries.set(entry.id, entry);
    if (entries.length > 0) this.#changed();
  }

  #changed(): void {
    this.#namespaces = undefined;
    this.#listeners.tell();
  }

  #find(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw operationNotFound(id, this.#entries.keys());
    return entry;
  }
}

function idHint(options: ExecuteOptions | undefined): { requestId?: string } {
  return options?.requestId === undefined ? {} : { requestId: options.requestId };
}

function byNamespace(entries: Iterable<Entry>): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const entry of entries) found.set(entry.spec.namespace, [...(found.get(entry.spec.namespace) ?? []), entry]);
  return found;
}
