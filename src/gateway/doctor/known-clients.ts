/** What a client of MCP takes. */
export interface KnownClient {
  readonly name: string;
  /** What it puts before the name of a tool, where the server is called `plico` there. */
  readonly prefix: string;
  /** Characters of a tool's name with that prefix. */
  readonly longestName?: number;
  readonly mostTools?: number;
}

// biome-ignore format: a table is read by its columns
export const KNOWN_CLIENTS: readonly KnownClient[] = [
  { name: "Claude Code", prefix: "mcp__plico__", longestName: 64 },
  { name: "Cursor",      prefix: "plico",        longestName: 59, mostTools: 80 },
  { name: "VS Code",     prefix: "mcp_plico_",   longestName: 64, mostTools: 128 },
  { name: "Windsurf",    prefix: "",                              mostTools: 100 },
  { name: "OpenAI",      prefix: "",             longestName: 64, mostTools: 128 },
];

/** What the models behind them take as a name. */
export const PORTABLE_NAME: RegExp = /^[A-Za-z0-9_-]+$/;
