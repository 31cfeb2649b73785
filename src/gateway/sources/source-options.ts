import { resolve } from "node:path";
import { compact, type JsonRecord, omit } from "../../json/value.js";
import type { McpSourceOptions } from "../../sources/mcp/options.js";
import type { ModuleSourceOptions } from "../../sources/module/options.js";
import type { OpenApiSourceOptions } from "../../sources/openapi/options.js";
import type { ScriptSourceOptions } from "../../sources/script/options.js";
import type {
  CommonConfig,
  McpConfig,
  ModuleConfig,
  NatsConfig,
  OpenApiConfig,
  ScriptConfig,
  SourceConfig,
  SourceKind,
} from "../config/config.js";
import { natsAddresses } from "../config/nats-address.js";
import { sourceKindOf } from "../config/source-kind.js";
import type { FleetOptions } from "../nats/fleet-source.js";

/** What a source itself is told, by its kind. Two that are equal need not be opened one after the other. */
export type SourceOptions =
  | { readonly kind: "mcp"; readonly options: McpSourceOptions }
  | { readonly kind: "openapi"; readonly options: OpenApiSourceOptions }
  | { readonly kind: "script"; readonly options: ScriptOptions }
  | { readonly kind: "module"; readonly options: ModuleSourceOptions }
  | { readonly kind: "nats"; readonly options: FleetOptions };

/** Whether `path` is a file or a folder is seen when the source is opened. */
type ScriptOptions = Omit<ScriptSourceOptions, "file" | "directory"> & { readonly path?: string };

export interface SourceOptionsOrigin {
  readonly name: string;
  readonly config: SourceConfig;
  /** Where its paths start. */
  readonly folder: string;
  readonly stays: boolean;
}

export function sourceOptionsOf({ name, config, folder, stays }: SourceOptionsOrigin): SourceOptions {
  const kind = sourceKindOf(config);
  const own = { name, ...omit(config as unknown as JsonRecord, [kind, ...gatewayOptionsOf(kind)]) };
  // What else the configuration says was checked when it was read, and is again by the source itself.
  if (kind === "mcp") return { kind, options: mcpOptions(config as McpConfig, own, folder) };
  if (kind === "openapi") return { kind, options: openapiOptions(config as OpenApiConfig, own, folder) };
  if (kind === "script") return { kind, options: scriptOptions(config as ScriptConfig, own, folder) };
  if (kind === "module") return { kind, options: moduleOptions(config as ModuleConfig, own, folder, stays) };
  return { kind, options: { ...own, servers: natsAddresses((config as NatsConfig).nats), folder } };
}

const ADDRESS = /^https?:\/\//i;

function mcpOptions({ mcp, cwd = "" }: McpConfig, own: { name: string }, folder: string): McpSourceOptions {
  if (typeof mcp === "string" && ADDRESS.test(mcp)) return { ...own, url: mcp };
  return { ...own, command: typeof mcp === "string" ? [mcp] : mcp, cwd: resolve(folder, cwd) };
}

function openapiOptions({ openapi }: OpenApiConfig, own: { name: string }, folder: string): OpenApiSourceOptions {
  return { ...own, ...(ADDRESS.test(openapi) ? { url: openapi } : { file: resolve(folder, openapi) }) };
}

function scriptOptions({ script, cwd = "" }: ScriptConfig, own: { name: string }, folder: string): ScriptOptions {
  const program = typeof script === "string" ? { path: resolve(folder, script) } : { command: script };
  return { ...own, ...program, cwd: resolve(folder, cwd) };
}

function moduleOptions(
  { module, watch = true }: ModuleConfig,
  own: { name: string },
  folder: string,
  stays: boolean,
): ModuleSourceOptions {
  return { ...own, module, cwd: folder, watch: watch && stays };
}

/** What is said of a source whatever its kind; true where it changes what is done around its operations. */
const COMMON: Readonly<Record<keyof CommonConfig, boolean>> = {
  namespace: true,
  prefix: true,
  include: true,
  exclude: true,
  scopes: true,
  input: true,
  output: true,
  timeout: true,
  retries: true,
  concurrency: true,
  maxQueue: true,
  limit: true,
  breaker: true,
  budget: false,
  disabled: false,
};

/** Which of these a source does itself. */
const OWN: Readonly<Record<SourceKind, readonly (keyof CommonConfig)[]>> = {
  mcp: ["timeout"],
  openapi: ["timeout", "retries"],
  script: ["timeout", "concurrency", "maxQueue", "input", "output"],
  module: [],
  nats: ["retries"],
};

function gatewayOptionsOf(kind: SourceKind): readonly string[] {
  return Object.keys(COMMON).filter((option) => !OWN[kind].includes(option as keyof CommonConfig));
}

/** What is done around the operations of a source. */
export function fittingOf(config: SourceConfig): CommonConfig {
  const kind = sourceKindOf(config);
  const names = (Object.keys(COMMON) as (keyof CommonConfig)[]).filter((name) => COMMON[name]);
  return compact(
    Object.fromEntries(names.filter((name) => !OWN[kind].includes(name)).map((name) => [name, config[name]])),
  ) as CommonConfig;
}
