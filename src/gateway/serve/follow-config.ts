import { messageOf } from "../../json/attempt.js";
import { isEqual } from "../../json/value.js";
import type { GatewayConfig } from "../config/config.js";
import type { LoadedConfig } from "../config/loaded-config.js";
import type { Gateway } from "../gateway.js";
import type { Log } from "../log.js";
import { type ConfigWatch, watchConfig } from "./watch-config.js";

export interface FollowConfigOptions {
  readonly gateway: Pick<Gateway, "loaded" | "reload">;
  readonly file: string;
  /** Reads it again. */
  readonly load: () => Promise<LoadedConfig>;
  readonly log: Log;
  /** Hears of each configuration before the gateway goes over to it. */
  readonly beforeReload?: (loaded: LoadedConfig) => void;
  /** The gateway has gone over to it; its sources may still be opening. */
  readonly afterReload?: () => void;
}

/** Goes over to what a file says whenever it changes. One that cannot be used is told of, and changes nothing. */
export function followConfig(options: FollowConfigOptions): ConfigWatch {
  let isClosed = false;
  let turn: Promise<void> = Promise.resolve();
  const readAgain = (): void => {
    turn = turn.then(() => (isClosed ? undefined : reloadOnce(options)));
  };
  const watching = watchConfig(options.file, readAgain);
  // It may have changed since it was read for the first time.
  readAgain();
  return {
    close() {
      isClosed = true;
      watching.close();
    },
  };
}

/** Waits for no source: the slowest one must keep neither the servers nor the next change of the file back. */
async function reloadOnce({ gateway, file, load, log, beforeReload, afterReload }: FollowConfigOptions): Promise<void> {
  const tellFault = (thrown: unknown): void => {
    log.error("The configuration was changed, and cannot be used; the one before stays", { file });
    for (const fault of messageOf(thrown).split("\n")) log.error(fault);
  };
  try {
    const loaded = await load();
    const before = gateway.loaded.config;
    if (isEqual(before, loaded.config)) return;
    beforeReload?.(loaded);
    const changes = changesBetween(before, loaded.config);
    gateway.reload(loaded).then(() => log.info("The configuration was read again", { file, ...changes }), tellFault);
    afterReload?.();
  } catch (thrown) {
    tellFault(thrown);
  }
}

/** The names of sources that came, went or changed. */
function changesBetween(before: GatewayConfig, now: GatewayConfig): Readonly<Record<string, string | undefined>> {
  const names = [...new Set([...Object.keys(before.sources), ...Object.keys(now.sources)])];
  const those = (isMeant: (name: string) => boolean): string | undefined =>
    names.filter(isMeant).join(",") || undefined;
  const was = (name: string): boolean => Object.hasOwn(before.sources, name);
  const is = (name: string): boolean => Object.hasOwn(now.sources, name);
  return {
    added: those((name) => !was(name)),
    removed: those((name) => !is(name)),
    changed: those((name) => was(name) && is(name) && !isEqual(before.sources[name], now.sources[name])),
  };
}
