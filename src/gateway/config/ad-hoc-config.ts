import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { CallError } from "../../envelope/call-error.js";
import { orElse } from "../../json/attempt.js";
import { splitCommandLine } from "./command-line.js";
import type { SourceConfig } from "./config.js";
import type { LoadedConfig } from "./loaded-config.js";
import { natsAddresses, natsAddressFault } from "./nats-address.js";
import { sourceNameFrom } from "./source-name.js";
import { secretsIn } from "./source-secrets.js";

export interface AdHocSources {
  /** Each an address, or a command line. */
  readonly mcp?: readonly string[];
  readonly openapi?: readonly string[];
  readonly script?: readonly string[];
  readonly module?: readonly string[];
  /** Each the address of a NATS server, or of several. */
  readonly nats?: readonly string[];
  /** Where paths start. */
  readonly cwd: string;
}

/** Sources that were named on the command line, as if a file had them. */
export function adHocConfig(given: AdHocSources): LoadedConfig {
  const { mcp = [], openapi = [], script = [], module = [], nats = [], cwd } = given;
  const sources: Record<string, SourceConfig> = {};
  const taken = { has: (name: string) => Object.hasOwn(sources, name) };
  const add = (name: string, config: SourceConfig) => {
    sources[sourceNameFrom(name, taken)] = config;
  };
  for (const text of mcp) {
    const target = mcpTarget(text);
    add(typeof target === "string" ? hostName(target) : serverName(target), { mcp: target });
  }
  for (const text of openapi) add(documentName(needed("openapi", text), cwd), { openapi: text });
  for (const text of script) add(fileName(resolve(cwd, needed("script", text))), { script: text });
  for (const text of module) add(fileName(needed("module", text)), { module: modulePath(text, cwd) });
  for (const text of nats) add("fleet", { nats: natsTarget("--nats", needed("nats", text)) });
  return { config: { sources }, file: undefined, folder: cwd, secrets: secretsIn({ sources }), notes: [] };
}

/** On the command line a file need not begin with a dot, as it must where packages are imported. */
function modulePath(text: string, cwd: string): string {
  const path = resolve(cwd, text);
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : text;
}

export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function mcpTarget(text: string): string | readonly string[] {
  if (isAddress(text)) {
    if (URL.canParse(text)) return text;
    throw refused("--mcp", "its address cannot be read", "Give a whole address, such as https://example.com/mcp.");
  }
  const words = splitCommandLine(text);
  if (words === undefined) throw refused("--mcp", "a quote in its command has no end", "Close the quote.");
  if (words[0] === undefined || words[0] === "") throw lacking("mcp");
  return words;
}

/** The addresses that a flag names. */
export function natsTarget(flag: string, text: string): readonly string[] {
  const addresses = natsAddresses(text);
  const fault = addresses.map(natsAddressFault).find((one) => one !== undefined);
  if (fault !== undefined)
    throw new CallError({ category: "validation", code: "CONFIG_INVALID", message: `${flag} ${fault}.` });
  return addresses;
}

function needed(flag: string, text: string): string {
  if (text.trim() === "") throw lacking(flag);
  return text;
}

function lacking(flag: string): CallError {
  return refused(`--${flag}`, "it is empty", `Give ${EXAMPLES[flag]}.`);
}

const EXAMPLES: Readonly<Record<string, string>> = {
  mcp: 'a command or an address, such as --mcp "npx -y @modelcontextprotocol/server-everything"',
  openapi: "a file or an address, such as --openapi ./petstore.yaml",
  script: "a file or a folder, such as --script ./triage.js",
  module: "a file or a package, such as --module ./math.ts",
  nats: "the address of a server, such as --nats nats://127.0.0.1:4222",
};

function refused(flag: string, why: string, suggestedAction: string): CallError {
  const message = `${flag} names no source: ${why}. ${suggestedAction}`;
  return new CallError({ category: "validation", code: "CONFIG_INVALID", message, suggestedAction });
}

/** What people call a server by: the package or program, and not what runs it. */
function serverName(words: readonly string[]): string {
  const [program = "", ...rest] = words;
  const runner = fileName(program).toLowerCase();
  const own = RUNNERS.has(runner) ? rest.find((word) => !word.startsWith("-") && !SUBCOMMANDS.has(word)) : undefined;
  return shortened(tellingName((own ?? program).replace(/(?<=.)@[^@/]*$/, "")));
}

/** Of `server-files/dist/index.js` the part that says something. */
function tellingName(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== "" && part !== "." && part !== "..");
  const name = parts.pop() ?? "";
  if (!UNTELLING.has(fileName(name))) return fileName(name);
  return parts.findLast((part) => !UNTELLING.has(part)) ?? fileName(name);
}

const UNTELLING = new Set("index main cli server app bin dist build lib out src".split(" "));

const RUNNERS = new Set("npx npm pnpm yarn bunx bun deno node tsx uvx uv pipx python python3 docker cmd".split(" "));
const SUBCOMMANDS = new Set("exec run dlx x /c".split(" "));

/** `server-filesystem` and `mcp-server-git` are about files and Git. */
function shortened(name: string): string {
  return name.replace(/^(mcp-)?server-(?=.)|[-_](mcp|server|mcp-server)$|^mcp-(?=.)/g, "");
}

function hostName(address: string): string {
  const host = orElse(() => new URL(address).hostname, "remote");
  if (/^[\d.]+$|^\[|^localhost$/.test(host)) return "remote";
  const labels = host.split(".").filter((label) => !["www", "api", "mcp"].includes(label));
  return labels.at(-2) ?? labels[0] ?? "remote";
}

const DOCUMENT_NAMES = /^(openapi|swagger|api|index|spec)$/i;

/** `openapi.json` says nothing; the folder or the host that it is in does. */
function documentName(text: string, cwd: string): string {
  const path = isAddress(text) ? orElse(() => new URL(text).pathname, "") : text;
  const name = fileName(path).replace(/[._-](openapi|swagger)$/i, "");
  if (name !== "" && !DOCUMENT_NAMES.test(name)) return name;
  if (isAddress(text)) return hostName(text);
  const folder = basename(dirname(resolve(cwd, text)));
  return folder === "" ? "api" : folder;
}

function fileName(path: string): string {
  return (path.split(/[\\/]/).filter(Boolean).at(-1) ?? "").replace(/(?<=.)\.[A-Za-z]\w*$/, "");
}
