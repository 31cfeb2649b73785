import { type CallError, isCallError } from "../../envelope/call-error.js";
import { categoryFacts } from "../../envelope/category.js";
import { Complaint, type ExitCode } from "../io.js";
import { tellPlaces } from "../serve/serve-places.js";
import { type Prepare, runServing, type ServeCall } from "../serve/serving.js";
import { waitingLine } from "../terminal/waiting-line.js";
import type { WorkerSettings } from "./worker-settings.js";

/** Serves on NATS until a signal comes. */
export async function runWorker(settings: WorkerSettings, serveCall: ServeCall): Promise<ExitCode> {
  const prepare = onNats(settings);
  try {
    return await runServing({ ...settings, isStdio: false, record: undefined, replay: undefined, prepare }, serveCall);
  } catch (thrown) {
    throw isCallError(thrown) ? complaintOf(thrown) : thrown;
  }
}

/** On one line, as the log is. */
function complaintOf({ message, suggestedAction, category }: CallError): Complaint {
  const advice = suggestedAction === undefined ? "" : ` ${suggestedAction}`;
  return new Complaint(message + advice, categoryFacts(category).exitCode);
}

function onNats({ servers, logFormat }: WorkerSettings): Prepare {
  return async ({ loaded, log, io, signal }) => {
    const { natsPlace } = await import("../../gateway/serve/serve-nats.js");
    const stopTelling = waitingLine(io.stderr, () => "Connecting to NATS …");
    const place = await natsPlace({ loaded, log, servers, signal }).finally(stopTelling);
    return {
      async start(gateway) {
        const server = await place.serve(gateway);
        tellPlaces(server.places, { format: logFormat ?? gateway.loaded.config.log?.format, log, io });
        return { gone: server.gone, refresh: () => server.refresh(), close: () => server.close() };
      },
      close: () => place.close(),
    };
  };
}
