import { told } from "../../json/told.js";
import { isRecord, isString, isStringArray, type JsonRecord } from "../../json/value.js";
import { splitCommandLine } from "./command-line.js";
import type { McpConfig } from "./config.js";
import type { ServerEntry } from "./other-programs.js";

/** A server of another program as a source of ours; what is odd about it; or what keeps it from being one. */
export type EntryReading =
  | { readonly config: McpConfig; readonly notes: readonly string[] }
  | { readonly fault: string; readonly at: string | undefined }
  /** It is none that could be started here. */
  | { readonly config: undefined; readonly notes: readonly string[] };

/** Keys that say nothing that would matter here. */
const QUIET = new Set(
  "type transport command args env cwd workingDirectory url serverUrl httpUrl headers disabled enabled timeout includeTools excludeTools disabledTools autoApprove alwaysAllow trust description name title version gallery icon source".split(
    " ",
  ),
);

/** Names by which programs call a connection over HTTP. */
const HTTP_TYPES = new Set("http https streamable-http streamablehttp streamable_http sse remote".split(" "));

export function readServerEntry({ value, cwd }: ServerEntry): EntryReading {
  if (!isRecord(value)) return { fault: `must be an object, not ${told(value)}`, at: undefined };
  const entry = flattened(value);
  const fault = faultOf(entry);
  if (fault !== undefined) return fault;
  const target = targetOf(entry);
  if (target === undefined) {
    if (entry["settings"] !== undefined)
      return { config: undefined, notes: ["belongs to an extension of its editor, and is left out"] };
    return { fault: "needs a command or a url", at: undefined };
  }
  return { config: configOf(entry, target, cwd), notes: notesOf(entry, target) };
}

/** Zed has had an object in the place of the command. */
function flattened(entry: JsonRecord): JsonRecord {
  const { command, ...rest } = entry;
  if (!isRecord(command)) return entry;
  const { path, args, env } = command;
  return { ...rest, command: path, ...(args !== undefined && { args }), ...(isRecord(env) && { env }) };
}

function addressOf({ httpUrl, url, serverUrl }: JsonRecord): unknown {
  return httpUrl ?? url ?? serverUrl;
}

function targetOf(entry: JsonRecord): string | readonly string[] | undefined {
  const { command, args } = entry;
  const address = addressOf(entry);
  if (isString(address)) return address;
  if (!isString(command)) return undefined;
  return [...programOf(command, args), ...(isStringArray(args) ? args : [])];
}

/** Some write the whole command line; a path may have spaces too. */
function programOf(command: string, args: unknown): readonly string[] {
  const isLine = args === undefined && /^[^\\/\s]+\s/.test(command);
  return (isLine ? splitCommandLine(command) : undefined) ?? [command];
}

function faultOf(entry: JsonRecord): EntryReading | undefined {
  const { command, args, env, headers, cwd } = entry;
  const address = addressOf(entry);
  const wrong = (at: string, what: string): EntryReading => ({ fault: `must be ${what}`, at });
  if (address !== undefined && !isAddress(address)) {
    const at = ["httpUrl", "url", "serverUrl"].find((key) => entry[key] === address) ?? "url";
    return wrong(at, "an address that begins with http:// or https://");
  }
  if (address === undefined && command !== undefined && (!isString(command) || command.trim() === ""))
    return wrong("command", "the name of a program");
  if (args !== undefined && !isStringArray(args)) return wrong("args", "a list of texts");
  if (env !== undefined && env !== null && !areScalars(env)) return wrong("env", "an object of texts");
  if (headers !== undefined && headers !== null && !areScalars(headers)) return wrong("headers", "an object of texts");
  if (cwd !== undefined && cwd !== null && !isString(cwd)) return wrong("cwd", "a path");
  return undefined;
}

/** Where a variable is not filled in yet, nobody knows. */
function isAddress(value: unknown): boolean {
  if (!isString(value)) return false;
  return value.includes("${") || (/^https?:\/\//i.test(value) && URL.canParse(value));
}

function areScalars(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((item) => item === null || typeof item !== "object");
}

function configOf(entry: JsonRecord, target: string | readonly string[], folder: string | undefined): McpConfig {
  const { env, headers, disabled, enabled, includeTools, excludeTools, disabledTools } = entry;
  const isRemote = isString(target);
  const cwd = entry["cwd"] ?? entry["workingDirectory"] ?? folder;
  const hidden = [excludeTools, disabledTools].filter(isStringArray).flat();
  const timeout = timeoutOf(entry["timeout"]);
  return {
    mcp: target,
    ...(!isRemote && isString(cwd) && { cwd }),
    ...(!isRemote && hasFields(env) && { env: textsOf(env) }),
    ...(isRemote && hasFields(headers) && { headers: textsOf(headers) }),
    ...(isStringArray(includeTools) && { include: includeTools }),
    ...(hidden.length > 0 && { exclude: hidden }),
    ...(timeout !== undefined && { timeout }),
    ...((disabled === true || enabled === false) && { disabled: true }),
  };
}

function hasFields(value: unknown): value is JsonRecord {
  return isRecord(value) && Object.keys(value).length > 0;
}

function textsOf(record: JsonRecord): Record<string, string> {
  const given = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** Some programs count seconds, others milliseconds; nobody waits for less than a second, or for 20 minutes. */
function timeoutOf(timeout: unknown): number | undefined {
  if (typeof timeout !== "number" || !(timeout > 0)) return undefined;
  return Math.round(timeout < 1_000 ? timeout * 1_000 : timeout);
}

function notesOf(entry: JsonRecord, target: string | readonly string[]): readonly string[] {
  const { command, args, timeout } = entry;
  const type = String(entry["type"] ?? entry["transport"] ?? "").toLowerCase();
  const strange = Object.keys(entry).filter((key) => !QUIET.has(key));
  return [
    ...(type === "sse" ? ["is of the type sse, which is old; it is tried as streamable HTTP"] : []),
    ...(isString(target) || !HTTP_TYPES.has(type)
      ? []
      : [`is of the type ${type}, but has a command and no url; the command is run`]),
    ...(isString(target) && command !== undefined ? ["has both a url and a command; the url is used"] : []),
    ...(args === undefined && target.length > 1 && !isString(target)
      ? ["has a whole command line as its command; it is split into words"]
      : []),
    ...(typeof timeout === "number" && timeout > 0 && timeout < 1_000
      ? [`has the timeout ${timeout}, which is taken as seconds`]
      : []),
    ...strange.map((key) => `has ${told(key)}, which is not used`),
  ];
}
