import type { LoadedConfig } from "../../gateway/config/loaded-config.js";
import type { Log } from "../../gateway/log.js";
import { createLog } from "../../gateway/log-writer.js";
import { createRedactor, type Redactor } from "../../gateway/redact.js";
import type { Io, Output } from "../io.js";
import type { ServeSettings } from "./serve-settings.js";

export interface CurrentRedactor extends Redactor {
  follow(loaded: LoadedConfig): void;
}

/** Knows the secrets of each configuration that there was: the old ones may still be said. */
export function currentRedactor({ secrets }: LoadedConfig): CurrentRedactor {
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

export interface LogOptions {
  readonly settings: Pick<ServeSettings, "logLevel" | "logFormat">;
  readonly loaded: LoadedConfig;
  readonly redactor: Redactor;
  readonly output: Output;
  readonly io: Io;
}

/** The log that the flags ask for, else the configuration. */
export function logFor({ settings, loaded: { config }, redactor, output, io }: LogOptions): Log {
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
