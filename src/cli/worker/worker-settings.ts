import { isCallError } from "../../envelope/call-error.js";
import { natsTarget } from "../../gateway/config/ad-hoc-config.js";
import type { LogConfig } from "../../gateway/config/config.js";
import { LOG_FORMATS, LOG_LEVELS } from "../../gateway/config/config-choices.js";
import { type Call, type Command, usageError } from "../command.js";

/** What the flags of `plico worker` say. */
export interface WorkerSettings {
  readonly servers: readonly string[] | undefined;
  readonly logFormat: LogConfig["format"] | undefined;
  readonly logLevel: LogConfig["level"] | undefined;
  readonly follows: boolean;
}

export function workerSettings(command: Command, call: Call): WorkerSettings {
  const isGiven = (flag: string) => (word: string) => word === call.value(flag);
  return {
    servers: serversOf(command, call),
    logFormat: LOG_FORMATS.find(isGiven("log-format")),
    logLevel: LOG_LEVELS.find(isGiven("log-level")),
    follows: !call.flag("no-watch"),
  };
}

function serversOf(command: Command, call: Call): readonly string[] | undefined {
  const given = call.value("nats");
  if (given === undefined) return undefined;
  if (given.trim() === "") throw usageError(command, "--nats takes the address of a NATS server, and is empty");
  try {
    return natsTarget("--nats", given);
  } catch (thrown) {
    throw isCallError(thrown) ? usageError(command, thrown.message) : thrown;
  }
}
