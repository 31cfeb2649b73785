import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InputRequest, McpSourceOptions } from "../src/sources/mcp/index.js";
import type { RecordedCall } from "./mcp-recording.js";

/** A server among the packages of `test/npm/mcp-servers`. */
export interface RealServer {
  readonly package: string;
  /** The name of the recording of it, where there is one. */
  readonly recording?: string;
  readonly arguments?: (folder: string) => readonly string[];
  readonly options?: (folder: string) => Partial<McpSourceOptions>;
  /** Beside those of the recording. */
  readonly calls?: (folder: string) => readonly RecordedCall[];
  /** What a recorded call says here; recordings do not tell paths. */
  readonly input?: (call: RecordedCall["request"], folder: string) => unknown;
  /** It speaks 2026-07-28 to those who ask. */
  readonly isModern?: true;
  /** Makes the process that is started one that starts the server. */
  readonly isWrapped?: true;
}

const stdio = { arguments: () => ["--stdio"] };
const official = (name: string): string => `@modelcontextprotocol/server-${name}`;

export const REAL_SERVERS: readonly RealServer[] = [
  {
    package: official("everything"),
    recording: "everything",
    options: () => ({
      onInputRequest: answer,
      inputMethods: ["elicitation/create", "sampling/createMessage", "roots/list"],
    }),
  },
  { package: official("filesystem"), recording: "filesystem", arguments: withFiles, input: pathsIn },
  {
    package: official("memory"),
    recording: "memory",
    options: (folder) => ({ env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } }),
  },
  { package: official("sequential-thinking"), recording: "sequential-thinking", isWrapped: true },
  {
    package: "@upstash/context7-mcp",
    recording: "context7",
    isModern: true,
    // It asks a server of its own in vain: the proxy is not there.
    options: () => ({ env: { HTTPS_PROXY: "http://127.0.0.1:9", OTEL_SDK_DISABLED: "true" } }),
  },
  {
    package: "@cyanheads/git-mcp-server",
    options: (folder) => ({ env: { LOGS_DIR: join(folder, "logs") }, cwd: folder }),
    calls: (path) => [ok("git_init", { path }), ok("git_status", { path })],
  },
  { package: "mcp-server-commands", recording: "mcp-server-commands-sdk1.9" },
  { package: "@antv/mcp-server-chart", recording: "antv-chart" },
  { package: official("basic-vanillajs"), recording: "basic-vanillajs-v2sdk", ...stdio },
  { package: official("budget-allocator"), recording: "budget-allocator-v2sdk", ...stdio },
  { package: official("customer-segmentation"), recording: "customer-segmentation-v2sdk", ...stdio },
  { package: official("map"), recording: "map-v2sdk", ...stdio },
  { package: official("system-monitor"), recording: "system-monitor-v2sdk", ...stdio },
];

/** How the server is started, without `npx`, which would look for updates. */
export function commandOf(server: RealServer, installed: string, folder: string): string[] {
  const home = join(installed, "node_modules", server.package);
  const { bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { bin: Record<string, string> };
  const [script = ""] = Object.values(bin);
  const command = [process.execPath, join(home, script), ...(server.arguments?.(folder) ?? [])];
  return server.isWrapped ? ["sh", "-c", '"$@"; exit $?', "sh", ...command] : command;
}

/** What the one who recorded answered. */
function answer({ method }: InputRequest): unknown {
  if (method === "roots/list") return { roots: [{ uri: "file:///workspace", name: "data" }] };
  if (method === "elicitation/create") return { action: "decline" };
  return { model: "probe", role: "assistant", stopReason: "endTurn", content: { type: "text", text: "sampled" } };
}

function withFiles(folder: string): string[] {
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "a.json"), '{"hello":"world"}\n');
  writeFileSync(join(folder, "b.txt"), "line1\nline2\nline3\n");
  writeFileSync(join(folder, "tiny.png"), Buffer.from("iVBORw0KGgo=", "base64"));
  return [folder];
}

const FILE_OF_TOOL: Readonly<Record<string, string>> = {
  read_text_file: "a.json",
  get_file_info: "a.json",
  edit_file: "b.txt",
  write_file: "new.txt",
  read_media_file: "tiny.png",
};

function pathsIn({ tool = "", args }: RecordedCall["request"], folder: string): unknown {
  const here = join(folder, FILE_OF_TOOL[tool] ?? (tool === "read_multiple_files" ? "a.json" : ""));
  return JSON.parse(JSON.stringify(args).replaceAll('"/workspace"', JSON.stringify(here))) as unknown;
}

function ok(tool: string, args: unknown): RecordedCall {
  return { request: { tool, args }, response: { result: { content: [{ type: "text" }], structuredContent: {} } } };
}
