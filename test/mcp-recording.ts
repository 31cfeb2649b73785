import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What a real MCP server answered once. */
export interface Recording {
  readonly name: string;
  readonly file: string;
  readonly tools: readonly { readonly name: string; readonly inputSchema: unknown }[];
  readonly calls: readonly RecordedCall[];
}

export interface RecordedCall {
  /** Requests for other things than a tool have none. */
  readonly request: { readonly tool?: string; readonly args?: unknown };
  readonly response: {
    readonly result?: {
      readonly content?: readonly { readonly type: string }[];
      readonly isError?: boolean;
    } & Readonly<Record<string, unknown>>;
    readonly error?: { readonly code: number };
  };
}

/** Some recordings, which are always there. */
export const copies: string = fileURLToPath(new URL("fixtures/mcp", import.meta.url));

/** All recordings, where there are any. */
export const corpus: string = join(
  process.env["PLICO_CORPUS"] ?? fileURLToPath(new URL("../../shared/corpus", import.meta.url)),
  "mcp",
);

export function recordingsIn(folder: string): Recording[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.map((file) => readRecording(join(folder, file)));
}

function readRecording(file: string): Recording {
  return { ...(JSON.parse(readFileSync(file, "utf8")) as Recording), file, name: basename(file, ".json") };
}
