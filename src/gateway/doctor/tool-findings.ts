import { counted, type Finding, someOf } from "./finding.js";
import { KNOWN_CLIENTS, type KnownClient, PORTABLE_NAME } from "./known-clients.js";

/** A tool as an MCP client sees it. */
export interface ToolFacts {
  readonly operationId: string;
  readonly name: string;
  /** Of its definition in `tools/list`. */
  readonly bytes: number;
}

export interface ToolsFacts {
  readonly tools: readonly ToolFacts[];
  /** Operations that are found by the tools for search, and are no tools themselves. */
  readonly searched: number;
  readonly naming: "qualified" | "bare";
}

/** More is more than most people want to pay before each question. */
const MANY_BYTES = 100_000;

/** Whether known clients can use the tools, and what the list of them costs. */
export function toolFindings({ tools, searched, naming }: ToolsFacts): readonly Finding[] {
  if (tools.length === 0) return [];
  const bytes = tools.reduce((sum, tool) => sum + tool.bytes, 0);
  const behind = searched === 0 ? "" : `, by which ${counted(searched, "operation")} can be found`;
  const size = `${counted(tools.length, "tool")}${behind}; tools/list has ${(bytes / 1000).toFixed(1)} kB`;
  const isLarge = bytes > MANY_BYTES;
  return [
    { level: isLarge ? "warn" : "ok", about: "tools", message: size, ...(isLarge && { fix: SEARCH_ADVICE }) },
    ...tooMany(tools.length),
    ...tooLong(tools, naming),
    ...odd(tools),
    ...alike(tools, naming),
  ];
}

const SEARCH_ADVICE = 'Leave some out with "exclude", or set servers.mcp.search to "on".';

function tooMany(count: number): Finding[] {
  const clients = KNOWN_CLIENTS.filter(({ mostTools = Number.POSITIVE_INFINITY }) => count > mostTools);
  if (clients.length === 0) return [];
  const limits = clients.map(({ name, mostTools }) => `${name} (${mostTools})`).join(", ");
  return [
    {
      level: "warn",
      about: "tools",
      message: `${count} tools are more than these take: ${limits}`,
      fix: SEARCH_ADVICE,
    },
  ];
}

function tooLong(tools: readonly ToolFacts[], naming: ToolsFacts["naming"]): Finding[] {
  const fix =
    naming === "bare"
      ? 'Give a shorter "prefix", or leave it out with "exclude".'
      : 'Give the source a shorter "namespace", or set servers.mcp.toolNames to "bare".';
  return KNOWN_CLIENTS.flatMap((client) => {
    const long = tools.filter(({ name }) => isTooLong(name, client)).map(({ name }) => name);
    if (long.length === 0) return [];
    const most = (client.longestName ?? 0) - client.prefix.length;
    const message = `${client.name} takes names of at most ${most} characters: ${someOf(long)}`;
    return [{ level: "warn", about: "tools", message, fix } as const];
  });
}

function isTooLong(name: string, { prefix, longestName = Number.POSITIVE_INFINITY }: KnownClient): boolean {
  return prefix.length + name.length > longestName;
}

function odd(tools: readonly ToolFacts[]): Finding[] {
  const names = tools.filter(({ name }) => !PORTABLE_NAME.test(name)).map(({ name }) => name);
  if (names.length === 0) return [];
  const message = `names with other characters than letters, digits, _ and -: ${someOf(names)}`;
  return [{ level: "warn", about: "tools", message, fix: "Many models refuse them; rename the operations." }];
}

/** Operations of one name in several sources: under `bare` one of them gets a number. */
function alike(tools: readonly ToolFacts[], naming: ToolsFacts["naming"]): Finding[] {
  const byName = new Map<string, string[]>();
  for (const { operationId } of tools) {
    const name = operationId.slice(operationId.indexOf(".") + 1);
    byName.set(name, [...(byName.get(name) ?? []), operationId]);
  }
  const groups = [...byName.values()].filter(({ length }) => length > 1);
  if (groups.length === 0) return [];
  const message = `operations of one name: ${someOf(groups.map((ids) => ids.join(" and ")))}`;
  if (naming === "qualified") return [{ level: "ok", about: "tools", message: `${message}; say their whole id` }];
  const fix = 'Set servers.mcp.toolNames to "qualified", or give a source a "prefix": the second gets a number.';
  return [{ level: "warn", about: "tools", message, fix }];
}
