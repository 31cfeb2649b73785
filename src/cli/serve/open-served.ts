import type { LoadedConfig } from "../../gateway/config/loaded-config.js";
import type { Gateway } from "../../gateway/gateway.js";
import type { Log } from "../../gateway/log.js";
import type { CallRecorder } from "../../gateway/record/record-calls.js";
import type { Redactor } from "../../gateway/redact.js";
import type { ServedGateway } from "../../gateway/serve/served-gateway.js";
import type { ServeSettings } from "./serve-settings.js";

/** What is served: all sources, or a recording. */
export interface Served {
  readonly gateway: ServedGateway;
  /** None of a recording: nothing of it can change. */
  readonly live: Gateway | undefined;
  close(): Promise<void>;
}

export interface OpenServedOptions {
  readonly settings: Pick<ServeSettings, "record" | "replay" | "logLevel">;
  readonly loaded: LoadedConfig;
  readonly redactor: Redactor;
  readonly log: Log;
}

export async function openServed({ settings, loaded, redactor, log }: OpenServedOptions): Promise<Served> {
  const { record, replay, logLevel } = settings;
  if (replay !== undefined) {
    const { replayedGateway } = await import("../../gateway/serve/replayed-gateway.js");
    const gateway = await replayedGateway({ file: replay, loaded, redactor, log });
    return { gateway, live: undefined, close: () => gateway.results.close() };
  }
  const [{ openGateway }, { callLog }] = await Promise.all([
    import("../../gateway/gateway.js"),
    import("../../gateway/layers/call-log.js"),
  ]);
  const recorder = record === undefined ? undefined : await recorderOf(record, redactor, log);
  const isDebug = (logLevel ?? loaded.config.log?.level) === "debug";
  const layers = [...(recorder === undefined ? [] : [recorder.layer]), ...(isDebug ? [callLog(log)] : [])];
  const gateway = openGateway({ loaded, log, stays: true, layers });
  return {
    gateway,
    live: gateway,
    async close() {
      await gateway.close();
      await recorder?.close();
    },
  };
}

async function recorderOf(file: string, redactor: Redactor, log: Log): Promise<CallRecorder> {
  const { recordCalls } = await import("../../gateway/record/record-calls.js");
  return recordCalls({ file, redactor, operations: "all", log });
}
