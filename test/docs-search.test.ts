import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Catalog } from "../src/gateway/search/catalog.js";
import { operationDescription } from "../src/gateway/search/operation-description.js";
import { searchAnswer } from "../src/gateway/search/search-answer.js";
import { searchable } from "../src/gateway/search/searchable.js";
import { operationIdOf } from "../src/registry/operation-id.js";
import { OperationRegistry } from "../src/registry/registry.js";
import type { ServedRegistry } from "../src/registry/served-registry.js";
import { mountSource } from "../src/registry/source.js";
import { Toolbox } from "../src/servers/mcp/toolbox.js";
import { openapiSource } from "../src/sources/openapi/index.js";
import { expectBlock, table } from "./generated-block.js";
import { corpus } from "./openapi-documents.js";

/** Real documents, each with what somebody may be looking for, and what is to be found. */
const CASES = [
  { api: "Petstore", file: "swagger-petstore3.yaml", query: "find pets by status", wanted: /findPetsByStatus/ },
  {
    api: "Docker Engine",
    file: "apisguru-docker-engine-1.33.yaml",
    query: "stop a container",
    wanted: /ContainerStop/,
  },
  { api: "Slack", file: "apisguru-slack.yaml", query: "send a message to a channel", wanted: /chat_postMessage/ },
  { api: "Bitbucket", file: "apisguru-bitbucket.yaml", query: "create pull request", wanted: /_pullrequests$/ },
  { api: "OpenAI", file: "openai.yaml", query: "create an image from a text", wanted: /createImage$/ },
] as const;

test.skipIf(!existsSync(corpus))(
  "docs/serve-gateway.md tells what a list of tools costs, and what a search does",
  async () => {
    const rows: string[][] = [];
    for (const { api, file, query, wanted } of CASES) {
      const source = await openapiSource({ name: "api", file: join(corpus, file), baseUrl: "http://127.0.0.1:9" });
      const registry = new OperationRegistry();
      mountSource(registry, source);
      const catalog = new Catalog(registry);
      const answer = searchAnswer(catalog, { query, source: undefined, limit: 10, identity: undefined });
      const found = catalog.search(query, undefined);
      const best = found.slice(0, 10).find((spec) => wanted.test(operationIdOf(spec)));
      expect(best, `${query} in ${api}`).toBeDefined();
      rows.push([
        api,
        String(registry.list().length),
        bytesOf(listOf(registry)),
        bytesOf(listOf(searchable(registry, { mode: "on" }))),
        `“${query}”`,
        bytesOf(answer),
        best === undefined ? "" : bytesOf(operationDescription(best)),
      ]);
      await source.close();
    }
    const head = ["API", "operations", "all tools", "three tools", "a search for", "its answer", "a description"];
    expectBlock("docs/serve-gateway.md", "bytes", table(head, rows));
  },
  60_000,
);

/** What a client gets. */
function listOf(registry: ServedRegistry): unknown {
  const toolbox = new Toolbox({ registry });
  const tools = toolbox.list(undefined);
  toolbox.close();
  return { tools };
}

function bytesOf(value: unknown): string {
  return Buffer.byteLength(JSON.stringify(value)).toLocaleString("en-US");
}
