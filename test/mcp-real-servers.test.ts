import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isCallError } from "../src/envelope/call-error.js";
import { categoryFromJsonRpc } from "../src/envelope/category.js";
import type { ResponseEnvelope } from "../src/envelope/response-envelope.js";
import type { AnyOperation } from "../src/registry/operation-map.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { compile } from "../src/schema/compile.js";
import { type McpSource, mcpSource } from "../src/sources/mcp/index.js";
import { watchResources } from "./left-behind.js";
import { markProcesses } from "./marked-processes.js";
import { copies, corpus, type RecordedCall, type Recording, recordingsIn } from "./mcp-recording.js";
import { installNpmFolder } from "./npm-folder.js";
import { operationOf, toolNameOf } from "./operation-of-tool.js";
import { commandOf, REAL_SERVERS, type RealServer } from "./real-mcp-servers.js";

const installed = installNpmFolder("mcp-servers");
const recordings = new Map([...recordingsIn(copies), ...recordingsIn(corpus)].map((one) => [one.name, one]));
const assertNothingLeft = watchResources();

if (typeof installed === "string") {
  describe.each(["auto", "legacy"] as const)("with the era %s", (era) => {
    for (const server of REAL_SERVERS) {
      test.concurrent(
        `${server.package} lists its tools, answers, and leaves nothing behind`,
        { timeout: 60_000 },
        () => inFolder((folder) => meet(server, era, commandOf(server, installed, folder), folder)),
      );
    }
  });

  test("nothing is left of all these servers", assertNothingLeft);
} else {
  // Where everything has to run, servers that cannot are a failure.
  test.skipIf(process.env["CI"] === undefined)(`real MCP servers answer (${installed.reason})`, () => {
    expect.fail(installed.reason);
  });
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "plico-real-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function meet(server: RealServer, era: "auto" | "legacy", command: string[], folder: string): Promise<void> {
  const mark = markProcesses();
  const { env, ...options } = server.options?.(folder) ?? {};
  const source = await mcpSource({ name: "real", command, era, ...options, env: { ...env, ...mark.env } });
  try {
    const spoken = era === "auto" && server.isModern ? "modern" : "legacy";
    expect(source.health()).toMatchObject({ status: "ready", era: spoken, restarts: 0, warnings: [] });
    const { tools = [], calls = [] } = recordings.get(server.recording ?? "") ?? ({} as Partial<Recording>);
    expect(source.operations).not.toHaveLength(0);
    expect(source.operations.map(toolNameOf)).toEqual(expect.arrayContaining(tools.map(({ name }) => name)));
    await assertAnswers(source, server, [...calls, ...(server.calls?.(folder) ?? [])], folder);
    if (process.platform === "linux") expect(mark.alive()).not.toHaveLength(0);
  } finally {
    await source.close();
  }
  expect(mark.alive()).toEqual([]);
  expect(source.health()).toMatchObject({ status: "closed" });
}

async function assertAnswers(
  source: McpSource,
  server: RealServer,
  calls: readonly RecordedCall[],
  folder: string,
): Promise<void> {
  const registry = new OperationRegistry();
  mountSource(registry, source);
  for (const { request, response } of calls) {
    const operation = operationOf(source, request.tool ?? "");
    if (operation === undefined) continue;
    const input = server.input?.(request, folder) ?? request.args;
    const answer = await registry.execute(operation.id, input).then(shapeOfEnvelope, shapeOfError);
    expect(answer, request.tool).toEqual(wanted(operation, input, response));
  }
}

/** What does not fit the schema is not even sent; for all else the recording tells. */
function wanted({ spec }: AnyOperation, input: unknown, { result, error }: RecordedCall["response"]): unknown {
  if (!compile(spec.inputSchema).accepts(input)) return { category: "validation" };
  if (result === undefined) return { category: categoryFromJsonRpc(error?.code ?? 0) };
  const { isError = false, content = [], structuredContent } = result;
  return shapeOf({ isError, content, structuredContent });
}

function shapeOfEnvelope({ meta }: ResponseEnvelope): unknown {
  return meta.source === "mcp" ? shapeOf(meta) : meta;
}

function shapeOfError(thrown: unknown): unknown {
  if (isCallError(thrown)) return { category: thrown.category };
  throw thrown;
}

/** The times, names and numbers in an answer change; its form does not. */
function shapeOf(result: {
  isError: boolean;
  content: readonly { type: string }[];
  structuredContent?: unknown;
}): unknown {
  const { isError, content, structuredContent } = result;
  return { isError, types: content.map(({ type }) => type), isStructured: structuredContent !== undefined };
}
