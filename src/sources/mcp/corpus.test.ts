import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { OperationRegistry } from "../../registry/registry.js";
import { operationsFromTools } from "./operation-from-tool.js";
import { envelopeFromResult } from "./result.js";
import type { RawTool } from "./tool-list.js";

const corpus = join(
  process.env["PLICO_CORPUS"] ?? fileURLToPath(new URL("../../../../shared/corpus", import.meta.url)),
  "mcp",
);
const found = existsSync(corpus);

interface Recording {
  readonly tools: readonly RawTool[];
  readonly calls: readonly {
    readonly request: { readonly tool?: string };
    readonly response: { readonly result?: Result };
  }[];
}

interface Result {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

describe("what real MCP servers list and answer", () => {
  const title = found ? "is there" : `is skipped, because there is no folder ${corpus}; PLICO_CORPUS may name another`;
  test.skipIf(!found)(title, () => expect(readdirSync(corpus).length).toBeGreaterThan(10));

  for (const file of found ? readdirSync(corpus).filter((name) => name.endsWith(".json")) : []) {
    const { tools, calls } = JSON.parse(readFileSync(join(corpus, file), "utf8")) as Recording;

    test(`${file}: every tool becomes an operation under its own name`, () => {
      const operations = operationsOf(tools, () => undefined);
      new OperationRegistry().registerAll(operations);
      expect(operations.map(({ spec }) => spec.name)).toEqual(tools.map(({ name }) => name));
    });

    test(`${file}: every answer arrives whole`, async () => {
      for (const { request, response } of calls) {
        const { result } = response;
        const tool = tools.find(({ name }) => name === request.tool);
        if (tool === undefined || result === undefined) continue;
        const envelope = await throughRegistry(tool, result);
        expect(envelope.meta).toMatchObject({ source: "mcp", isError: result.isError === true });
        expect(envelope.meta).toHaveProperty("content", result.content);
        if (result.structuredContent === undefined) continue;
        expect(envelope.meta).toHaveProperty("structuredContent", result.structuredContent);
        // Their servers declare what they send: there is nothing to strip, fill or convert.
        expect(envelope.data).toEqual(result.structuredContent);
        expect(envelope.meta.warnings ?? []).toEqual([]);
      }
    });
  }
});

async function throughRegistry(tool: RawTool, result: Result): Promise<ResponseEnvelope> {
  const given = { ...tool, inputSchema: {} };
  const operations = operationsOf([given], () => envelopeFromResult(result, {}, tool["outputSchema"] !== undefined));
  const registry = new OperationRegistry().registerAll(operations) as OperationRegistry;
  return registry.execute(operations[0]?.id ?? "", {});
}

function operationsOf(tools: readonly RawTool[], handler: () => unknown): ReturnType<typeof operationsFromTools> {
  return operationsFromTools(tools, { namespace: "far", unfold: true, handlerOf: () => handler });
}
