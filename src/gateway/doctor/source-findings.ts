import type { SourceConfig } from "../config/config.js";
import type { GatewaySourceHealth } from "../gateway.js";
import { counted, type Finding } from "./finding.js";
import { adviceFor } from "./source-advice.js";

export interface SourceFacts {
  readonly health: GatewaySourceHealth;
  readonly config: SourceConfig;
  readonly operations: readonly OperationFacts[];
}

export interface OperationFacts {
  readonly id: string;
  /** What its schemas say that cannot be used. */
  readonly problems: readonly string[];
  readonly hasOutput: boolean;
}

/** What is so slow that people notice. */
const SLOW_MS = 5_000;

/** Whether a source is up, and what is odd about it. */
export function sourceFindings({ health, config, operations }: SourceFacts): readonly Finding[] {
  const about = health.name;
  if (health.status !== "ready") return [downFinding(health, config)];
  return [
    { level: "ok", about, message: readyText(health, operations) },
    ...slowFinding(health, config),
    ...emptyFinding(health),
    ...health.warnings.map(({ message }): Finding => ({ level: "warn", about, message })),
    ...schemaFindings(about, operations),
  ];
}

function downFinding({ name, status, error }: GatewaySourceHealth, config: SourceConfig): Finding {
  if (error === undefined)
    return { level: "fail", about: name, message: `it is ${status}`, fix: "Try again, or start its command by hand." };
  const fix = adviceFor(error, config);
  return { level: "fail", about: name, message: error.message, ...(fix !== undefined && { fix }) };
}

function readyText(
  { kind, openedInMs, era, protocolVersion, server }: GatewaySourceHealth,
  operations: readonly OperationFacts[],
): string {
  const without = operations.filter(({ hasOutput }) => !hasOutput).length;
  const facts = [
    openedInMs === undefined ? kind : `${kind}, up in ${Math.round(openedInMs)} ms`,
    server === undefined ? undefined : `${server.name} ${server.version}`.trim(),
    era === undefined ? undefined : `${era} era${protocolVersion === undefined ? "" : `, protocol ${protocolVersion}`}`,
    counted(operations.length, "operation") + (without === 0 ? "" : `, ${without} without a schema of what they give`),
  ];
  return facts.filter((fact) => fact !== undefined).join("; ");
}

function slowFinding({ name, openedInMs = 0 }: GatewaySourceHealth, config: SourceConfig): Finding[] {
  if (openedInMs < SLOW_MS) return [];
  const isDownloaded =
    "mcp" in config && Array.isArray(config.mcp) && /^(npx|bunx|uvx|pipx)$/.test(config.mcp[0] ?? "");
  const fix = isDownloaded
    ? "Install its package once, and name the program that it brings: to look for it each time takes long."
    : "See what its command does before it answers.";
  return [{ level: "warn", about: name, message: `it took ${(openedInMs / 1000).toFixed(1)} s to open`, fix }];
}

function emptyFinding({ name, kind, operations }: GatewaySourceHealth): Finding[] {
  if (operations > 0) return [];
  const fix = kind === "nats" ? "Start a worker: plico worker --nats URL" : "Look at its include and exclude.";
  return [{ level: "warn", about: name, message: "it has no operations", fix }];
}

const MOST_TOLD = 3;

/** Parts of schemas that accept anything: inputs are not checked there, and answers not normalised. */
function schemaFindings(about: string, operations: readonly OperationFacts[]): Finding[] {
  const broken = operations.filter(({ problems }) => problems.length > 0);
  const told = broken.slice(0, MOST_TOLD).map(({ id, problems: [first = "", ...others] }): Finding => {
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    return {
      level: "warn",
      about,
      message: `${id}: ${first}${more}`,
      fix: "Tell whoever makes it; it can be called all the same.",
    };
  });
  const more = broken.length - told.length;
  if (more <= 0) return told;
  return [
    ...told,
    {
      level: "warn",
      about,
      message: `${counted(more, "more operation")} with such schemas`,
      fix: "`plico ls` marks them as broken.",
    },
  ];
}
