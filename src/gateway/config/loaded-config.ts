import type { CallErrorData } from "../../envelope/call-error.js";
import type { GatewayConfig } from "./config.js";

/** A configuration that was read and checked. */
export interface LoadedConfig {
  readonly config: GatewayConfig;
  /** Absolute; none for sources that were named on the command line. */
  readonly file: string | undefined;
  /** Where its paths start. */
  readonly folder: string;
  /** Texts that must not be printed: what came from variables, and values of options that hold secrets. */
  readonly secrets: readonly string[];
  /** Why a source cannot be opened, by its name: a variable of it is not set. The others can. */
  readonly unusable?: Readonly<Record<string, CallErrorData>>;
  /** What is odd about the file but does not keep it from being used. */
  readonly notes: readonly string[];
}
