import { resolve } from "node:path";
import type { ResultsConfig } from "./config/config.js";
import type { LoadedConfig } from "./config/loaded-config.js";

/** What the store of large results is made of; its folder starts at that of the file. */
export function resultsOptions({ config: { results = {} }, folder }: LoadedConfig): ResultsConfig {
  const { directory } = results;
  return { ...results, ...(directory !== undefined && { directory: resolve(folder, directory) }) };
}
