import { createResultStore } from "../../results/result-store.js";
import type { LoadedConfig } from "../config/loaded-config.js";
import type { Log } from "../log.js";
import { replayCalls } from "../record/replay-calls.js";
import type { Redactor } from "../redact.js";
import { resultsOptions } from "../results-options.js";
import type { ServedGateway } from "./served-gateway.js";

export interface ReplayedGatewayOptions {
  /** The recording. */
  readonly file: string;
  /** How it is served; its sources are left alone. */
  readonly loaded: LoadedConfig;
  readonly redactor: Redactor;
  readonly log: Log;
}

/** A recording, to be served like the gateway that it was made of. */
export async function replayedGateway({ file, loaded, redactor, log }: ReplayedGatewayOptions): Promise<ServedGateway> {
  const { served, operations, notes } = await replayCalls({ file, redactor });
  for (const note of notes) log.warn(note, { file });
  return {
    served,
    loaded,
    results: createResultStore(resultsOptions(loaded)),
    sourceOf: () => undefined,
    settled: async () => {},
    health: () => ({ status: "ok", operations: operations.length, sources: [] }),
  };
}
