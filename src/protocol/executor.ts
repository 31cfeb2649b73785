import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { ExecuteOptions } from "../registry/call-options.js";
import type { OperationSpec } from "../registry/operation.js";

/** What runs the operations behind a call handler: an `OperationRegistry`, or anything that can do the same. */
export interface Executor {
  getSpec(operationId: string): Pick<OperationSpec, "type" | "annotations"> | undefined;
  /** Throws a `CallError`. */
  execute(operationId: string, input: unknown, options?: ExecuteOptions): Promise<ResponseEnvelope>;
  /** `return()` stops the handler's own generator. */
  subscribe(operationId: string, input: unknown, options?: ExecuteOptions): AsyncGenerator<ResponseEnvelope>;
}
