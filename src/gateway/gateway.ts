import type { CallErrorData } from "../envelope/call-error.js";
import type { Warning } from "../envelope/warning.js";
import type { OperationRegistry } from "../registry/registry.js";
import type { SourceStatus } from "../registry/source.js";
import type { ResultStore } from "../results/result-store.js";
import type { ServedRegistry } from "../servers/served-registry.js";
import type { SourceConfig, SourceKind } from "./config/config.js";
import type { LoadedConfig } from "./config/loaded-config.js";
import type { Layer } from "./layer.js";
import type { Log } from "./log.js";

export interface GatewayOptions {
  readonly loaded: LoadedConfig;
  /** @default nobody */
  readonly log?: Log;
  /** The names of the sources that are opened. @default all that are not disabled */
  readonly only?: readonly string[];
  /**
   * Whether sources are kept up: opened again after a failure, modules loaded again when they change. A command that is
   * over in a moment does not want that.
   * @default false
   */
  readonly stays?: boolean;
  /** Go around all that is called through `served`, the first outermost, outside of the gateway's own. */
  readonly layers?: readonly Layer[];
}

/** All sources of a configuration in one registry. */
export interface Gateway {
  /** The operations that there are now. */
  readonly registry: OperationRegistry;
  /** The registry behind limits, audit log, telemetry and `layers`; for servers, and for the command line. */
  readonly served: ServedRegistry;
  readonly loaded: LoadedConfig;
  readonly results: ResultStore;
  readonly sources: readonly GatewaySource[];
  /** The source that brought an operation. */
  sourceOf(operationId: string): GatewaySource | undefined;
  /** Until each source is up or has failed, or so many milliseconds have gone by. */
  settled(milliseconds?: number): Promise<void>;
  health(): GatewayHealth;
  /** Calls back when the state of a source has changed. Returns what ends it. */
  onHealth(listener: () => void): () => void;
  /** Goes over to another configuration: only what changed is closed and opened. */
  reload(loaded: LoadedConfig): Promise<void>;
  /** Closes every source. */
  close(): Promise<void>;
}

/** One source of a gateway, whether it is up or not. */
export interface GatewaySource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly config: SourceConfig;
  /** The ids of its operations that are in the registry, in their order. */
  readonly operationIds: readonly string[];
  health(): GatewaySourceHealth;
}

export interface GatewaySourceHealth {
  readonly name: string;
  readonly kind: SourceKind;
  readonly status: SourceStatus;
  readonly operations: number;
  /** Why it is down. */
  readonly error?: CallErrorData;
  readonly warnings: readonly Warning[];
  /** Milliseconds that it took to open. */
  readonly openedInMs?: number;
  /** Of MCP servers. */
  readonly era?: "legacy" | "modern";
  readonly protocolVersion?: string;
  readonly server?: { readonly name: string; readonly version: string };
  readonly restarts?: number;
  /** Of the circuit breaker, where it is not closed. */
  readonly breaker?: "open" | "half-open";
  /** Calls that run, and that wait for their turn. */
  readonly running?: number;
  readonly waiting?: number;
}

export interface GatewayHealth {
  /** `degraded` where a source is not ready. */
  readonly status: "ok" | "starting" | "degraded";
  readonly operations: number;
  readonly sources: readonly GatewaySourceHealth[];
}

/** Begins to open all sources, and waits for none: one that is slow or broken keeps no other one back. */
export function openGateway(_options: GatewayOptions): Gateway {
  throw new Error("not built yet");
}
