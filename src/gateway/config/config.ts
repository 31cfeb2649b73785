import type { InputPolicy, OutputPolicy } from "../../registry/operation.js";
import type { ResultStoreOptions } from "../../results/result-store.js";
import type { McpChannels, McpLayout } from "../../servers/mcp/options.js";
import type { McpSourceOptions } from "../../sources/mcp/options.js";
import type { ModuleSourceOptions } from "../../sources/module/options.js";
import type { OpenApiSourceOptions } from "../../sources/openapi/options.js";
import type { ScriptSourceOptions } from "../../sources/script/options.js";
import type { NatsAccessConfig, NatsServerConfig, SigningKeyConfig } from "./nats-config.js";

/** What `plico.json` says, with its variables filled in. The schema beside this file has the words for users. */
export interface GatewayConfig {
  readonly $schema?: string;
  readonly sources: Readonly<Record<string, SourceConfig>>;
  readonly servers?: ServersConfig;
  readonly limits?: LimitsConfig;
  readonly results?: ResultsConfig;
  readonly log?: LogConfig;
}

export type SourceKind = "mcp" | "openapi" | "script" | "module" | "nats";

/** The kind of a source is its key. */
export type SourceConfig = McpConfig | OpenApiConfig | ScriptConfig | ModuleConfig | NatsConfig;

/** What is said of a source whatever its kind. */
export interface CommonConfig {
  /** In place of the source's name, or of the namespaces that the operations of a module or a fleet say themselves. */
  readonly namespace?: string;
  /** Comes before the name of each operation: with `fs_`, `files.read` is `files.fs_read`. */
  readonly prefix?: string;
  /** Names of operations, without namespace and prefix; `*` stands for anything. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** What callers must be allowed, each of them. */
  readonly scopes?: readonly string[];
  readonly input?: InputPolicy;
  readonly output?: OutputPolicy;
  /** Milliseconds for one call. */
  readonly timeout?: number;
  /** Bytes of a result that an MCP client sees at once. */
  readonly budget?: number | false;
  /** How often at most a call is made again that may be. */
  readonly retries?: number;
  /** Calls at one time; the others wait. */
  readonly concurrency?: number;
  /** Calls that may wait. */
  readonly maxQueue?: number;
  readonly limit?: RateLimitConfig;
  readonly breaker?: BreakerConfig | false;
  /** Left out, as if it were not there. */
  readonly disabled?: boolean;
}

export interface McpConfig extends CommonConfig, Picked<McpSourceOptions, McpOption> {
  /** The program and its arguments, or an address. */
  readonly mcp: string | readonly string[];
}

type McpOption =
  | "cwd"
  | "env"
  | "headers"
  | "token"
  | "era"
  | "recoverJson"
  | "unfold"
  | "throwOnToolError"
  | "startTimeout"
  | "maxMessageLength"
  | "graceMs";

export interface OpenApiConfig extends CommonConfig, Picked<OpenApiSourceOptions, OpenApiOption> {
  /** A file or an address. */
  readonly openapi: string;
}

type OpenApiOption =
  | "baseUrl"
  | "variables"
  | "bodyTypes"
  | "credentials"
  | "headers"
  | "allowPrivate"
  | "idempotencyKeys"
  | "unfold"
  | "tags"
  | "methods"
  | "maxResponseBytes"
  | "maxDocumentBytes"
  | "maxRetryWaitMs"
  | "inlineBytes";

export interface ScriptConfig extends CommonConfig, Picked<ScriptSourceOptions, ScriptOption> {
  /** The program and its arguments; or a file; or a folder of executables. */
  readonly script: string | readonly string[];
}

type ScriptOption =
  | "scripts"
  | "cwd"
  | "env"
  | "passEnv"
  | "operation"
  | "title"
  | "description"
  | "type"
  | "version"
  | "tags"
  | "inputSchema"
  | "outputSchema"
  | "errorSchemas"
  | "annotations"
  | "inputAs"
  | "flags"
  | "outputAs"
  | "major"
  | "exitCodes"
  | "describe"
  | "startTimeout"
  | "graceMs"
  | "maxOutputBytes"
  | "maxStderrBytes";

export interface ModuleConfig extends CommonConfig, Picked<ModuleSourceOptions, "watch" | "startTimeout"> {
  /** A path or the name of a package. */
  readonly module: string;
}

/** Whatever the workers on NATS offer. */
export interface NatsConfig extends CommonConfig, NatsAccessConfig {
  readonly nats: string | readonly string[];
  /**
   * What the subjects begin with.
   * @default "plico"
   */
  readonly subjects?: string;
  /**
   * Our name in subjects.
   * @default the user, else "anyone"
   */
  readonly caller?: string;
  /** The secret by which workers believe whom we speak for. */
  readonly sign?: string;
  /** A key for the same, in place of a secret. */
  readonly signingKey?: SigningKeyConfig;
  /** Which major version is called, by operation; `*` stands for anything. */
  readonly majors?: Readonly<Record<string, number>>;
  /**
   * Milliseconds between signs of life of a call that runs.
   * @default 1_000
   */
  readonly heartbeat?: number;
}

/** Of a file that is JSON: what an option takes beside that, functions and the like, cannot be said there. */
type Picked<Options, Names extends keyof Options> = {
  readonly [Name in Names]?: Exclude<Options[Name], undefined>;
};

/** A bucket that so many calls are in, and that fills again at this rate. */
export interface RateLimitConfig {
  readonly perSecond: number;
  /** @default perSecond, but at least 1 */
  readonly burst?: number;
}

export interface LimitsConfig {
  /** Each caller for itself; those without an identity share one. */
  readonly perIdentity?: RateLimitConfig;
}

export interface BreakerConfig {
  /**
   * Failures of the source one after the other, until it is left alone.
   * @default 5
   */
  readonly failures?: number;
  /**
   * Milliseconds for which it is.
   * @default 10_000
   */
  readonly cooldownMs?: number;
}

export interface ServersConfig {
  readonly http?: HttpConfig;
  readonly mcp?: McpServerConfig | false;
  readonly nats?: NatsServerConfig;
  readonly auth?: AuthConfig;
}

/** Where all is served that is served over HTTP, MCP too. */
export interface HttpConfig {
  /** @default "127.0.0.1" */
  readonly host?: string;
  /** @default 4100 */
  readonly port?: number;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[] | "*";
  readonly cors?: { readonly origins: readonly string[] | "*"; readonly credentials?: boolean };
  readonly maxBodyBytes?: number;
  /** Milliseconds that a call may take. */
  readonly timeout?: number;
  /**
   * Whether there is `/operations` and `/openapi.json`.
   * @default true
   */
  readonly operations?: boolean;
}

export interface McpServerConfig {
  /** @default "/mcp" */
  readonly path?: string;
  readonly layout?: McpLayout;
  readonly channels?: McpChannels;
  readonly toolNames?: "qualified" | "bare";
  readonly instructions?: string;
  readonly budget?: number | false;
  /**
   * Whether clients get three tools to find and call operations by, in place of all of them.
   * @default "auto"
   */
  readonly search?: "off" | "on" | "auto";
  /**
   * With `auto`: more operations than this are searched.
   * @default 60
   */
  readonly searchAbove?: number;
  /**
   * Milliseconds that the list over stdio, and a call to a source that is starting, wait for it.
   * @default 2_000
   */
  readonly startWaitMs?: number;
}

export interface AuthConfig {
  /** Who may call, by name. Without any, everybody is nobody in particular. */
  readonly tokens: Readonly<Record<string, TokenConfig>>;
  /**
   * Whether requests without a token are answered too, as far as nothing asks for scopes.
   * @default false
   */
  readonly anonymous?: boolean;
  /** Who calls over stdio: one of the names above. */
  readonly stdio?: string;
}

export interface TokenConfig {
  readonly token: string;
  readonly scopes?: readonly string[];
}

export type ResultsConfig = Omit<ResultStoreOptions, "now">;

export interface LogConfig {
  /** @default "info" */
  readonly level?: "debug" | "info" | "warn" | "error" | "silent";
  /** @default "text" */
  readonly format?: "text" | "json";
  /** A file for the audit log, JSON lines; `true` puts it into the log. */
  readonly audit?: boolean | string;
  /**
   * Whether the audit log has inputs and answers, secrets taken out.
   * @default false
   */
  readonly payloads?: boolean;
}
