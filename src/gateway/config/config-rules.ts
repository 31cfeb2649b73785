import type { Issue } from "../../json/issue.js";
import { pointerTo } from "../../json/pointer.js";
import { told } from "../../json/told.js";
import { isRecord, isString, type JsonRecord } from "../../json/value.js";
import { nearestOf } from "../../registry/refusals.js";
import { isLoopback } from "../../servers/http-guard.js";
import { isAddress } from "./ad-hoc-config.js";
import { splitCommandLine } from "./command-line.js";
import type { GatewayConfig, ServersConfig } from "./config.js";
import { natsServerRules, natsSourceRules } from "./nats-rules.js";
import { isSourceName } from "./source-name.js";

/** What a configuration must hold to beyond its schema. */
export function* configRules({ sources, mcpServers, servers }: JsonRecord): Generator<Issue> {
  if (sources === undefined && mcpServers === undefined)
    yield issue(["sources"], 'is required, such as { "sources": { "files": { "mcp": ["npx", "-y", "…"] } } }');
  for (const [name, source] of Object.entries(isRecord(sources) ? sources : {})) {
    if (!isSourceName(name))
      yield issue(["sources", name], "is no name for a source: letters, digits, _ and -, at most 64");
    if (isRecord(source)) yield* sourceRules(name, source);
  }
  if (isRecord(servers)) yield* serverRules(servers);
}

/** What is odd about a configuration that holds to the rules. */
export function* configNotes({ sources, servers = {} }: GatewayConfig): Generator<string> {
  if (Object.keys(sources).length === 0) yield "there is no source in it";
  if (isOpenToAll(servers))
    yield "servers.http.host lets other machines in, and servers.auth asks nobody for a token: whoever reaches the port may call";
  for (const name of shortTokens(servers))
    yield `servers.auth.tokens.${name}.token has less than ${SHORTEST_TOKEN} characters, and may be guessed`;
}

/** Whether other machines may call without a token. */
export function isOpenToAll({ http: { host } = {}, auth }: ServersConfig): boolean {
  const asksNobody = Object.keys(auth?.tokens ?? {}).length === 0 || auth?.anonymous === true;
  return host !== undefined && !isLoopback(host) && asksNobody;
}

/** What is shorter may be guessed. */
export const SHORTEST_TOKEN = 16;

/** The names of the tokens that are too short. */
export function shortTokens({ auth }: ServersConfig): string[] {
  const short = Object.entries(auth?.tokens ?? {}).filter(([, { token }]) => token.length < SHORTEST_TOKEN);
  return short.map(([name]) => name);
}

function* sourceRules(name: string, source: JsonRecord): Generator<Issue> {
  const { mcp, script, openapi, module, nats } = source;
  if (mcp !== undefined) yield* mcpRules(name, source);
  if (nats !== undefined) yield* natsSourceRules(["sources", name], source);
  yield* commandRules(["sources", name, "script"], script);
  if (isString(script) && isShellLine(script)) yield issue(["sources", name, "script"], lineFault(script));
  for (const [kind, value] of Object.entries({ openapi, module }))
    if (isString(value) && value.trim() === "") yield issue(["sources", name, kind], "must not be empty");
}

function* mcpRules(name: string, source: JsonRecord): Generator<Issue> {
  const { mcp } = source;
  const isRemote = isString(mcp);
  yield* commandRules(["sources", name, "mcp"], mcp);
  if (isRemote && !isAddress(mcp)) yield issue(["sources", name, "mcp"], lineFault(mcp));
  else if (isRemote && !URL.canParse(mcp)) yield issue(["sources", name, "mcp"], "is no address that can be read");
  for (const option of isRemote ? ["cwd", "env", "graceMs"] : ["headers", "token"])
    if (source[option] !== undefined) {
      const why = isRemote
        ? "a program that is started, and mcp is an address"
        : "an address, and mcp is a program; give it by env or as an argument";
      yield issue(["sources", name, option], `is for ${why}`);
    }
}

function* commandRules(place: readonly string[], command: unknown): Generator<Issue> {
  if (!Array.isArray(command)) return;
  if (command.length === 0) yield issue(place, 'must have the program first, such as ["node", "server.js"]');
  else if (isString(command[0]) && command[0].trim() === "")
    yield issue([...place, 0], "must be the program, and is empty");
  else if (command.length === 1 && isString(command[0]) && isShellLine(command[0]))
    yield issue([...place, 0], lineFault(command[0]));
}

/** Words, of which the first is no path: `node triage.js` and not `./my scripts`. */
function isShellLine(text: string): boolean {
  return /^[\w@.-]*[\w@-]\s+\S/.test(text.trim()) && !/^\S*[\\/]/.test(text.trim().split(/\s/)[0] ?? "");
}

function lineFault(line: string): string {
  const words = splitCommandLine(line) ?? line.split(/\s+/);
  const list = `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
  return `is run without a shell, so it must be a list: ${list}`;
}

function* serverRules({ http, auth, nats }: JsonRecord): Generator<Issue> {
  if (isRecord(http)) yield* httpRules(http);
  if (isRecord(nats)) yield* natsServerRules(["servers", "nats"], nats);
  if (!isRecord(auth) || !isRecord(auth["tokens"])) return;
  const { tokens, stdio } = auth;
  yield* tokenRules(tokens);
  if (!isString(stdio) || Object.hasOwn(tokens, stdio)) return;
  const near = nearestOf(stdio, Object.keys(tokens));
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  yield issue(["servers", "auth", "stdio"], `must be a name of servers.auth.tokens, not ${told(stdio)}${hint}`);
}

function* httpRules({ host, allowedHosts, cors }: JsonRecord): Generator<Issue> {
  if (isString(host) && host !== "" && !isLoopback(host) && allowedHosts === undefined) {
    const advice = 'add allowedHosts with the names by which it is called, such as ["tools.example.com"]';
    yield issue(["servers", "http", "host"], `is not this machine alone; ${advice}`);
  }
  if (isRecord(cors) && cors["origins"] === "*" && cors["credentials"] === true)
    yield issue(["servers", "http", "cors", "credentials"], 'must not be true where origins is "*"');
}

function* tokenRules(tokens: JsonRecord): Generator<Issue> {
  const names = new Map<string, string>();
  for (const [name, entry] of Object.entries(tokens)) {
    const token = isRecord(entry) ? entry["token"] : undefined;
    if (!isString(token) || token === "") continue;
    const other = names.get(token);
    if (other !== undefined)
      yield issue(
        ["servers", "auth", "tokens", name, "token"],
        `is the same as that of ${other}; each caller needs its own`,
      );
    names.set(token, name);
  }
}

function issue(segments: readonly (string | number)[], message: string): Issue {
  return { path: pointerTo(...segments), message, rule: "config" };
}
