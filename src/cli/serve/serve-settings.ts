import type { LogConfig, McpServerConfig } from "../../gateway/config/config.js";
import { nearestOf } from "../../registry/refusals.js";
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
  return {
    isStdio,
    host: call.value("host"),
    port: portOf(command, call),
    allowedHosts: hosts.length === 0 ? undefined : hosts,
    search: oneOf(command, call, "search", ["off", "on", "auto"]),
    logFormat: oneOf(command, call, "log-format", ["text", "json"]),
    logLevel: oneOf(command, call, "log-level", ["debug", "info", "warn", "error", "silent"]),
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

function oneOf<Word extends string>(
  command: Command,
  call: Call,
  flag: string,
  words: readonly Word[],
): Word | undefined {
  const given = call.value(flag);
  const found = words.find((word) => word === given);
  if (given === undefined || found !== undefined) return found;
  const nearest = nearestOf(given, words);
  const advice = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  throw usageError(command, `--${flag} takes ${words.join(", ")}, not "${given}"${advice}`);
}
