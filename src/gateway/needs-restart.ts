import { isEqual } from "../json/value.js";
import type { LoadedConfig } from "./config/loaded-config.js";
import { resultsOptions } from "./results-options.js";

const FIXED: Readonly<Record<string, (loaded: LoadedConfig) => unknown>> = {
  results: resultsOptions,
  "log.level": ({ config }) => config.log?.level,
  "log.format": ({ config }) => config.log?.format,
};

/** What has changed in a configuration that a gateway cannot go over to while it runs. */
export function needsRestart(before: LoadedConfig, now: LoadedConfig): readonly string[] {
  return Object.keys(FIXED).filter((name) => !isEqual(FIXED[name]?.(before), FIXED[name]?.(now)));
}
