import { CallError, type CallErrorData, callErrorData } from "../../../envelope/call-error.js";
import { envelopeFromOutcome, type Outcome } from "../../../envelope/outcome.js";
import { localEnvelope, type ResponseEnvelope } from "../../../envelope/response-envelope.js";
import type { Executor } from "../../../protocol/executor.js";
import type { ExecuteOptions } from "../../../registry/call-options.js";
import type { OperationSpec } from "../../../registry/operation.js";
import type { ServedRegistry } from "../../../registry/served-registry.js";
import { CATALOG_OPERATION, type Catalog } from "../catalog.js";
import type { OfferedOperation } from "./offer.js";

/** What a worker runs: the operations that it offers, each counted, and its catalog. */
export class WorkerExecutor implements Executor {
  readonly #registry: ServedRegistry & Partial<Pick<Executor, "execute">>;
  readonly #find: (operationId: string) => OfferedOperation | undefined;
  readonly #catalog: () => Catalog;

  constructor(
    registry: ServedRegistry,
    find: (operationId: string) => OfferedOperation | undefined,
    catalog: () => Catalog,
  ) {
    this.#registry = registry;
    this.#find = find;
    this.#catalog = catalog;
  }

  getSpec(operationId: string): OperationSpec | undefined {
    return operationId === CATALOG_OPERATION ? CATALOG_SPEC : this.#find(operationId)?.spec;
  }

  /** Whether it is offered now, in this major version. */
  offers(operationId: string, major: number): boolean {
    return this.#find(operationId)?.major === major;
  }

  /** The promise is that of the registry: counting adds none that anybody waits for. */
  execute(operationId: string, input: unknown, options?: ExecuteOptions): Promise<ResponseEnvelope> {
    if (operationId === CATALOG_OPERATION) return Promise.resolve(localEnvelope(this.#catalog(), CATALOG_OPERATION));
    const offered = this.#find(operationId);
    if (offered === undefined) return Promise.reject(notOffered(operationId));
    const began = performance.now();
    const running = this.#run(operationId, input, options);
    running.then(
      () => offered.stats.succeeded(began),
      (thrown) => offered.stats.failed(began, thrown),
    );
    return running;
  }

  subscribe(operationId: string, input: unknown, options?: ExecuteOptions): AsyncGenerator<ResponseEnvelope> {
    const offered = this.#find(operationId);
    if (offered === undefined) throw notOffered(operationId);
    return counted(this.#registry.subscribe(operationId, input, options), offered);
  }

  #run(operationId: string, input: unknown, options?: ExecuteOptions): Promise<ResponseEnvelope> {
    if (this.#registry.execute !== undefined) return this.#registry.execute(operationId, input, options);
    return this.#registry.attempt(operationId, input, options).then((outcome) => {
      if (!outcome.ok && options?.identity === undefined && isUnknownCaller(outcome.error))
        throw advised(outcome.error);
      return envelopeOf(outcome, operationId);
    });
  }
}

function isUnknownCaller({ code, category, suggestedAction }: CallErrorData): boolean {
  return code === "ACCESS_DENIED" && category === "authentication" && suggestedAction === undefined;
}

/** On NATS nobody is known but who signs, or whom the worker takes for somebody. */
function advised(error: CallErrorData): CallError {
  const suggestedAction =
    "Let the caller sign its requests (`signer`, or `sign` in plico.json), and the worker believe it (`trust`).";
  return new CallError({ ...callErrorData(error), suggestedAction, cause: error });
}

/** Throws the error of a failure; what a tool itself calls an error is an answer. */
function envelopeOf(outcome: Outcome, operationId: string): ResponseEnvelope {
  const { meta } = outcome;
  if (!outcome.ok && meta.source === "mcp" && meta.isError) return { data: outcome.error.data, meta };
  if (!outcome.ok || meta.source !== undefined) return envelopeFromOutcome(outcome);
  const envelope = localEnvelope(outcome.data, operationId);
  return { data: envelope.data, meta: { ...meta, ...envelope.meta } };
}

/** A subscription counts once, when it ends; only its own iterator stands between the registry and the wire. */
function counted(
  values: AsyncGenerator<ResponseEnvelope>,
  { stats }: OfferedOperation,
): AsyncGenerator<ResponseEnvelope> {
  const began = performance.now();
  let isOver = false;
  const end = (count: () => void): void => {
    if (!isOver) count();
    isOver = true;
  };
  const next = (): Promise<IteratorResult<ResponseEnvelope>> => {
    const step = values.next();
    step.then(
      ({ done }) => {
        if (done === true) end(() => stats.succeeded(began));
      },
      (thrown) => end(() => stats.failed(began, thrown)),
    );
    return step;
  };
  const stop = (): Promise<IteratorResult<ResponseEnvelope>> => {
    end(() => stats.succeeded(began));
    return values.return(undefined);
  };
  const generator: AsyncGenerator<ResponseEnvelope> = {
    next,
    return: stop,
    throw: (thrown) => values.throw(thrown),
    [Symbol.asyncIterator]: () => generator,
  };
  return generator;
}

const CATALOG_SPEC: OperationSpec = {
  ...{ namespace: "$catalog", name: "read", version: "1.0.0", type: "query" },
  description: "What a worker offers.",
  inputSchema: true,
  outputSchema: true,
};

function notOffered(operationId: string): CallError {
  return new CallError({
    category: "not_found",
    code: "OPERATION_NOT_FOUND",
    message: `This worker does not offer ${operationId}.`,
  });
}
