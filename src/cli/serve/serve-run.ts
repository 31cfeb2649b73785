import { type CallError, isCallError } from "../../envelope/call-error.js";
import type { LoadedConfig } from "../../gateway/config/loaded-config.js";
import type { Gateway } from "../../gateway/gateway.js";
import type { Log } from "../../gateway/log.js";
import { createLog } from "../../gateway/log-writer.js";
import type { CallRecorder } from "../../gateway/record/record-calls.js";
import { createRedactor, type Redactor } from "../../gateway/redact.js";
import { followConfig } from "../../gateway/serve/follow-config.js";
import type { ServedGateway } from "../../gateway/serve/served-gateway.js";
import type { Call, Command } from "../command.js";
import { Complaint, type ExitCode, type Io } from "../io.js";
import { configOf } from "../sources.js";
import { tellPlaces } from "./serve-places.js";
import type { ServeSettings } from "./serve-settings.js";
import { type EndSignal, endSignal } from "./serve-signals.js";

export interface ServeCall {
  readonly command: Command;
  readonly call: Call;
  readonly io: Io;
}

/** Serves until a signal comes, or over stdio until the client has gone. */
export async function runServe(settings: ServeSettings, serveCall: ServeCall): Promise<ExitCode> {
  const { io } = serveCall;
  const end = endSignal(io);
  try {
    const loaded = await loadedFor(settings, serveCall);
    const redactor = currentRedactor(loaded);
    const log = logFor(settings, loaded, redactor, io);
    // Before any source is opened, so that what is said of them follows where they are served.
    const start = await (settings.isStdio ? stdioStarter() : httpStarter());
    const served = await openServed(settings, loaded, redactor, log);
    try {
      return await serveUntilEnd({ settings, io, log, end, served, redactor }, start);
    } finally {
      await served.close();
    }
  } catch (thrown) {
    throw isCallError(thrown) ? complaintOf(thrown) : thrown;
  } finally {
    end.stop();
  }
}

function complaintOf({ code, message, suggestedAction }: CallError): Complaint {
  const advice = code === "HOSTS_UNNAMED" ? "Here that is --allow-host NAME, or servers.http." : suggestedAction;
  return new Complaint(advice === undefined ? message : `${message} ${advice}`, 2);
}

/** A recording needs no file; but one that is named says how to serve it. */
async function loadedFor({ replay }: ServeSettings, { command, call, io }: ServeCall): Promise<LoadedConfig> {
  if (replay === undefined || call.value("config") !== undefined) return configOf(command, call, io);
  return { config: { sources: {} }, file: undefined, folder: io.cwd(), secrets: [], notes: [] };
}

interface CurrentRedactor extends Redactor {
  follow(loaded: LoadedConfig): void;
}

/** Knows the secrets of each configuration that there was: the old ones may still be said. */
function currentRedactor({ secrets }: LoadedConfig): CurrentRedactor {
  const known = new Set(secrets);
  let current = createRedactor([...known]);
  return {
    text: (text) => current.text(text),
    value: (value) => current.value(value),
    known: (value) => current.known(value),
    follow(loaded) {
      for (const secret of loaded.secrets) known.add(secret);
      current = createRedactor([...known]);
    },
  };
}

function logFor(settings: ServeSettings, { config }: LoadedConfig, redactor: Redactor, io: Io): Log {
  const output = settings.isStdio ? io.stderr : io.stdout;
  const level = settings.logLevel ?? config.log?.level;
  const format = settings.logFormat ?? config.log?.format;
  const isTTY = output.isTTY === true && (io.env["NO_COLOR"] ?? "") === "" && io.env["TERM"] !== "dumb";
  return createLog({
    ...(level !== undefined && { level }),
    ...(format !== undefined && { format }),
    write: (text) => output.write(text),
    isTTY,
    redactor,
  });
}

interface Served {
  readonly gateway: ServedGateway;
  /** None of a recording: nothing of it can change. */
  readonly live: Gateway | undefined;
  close(): Promise<void>;
}

async function openServed(
  { record, replay, logLevel }: ServeSettings,
  loaded: LoadedConfig,
  redactor: Redactor,
  log: Log,
): Promise<Served> {
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

interface Serving {
  readonly settings: ServeSettings;
  readonly io: Io;
  readonly log: Log;
  readonly end: EndSignal;
  readonly served: Served;
  readonly redactor: CurrentRedactor;
}

async function serveUntilEnd(serving: Serving, start: Starter): Promise<ExitCode> {
  const server = await start(serving);
  const following = follow(serving, server.refresh);
  try {
    const signal = await Promise.race([serving.end.signal, server.gone]);
    if (signal !== undefined) serving.log.info("Shutting down; once more ends it at once", { signal });
  } finally {
    following?.close();
    await server.close();
  }
  return 0;
}

interface Started {
  /** Settles when there is nobody left to serve. */
  readonly gone: Promise<undefined>;
  refresh(): void;
  close(): Promise<void>;
}

type Starter = (serving: Serving) => Promise<Started>;

async function httpStarter(): Promise<Starter> {
  const { serveGateway } = await import("../../gateway/serve/serve-http.js");
  return async ({ settings, io, log, served: { gateway } }) => {
    const { host, port, allowedHosts, search } = settings;
    const server = await serveGateway({ gateway, log, host, port, allowedHosts, search });
    const isJson = (settings.logFormat ?? gateway.loaded.config.log?.format) === "json";
    if (isJson) log.info("Serving", server.places);
    else tellPlaces(server.places, io);
    return { gone: new Promise(() => {}), refresh: () => server.refresh(), close: () => server.close() };
  };
}

async function stdioStarter(): Promise<Starter> {
  const { serveGatewayStdio } = await import("../../gateway/serve/serve-stdio.js");
  return async ({ settings, log, served: { gateway } }) => {
    const server = serveGatewayStdio({ gateway, log, search: settings.search });
    log.info("Serving MCP over standard input and output");
    return {
      gone: server.closed.then(() => undefined),
      refresh: () => log.info("What `servers` says holds from the next start on"),
      close: () => server.close(),
    };
  };
}

function follow({ settings, io, log, served, redactor }: Serving, refresh: () => void): { close(): void } | undefined {
  const { live } = served;
  const file = live?.loaded.file;
  if (live === undefined || file === undefined || !settings.follows) return undefined;
  const load = async (): Promise<LoadedConfig> => {
    const { loadConfig } = await import("../../gateway/config/load-config.js");
    return loadConfig({ cwd: io.cwd(), env: io.env, file });
  };
  return followConfig({
    gateway: live,
    file,
    load,
    log,
    beforeReload: (loaded) => redactor.follow(loaded),
    afterReload: refresh,
  });
}
