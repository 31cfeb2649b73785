import type { CallErrorData } from "../../envelope/call-error.js";
import type { GatewayConfig } from "../config/config.js";
import { secretsIn } from "../config/source-secrets.js";
import { type Finding, someOf } from "./finding.js";

export interface FileFacts {
  /** As people type it. */
  readonly name: string;
  readonly text: string;
  readonly config: GatewayConfig;
  readonly notes: readonly string[];
  /** The files of other programs nearby, with the names of their servers. */
  readonly others?: readonly OtherFile[];
}

export interface OtherFile {
  readonly name: string;
  readonly servers: readonly string[];
}

/** What is odd about a file that can be used. */
export function fileFindings({ name, text, config, notes, others = [] }: FileFacts): readonly Finding[] {
  const { sources } = config;
  const names = Object.keys(sources);
  const disabled = names.filter((source) => sources[source]?.disabled === true);
  return [
    names.length === 0 ? noSources(name) : { level: "ok", about: "file", message: `${name} is valid` },
    ...notes.filter((note) => !HAS_FINDING.test(note)).map(noted),
    ...(disabled.length === 0
      ? []
      : [{ level: "ok", about: "file", message: `disabled: ${someOf(disabled)}` } as const]),
    ...literalSecrets(text, config),
    ...others.flatMap((other) => unusedServers(other, names)),
  ];
}

/** There is a finding for it, which tells what to do. */
const HAS_FINDING = /^(servers\.|there is no )/;

function noted(message: string): Finding {
  return { level: "warn", about: "file", message };
}

function noSources(name: string): Finding {
  return {
    level: "warn",
    about: "file",
    message: `${name} has no sources`,
    fix: 'Name one under "sources": { "files": { "mcp": ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."] } }',
  };
}

/** Who reads the file, or the history of its repository, has them. */
function literalSecrets(text: string, { sources, servers }: GatewayConfig): Finding[] {
  // What has a variable in it that is not set is none.
  const isWritten = (secret: string): boolean =>
    !secret.includes("${") && text.includes(JSON.stringify(secret).slice(1, -1));
  const owners = [
    ...Object.entries(sources).map(([name, source]) => [name, secretsIn({ sources: { [name]: source } })] as const),
    ["servers.auth", secretsIn({ servers: { auth: servers?.auth } })] as const,
    ["servers.nats", secretsIn({ servers: { nats: servers?.nats } })] as const,
  ];
  return owners
    .filter(([, secrets]) => secrets.some(isWritten))
    .map(([about]) => ({
      level: "warn",
      about,
      message: "a secret is written in the file itself",
      fix: `Put it into an environment variable, and write \${NAME} in its place.`,
    }));
}

function unusedServers({ name, servers }: OtherFile, known: readonly string[]): Finding[] {
  const unused = servers.filter((server) => !known.includes(server));
  if (unused.length === 0) return [];
  const fix = `\`plico init\` takes them over; \`--config ${name}\` uses that file as it is.`;
  return [
    { level: "ok", about: "file", message: `${name} has servers that are not used here: ${someOf(unused)}`, fix },
  ];
}

/** Why there is no configuration: each fault for itself. */
export function configFailure(error: CallErrorData): readonly Finding[] {
  const { message, issues = [], suggestedAction } = error;
  const fix = suggestedAction === undefined ? {} : { fix: suggestedAction };
  if (issues.length === 0) return [{ level: "fail", about: "file", message, ...fix }];
  return lines(message, issues.length).map((line) => ({ level: "fail", about: "file", message: line, ...fix }));
}

/** A message of several faults has a line for each, below its first. */
function lines(message: string, count: number): readonly string[] {
  const all = message.split("\n").map((line) => line.trim());
  return count === 1 ? [message] : all.slice(1);
}
