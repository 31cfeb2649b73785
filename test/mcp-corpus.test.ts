import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { categoryFromJsonRpc } from "../src/envelope/category.js";
import { isResponseEnvelope } from "../src/envelope/response-envelope.js";
import type { Issue } from "../src/json/issue.js";
import type { AnyOperation } from "../src/registry/operation-map.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { compile } from "../src/schema/compile.js";
import type { AnySchema } from "../src/schema/standard-schema.js";
import { type McpSource, mcpSource } from "../src/sources/mcp/index.js";
import { leastValue } from "./least-value.js";
import { markProcesses } from "./marked-processes.js";
import { copies, corpus, type RecordedCall, type Recording, recordingsIn } from "./mcp-recording.js";
import { operationOf, toolNameOf } from "./operation-of-tool.js";

const server = fileURLToPath(new URL("fixtures/replay-server.mjs", import.meta.url));
const hasCorpus = existsSync(corpus);
const all = new Map([...recordingsIn(copies), ...recordingsIn(corpus)].map((one) => [one.name, one])).values();

describe("what real MCP servers answered", () => {
  const title = hasCorpus
    ? "is recorded"
    : `is here in part: there is no folder ${corpus}; PLICO_CORPUS may name another`;
  test.skipIf(!hasCorpus)(title, () => expect(recordingsIn(corpus).length).toBeGreaterThan(15));
  test("is here in part", () => expect(recordingsIn(copies)).toHaveLength(5));

  for (const recording of all) {
    test.concurrent(`imports: ${recording.name}, whose every tool answers, as it did then`, () =>
      assertImports(recording));
  }
});

async function assertImports(recording: Recording): Promise<void> {
  const mark = markProcesses();
  const command = [process.execPath, server, recording.file];
  const source = await mcpSource({ name: "replayed", command, env: mark.env });
  try {
    const registry = new OperationRegistry();
    mountSource(registry, source);
    await assertCallable(recording, source, registry);
    await assertSameAnswers(recording, source, registry);
  } finally {
    await source.close();
  }
  expect(mark.alive()).toEqual([]);
}

async function assertCallable({ tools }: Recording, source: McpSource, registry: OperationRegistry): Promise<void> {
  expect(source.operations.map(toolNameOf)).toEqual(tools.map(({ name }) => name));
  for (const { name, inputSchema } of tools) {
    const input = leastValue(inputSchema);
    expect(issuesOf(inputSchema, input), name).toEqual([]);
    expect(await registry.execute(operationOf(source, name)?.id ?? "", input)).toSatisfy(isResponseEnvelope);
  }
}

async function assertSameAnswers({ calls }: Recording, source: McpSource, registry: OperationRegistry): Promise<void> {
  for (const call of calls) {
    const operation = operationOf(source, call.request.tool ?? "");
    if (operation !== undefined) await assertSameAnswer(registry, operation, call);
  }
}

/** What does not fit the schema is not even sent; all else answers as it did. */
async function assertSameAnswer(
  registry: OperationRegistry,
  { id, spec }: AnyOperation,
  call: RecordedCall,
): Promise<void> {
  const { request, response } = call;
  const isRefused = issuesOf(spec.inputSchema, request.args).length > 0;
  if (isRefused || response.error !== undefined) {
    await expect(registry.execute(id, request.args)).rejects.toMatchObject({
      category: isRefused ? "validation" : categoryFromJsonRpc(response.error?.code ?? 0),
    });
  } else {
    const { meta } = await registry.execute(id, request.args);
    expect(meta).toMatchObject({ source: "mcp", isError: false, ...response.result });
  }
}

function issuesOf(schema: unknown, value: unknown): readonly Issue[] {
  return compile(schema as AnySchema).issues(value);
}
