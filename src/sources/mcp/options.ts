import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { CallError } from "../../envelope/call-error.js";
import { told } from "../../json/told.js";
import { isRecord, isStringArray } from "../../json/value.js";
import type { InputPolicy, OutputPolicy } from "../../registry/operation.js";

/** An MCP server to start, by `command`, or to talk to, by `url`; and how. */
export interface McpSourceOptions extends Partial<McpLimits> {
  /** The namespace of the operations. */
  readonly name: string;
  /** The program and its arguments. There is no shell between. */
  readonly command?: readonly string[];
  readonly cwd?: string;
  /** Added to the few variables that a server inherits: PATH, HOME and the like. */
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a bearer token; a function is asked each time. */
  readonly token?: string | (() => string | Promise<string>);
  /** OAuth, through the hook of the MCP SDK. */
  readonly authProvider?: OAuthClientProvider;
  /**
   * Which protocol is spoken: `modern` from 2026-07-28 on, `legacy` before; `auto` asks the server.
   * @default "auto"
   */
  readonly era?: "auto" | "legacy" | "modern";
  /**
   * Whether JSON in the text of a result becomes its data, where that is safe.
   * @default true
   */
  readonly recoverJson?: boolean;
  /**
   * Whether another format's document inside a result is read as what it says.
   * @default true
   */
  readonly unfold?: boolean;
  /**
   * Whether a tool that says it failed makes the call throw.
   * @default false
   */
  readonly throwOnToolError?: boolean;
  /** Answers what a server asks in the middle of a call. Without it such a call fails with `INPUT_REQUIRED`. */
  readonly onInputRequest?: InputHook;
  /**
   * What `onInputRequest` can answer.
   * @default ["elicitation/create"]
   */
  readonly inputMethods?: readonly InputMethod[];
  /** For tools of this source, as for any operation. */
  readonly input?: InputPolicy;
  readonly output?: OutputPolicy;
  /** Gets each line that the server writes to its standard error. */
  readonly onStderr?: (line: string) => void;
  /** How Plico names itself to the server. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
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
  /** @default 32 MiB */
  readonly maxMessageBytes: number;
  /**
   * Milliseconds between the steps that end a server's process: end of its input, TERM, KILL.
   * @default 2_000
   */
  readonly graceMs: number;
}

export type InputMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/** What a server asks for. */
export interface InputRequest {
  /** The server's own name for the question. */
  readonly key: string;
  readonly method: InputMethod | (string & {});
  readonly params: unknown;
}

export type InputHook = (request: InputRequest, context: { readonly signal?: AbortSignal }) => unknown;

/** The options with every default. */
export type Settings = McpSourceOptions & McpLimits & Required<Pick<McpSourceOptions, "era" | "clientInfo">>;

const DEFAULTS = {
  era: "auto",
  timeout: 60_000,
  startTimeout: 60_000,
  maxMessageBytes: 32 * 1024 * 1024,
  graceMs: 2_000,
  clientInfo: { name: "plico", version: "0.0.0" },
} as const;

export function settingsOf(options: McpSourceOptions): Settings {
  const problem = problemOf(options);
  if (problem === undefined) return { ...DEFAULTS, ...options };
  throw new CallError({ category: "validation", message: `This is no MCP source: ${problem}.` });
}

function problemOf(options: unknown): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  const { name, command, url, era, token, authProvider } = options;
  if (typeof name !== "string" || name === "") return `\`name\` is ${told(name)}, and must be a text`;
  if ((command === undefined) === (url === undefined)) return "it needs either `command` or `url`";
  if (command !== undefined && (!isStringArray(command) || command.length === 0))
    return `\`command\` is ${told(command)}, and must be a list of texts, the program and its arguments`;
  if (url !== undefined && !/^https?:$/.test(protocolOf(url)))
    return `\`url\` is ${told(String(url))}, and must be an http or https address`;
  if (era !== undefined && !["auto", "legacy", "modern"].includes(era as string))
    return `\`era\` is ${told(era)}, and must be auto, legacy or modern`;
  if (token !== undefined && authProvider !== undefined) return "it has both `token` and `authProvider`";
  for (const limit of ["timeout", "startTimeout", "maxMessageBytes", "graceMs"]) {
    const value = options[limit];
    if (value !== undefined && !(typeof value === "number" && value >= 0))
      return `\`${limit}\` is ${told(value)}, and must be a number from 0`;
  }
  return undefined;
}

function protocolOf(url: unknown): string {
  return (typeof url === "string" && URL.canParse(url)) || url instanceof URL ? new URL(url).protocol : "";
}
