import type { LogConfig, McpServerConfig } from "../../gateway/config/config.js";
import { LOG_FORMATS, LOG_LEVELS, SEARCH_MODES } from "../../gateway/config/config-choices.js";
import { type Call, type Command, fileIn, usageError } from "../command.js";
import type { Io } from "../io.js";

/** What the flags of `plico serve` say. */
export interface ServeSettings {
  readonly isStdio: boolean;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly allowedHosts: readonly string[] | undefined;
  readonly search: McpServerConfig["search"] | undefined;
  readonly logFormat: LogConfig["format"] | undefined;
  readonly logLevel: LogConfig["level"] | undefined;
  readonly follows: boolean;
  readonly record: string | undefined;
  readonly replay: string | undefined;
}

const OF_HTTP = ["port", "host", "allow-host"];
const MOST_PORT = 65_535;

export function serveSettings(command: Command, call: Call, io: Io): ServeSettings {
  const isStdio = call.flag("stdio");
  const stray = OF_HTTP.find((flag) => call.values(flag).length > 0);
  if (isStdio && stray !== undefined) throw usageError(command, `--${stray} says nothing with --stdio`);
  const [record, replay] = [fileIn(call, "record", io), fileIn(call, "replay", io)];
  if (record !== undefined && replay !== undefined)
    throw usageError(command, "--record and --replay are both given; what is replayed was recorded already");
  const hosts = call.values("allow-host");
  const isGiven = (flag: string) => (word: string) => word === call.value(flag);
  return {
    isStdio,
    host: call.value("host"),
    port: portOf(command, call),
    allowedHosts: hosts.length === 0 ? undefined : hosts,
    search: SEARCH_MODES.find(isGiven("search")),
    logFormat: LOG_FORMATS.find(isGiven("log-format")),
    logLevel: LOG_LEVELS.find(isGiven("log-level")),
    follows: !call.flag("no-watch"),
    record,
    replay,
  };
}

function portOf(command: Command, call: Call): number | undefined {
  const port = call.count("port");
  if (port === undefined || port <= MOST_PORT) return port;
  throw usageError(command, `--port takes a number from 0 to ${MOST_PORT}, not ${port}`);
}
