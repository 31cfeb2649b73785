import type { Layer } from "../../gateway/layer.js";
import { type Log, SILENT } from "../../gateway/log.js";
import { createRedactor, type Redactor } from "../../gateway/redact.js";
import type { OperationSpec } from "../../registry/operation.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import type { Call, Command } from "../command.js";
import { keepOperations } from "../completion/completion-cache.js";
import type { Io } from "../io.js";
import { notFound, specNamed, withOperation } from "../operation-choice.js";
import { configOf } from "../sources.js";
import { tellLine } from "../terminal/tell.js";
import type { CallRequest } from "./call-request.js";

/** The operation that is called, and what answers for it. */
export interface CallTarget {
  readonly served: ServedRegistry;
  readonly spec: OperationSpec;
  /** Knows the secrets of the configuration: a server may repeat them in what it complains of. */
  readonly redactor: Redactor;
}

export interface TargetOptions {
  readonly command: Command;
  readonly call: Call;
  readonly request: CallRequest;
  readonly io: Io;
  readonly signal: AbortSignal;
}

/** Opens what is called: the source that has the operation, or a recording of it. */
export async function withTarget<Result>(
  { command, call, request, io, signal }: TargetOptions,
  use: (target: CallTarget) => Promise<Result>,
): Promise<Result> {
  const { operation, record, replay } = request;
  if (replay !== undefined) return use(await replayed(operation, replay));
  const loaded = await configOf(command, call, io);
  const redactor = createRedactor(loaded.secrets);
  return recording(record, { redactor, io }, (layers) =>
    withOperation(operation, { loaded, signal, io, layers }, async (gateway, spec) => {
      const result = await use({ served: gateway.served, spec, redactor });
      keepOperations(gateway, io, (one) => one === spec);
      return result;
    }),
  );
}

async function replayed(operation: string, file: string): Promise<CallTarget> {
  const { replayCalls } = await import("../../gateway/record/replay-calls.js");
  const { served } = await replayCalls({ file });
  const spec = specNamed(operation, served.list());
  if (spec === undefined) throw notFound(operation, served.list());
  return { served, spec, redactor: createRedactor([]) };
}

async function recording<Result>(
  file: string | undefined,
  { redactor, io }: { readonly redactor: Redactor; readonly io: Io },
  use: (layers: readonly Layer[]) => Promise<Result>,
): Promise<Result> {
  if (file === undefined) return use([]);
  const { recordCalls } = await import("../../gateway/record/record-calls.js");
  const recorder = recordCalls({ file, redactor, log: { ...SILENT, warn: tellOn(io), error: tellOn(io) } });
  try {
    return await use([recorder.layer]);
  } finally {
    await recorder.close();
  }
}

function tellOn({ stderr }: Io): Log["error"] {
  return (message, { error } = {}) =>
    tellLine(stderr, `plico: ${message}${typeof error === "string" ? ` ${error}` : ""}`);
}
