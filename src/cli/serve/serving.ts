import type { LoadedConfig } from "../../gateway/config/loaded-config.js";
import type { Log } from "../../gateway/log.js";
import { followConfig } from "../../gateway/serve/follow-config.js";
import type { ServedGateway } from "../../gateway/serve/served-gateway.js";
import type { Call, Command } from "../command.js";
import type { ExitCode, Io } from "../io.js";
import { configOf } from "../sources.js";
import { openServed, type Served } from "./open-served.js";
import { type CurrentRedactor, currentRedactor, logFor } from "./serve-log.js";
import type { ServeSettings } from "./serve-settings.js";
import { type EndSignal, endSignal } from "./serve-signals.js";

export interface ServeCall {
  readonly command: Command;
  readonly call: Call;
  readonly io: Io;
}

/** What holds whatever carries the calls. */
export interface ServingSettings
  extends Pick<ServeSettings, "isStdio" | "logFormat" | "logLevel" | "follows" | "record" | "replay"> {
  readonly prepare: Prepare;
}

/**
 * Makes all ready to serve, before any source is opened: what is said of sources is to follow where they are served. The
 * signal gives it up.
 */
export type Prepare = (around: {
  readonly loaded: LoadedConfig;
  readonly log: Log;
  readonly io: Io;
  readonly signal: AbortSignal;
}) => Promise<Prepared>;

interface Prepared {
  start(gateway: ServedGateway): Promise<Started>;
  /** Takes down what there was before the start. */
  close?(): Promise<void>;
}

interface Started {
  /** Settles when there is nobody left to serve. */
  readonly gone?: Promise<undefined>;
  refresh(): void;
  close(): Promise<void>;
}

/** Serves until a signal comes, or nobody is left to serve. */
export async function runServing(settings: ServingSettings, serveCall: ServeCall): Promise<ExitCode> {
  const { io } = serveCall;
  const end = endSignal(io);
  try {
    const loaded = await loadedFor(settings, serveCall);
    const redactor = currentRedactor(loaded);
    const log = logFor({ settings, loaded, redactor, output: settings.isStdio ? io.stderr : io.stdout, io });
    const prepared = await preparedUntil(end, (signal) => settings.prepare({ loaded, log, io, signal }));
    if (prepared === undefined) return 0;
    try {
      const served = await openServed({ settings, loaded, redactor, log });
      try {
        return await serveUntilEnd({ settings, io, log, end, served, redactor, prepared });
      } finally {
        await served.close();
      }
    } finally {
      await prepared.close?.();
    }
  } finally {
    end.stop();
  }
}

/** A recording needs no file; but one that is named says how to serve it. */
async function loadedFor({ replay }: ServingSettings, { command, call, io }: ServeCall): Promise<LoadedConfig> {
  if (replay === undefined || call.value("config") !== undefined) return configOf(command, call, io);
  return { config: { sources: {} }, file: undefined, folder: io.cwd(), secrets: [], notes: [] };
}

/** None where the signal that ends the command came first. */
async function preparedUntil(
  { signal }: EndSignal,
  prepare: (signal: AbortSignal) => Promise<Prepared>,
): Promise<Prepared | undefined> {
  const giveUp = new AbortController();
  const preparing = prepare(giveUp.signal);
  const first = await Promise.race([preparing, signal]);
  if (typeof first !== "string") return first;
  giveUp.abort();
  await preparing.then((prepared) => prepared.close?.()).catch(() => {});
  return undefined;
}

interface Serving {
  readonly settings: ServingSettings;
  readonly io: Io;
  readonly log: Log;
  readonly end: EndSignal;
  readonly served: Served;
  readonly redactor: CurrentRedactor;
  readonly prepared: Prepared;
}

async function serveUntilEnd(serving: Serving): Promise<ExitCode> {
  const { end, log, prepared, served } = serving;
  const server = await prepared.start(served.gateway);
  const following = follow(serving, server.refresh);
  try {
    const signal = await Promise.race([end.signal, server.gone ?? new Promise<undefined>(() => {})]);
    if (signal !== undefined) log.info("Shutting down; once more ends it at once", { signal });
  } finally {
    following?.close();
    await server.close();
  }
  return 0;
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
