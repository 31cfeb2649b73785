import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { CallError } from "../../envelope/call-error.js";
import { AMOUNT, type Demands, FLAG, FUNCTION, oneOf, TEXT, unmetDemand } from "../../json/demands.js";
import { LONGEST_TIMER } from "../../json/longest-timer.js";
import { told } from "../../json/told.js";
import { compact, isRecord, isString } from "../../json/value.js";
import { ABOUT_PLICO } from "../../mcp/about-plico.js";
import type { InputPolicy, OutputPolicy } from "../../registry/operation.js";
import { POLICIES } from "../../registry/registration.js";
import { areTexts, COMMAND, SIGNAL, SOURCE_NAME } from "../source-demands.js";

/** An MCP server to start, by `command`, or to talk to, by `url`; and how. */
export interface McpSourceOptions extends Options<McpLimits> {
  /** The namespace of the operations. */
  readonly name: string;
  /** The program and its arguments. There is no shell between. */
  readonly command?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  /** Added to the few variables that a server inherits: PATH, HOME and the like. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly url?: string | URL | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as a bearer token; a function is asked each time. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** OAuth, through the hook of the MCP SDK. */
  readonly authProvider?: OAuthClientProvider | undefined;
  /**
   * Which protocol is spoken: `modern` from 2026-07-28 on, `legacy` before; `auto` asks the server.
   * @default "auto"
   */
  readonly era?: "auto" | "legacy" | "modern" | undefined;
  /**
   * Whether JSON in the text of a result becomes its data, where that is safe.
   * @default true
   */
  readonly recoverJson?: boolean | undefined;
  /**
   * Whether another format's document inside a result is read as what it says.
   * @default true
   */
  readonly unfold?: boolean | undefined;
  /**
   * Whether a tool that says it failed makes the call throw.
   * @default false
   */
  readonly throwOnToolError?: boolean | undefined;
  /** Answers what a server asks in the middle of a call. Without it such a call fails with `INPUT_REQUIRED`. */
  readonly onInputRequest?: InputHook | undefined;
  /**
   * What `onInputRequest` can answer.
   * @default ["elicitation/create"]
   */
  readonly inputMethods?: readonly InputMethod[] | undefined;
  /** For tools of this source, as for any operation. */
  readonly input?: InputPolicy | undefined;
  readonly output?: OutputPolicy | undefined;
  /** Gets each line that the server writes to its standard error. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /** Gives up the opening; a source that is open is closed by `close`. */
  readonly signal?: AbortSignal | undefined;
  /** How Plico names itself to the server. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
}

export interface McpLimits {
  /**
   * Milliseconds that a call may take without a sign of life; progress is one.
   * @default 60_000
   */
  readonly timeout: number;
  /**
   * Milliseconds until a server must be ready.
   * @default 60_000
   */
  readonly startTimeout: number;
  /**
   * Characters that an answer may have.
   * @default 33_554_432
   */
  readonly maxMessageLength: number;
  /**
   * Milliseconds between the steps that end a server's process: end of its input, TERM, KILL.
   * @default 2_000
   */
  readonly graceMs: number;
}

const INPUT_METHODS = ["elicitation/create", "sampling/createMessage", "roots/list"] as const;

export type InputMethod = (typeof INPUT_METHODS)[number];

/** What a server asks for. */
export interface InputRequest {
  /** The server's own name for the question. */
  readonly key: string;
  readonly method: InputMethod | (string & {});
  readonly params: unknown;
}

/** Gives the answer. An old server does not say which call it asks in. */
export type InputHook = (request: InputRequest, context: InputContext) => unknown;

export interface InputContext {
  readonly signal: AbortSignal;
  readonly operationId?: string;
}

/** What is left out, or said to be undefined, has its default. */
type Options<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** The options with every default. */
export type Settings = Present<Omit<McpSourceOptions, keyof McpLimits | "era" | "clientInfo">> &
  McpLimits & {
    readonly era: NonNullable<McpSourceOptions["era"]>;
    readonly clientInfo: NonNullable<McpSourceOptions["clientInfo"]>;
  };

type Present<T> = { readonly [Name in keyof T]: Exclude<T[Name], undefined> };

const DEFAULTS = {
  era: "auto",
  timeout: 60_000,
  startTimeout: 60_000,
  maxMessageLength: 32 * 1024 * 1024,
  graceMs: 2_000,
  clientInfo: ABOUT_PLICO,
} as const;

export function settingsOf(options: McpSourceOptions): Settings {
  const problem = problemOf(options);
  if (problem === undefined) return usable({ ...DEFAULTS, ...compact(options) } as Settings);
  throw new CallError({ category: "validation", message: `This is no MCP source: ${problem}.` });
}

/** Timers count with 31 bits; what is longer would be over at once. Names of headers are the same in any case. */
function usable(settings: Settings): Settings {
  const headers = Object.entries(settings.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...settings,
    startTimeout: Math.min(settings.startTimeout, LONGEST_TIMER),
    graceMs: Math.min(settings.graceMs, LONGEST_TIMER),
    headers: Object.fromEntries(headers),
  };
}

/** Only what cannot hold a secret is shown where it is wrong. */
const DEMANDS: Demands = {
  name: SOURCE_NAME,
  command: COMMAND,
  url: { what: "an http or https address", isMet: (value) => /^https?:$/.test(protocolOf(value)), isSecret: true },
  era: oneOf(["auto", "legacy", "modern"]),
  env: { what: "an object of texts", isMet: areTexts, isSecret: true },
  headers: { what: "an object of texts", isMet: areTexts, isSecret: true },
  token: {
    what: "a text, or a function that gives one",
    isMet: (value) => isString(value) || FUNCTION.isMet(value),
    isSecret: true,
  },
  authProvider: { what: "a provider of the MCP SDK", isMet: isRecord, isSecret: true },
  cwd: TEXT,
  clientInfo: { what: "{ name, version }", isMet: areTexts },
  inputMethods: {
    what: `a list of ${INPUT_METHODS.join(", ")}`,
    isMet: (value) => Array.isArray(value) && value.every((method) => INPUT_METHODS.includes(method)),
  },
  recoverJson: FLAG,
  unfold: FLAG,
  throwOnToolError: FLAG,
  onInputRequest: FUNCTION,
  onStderr: FUNCTION,
  signal: SIGNAL,
  input: oneOf(["check", "off"]),
  output: oneOf(POLICIES),
  timeout: AMOUNT,
  startTimeout: AMOUNT,
  maxMessageLength: AMOUNT,
  graceMs: AMOUNT,
};

function problemOf(options: unknown): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  const { name, command, url, token, authProvider } = options;
  if (name === undefined) return "it has no `name`";
  if ((command === undefined) === (url === undefined)) return "it needs either `command` or `url`";
  if (token !== undefined && authProvider !== undefined) return "it has both `token` and `authProvider`";
  return unmetDemand(options, DEMANDS);
}

function protocolOf(url: unknown): string {
  return (isString(url) && URL.canParse(url)) || url instanceof URL ? new URL(url).protocol : "";
}
