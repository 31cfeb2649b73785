import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, test } from "vitest";
import { defineOperation } from "../src/registry/operation.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { serveHttp } from "../src/servers/http/index.js";
import { serveMcpHttp } from "../src/servers/mcp/index.js";
import { mcpSource } from "../src/sources/mcp/index.js";
import { openapiSource } from "../src/sources/openapi/index.js";
import { scriptSource } from "../src/sources/script/index.js";
import { testSource } from "../src/testing/index.js";
import { watchResources } from "./left-behind.js";
import { moduleSource } from "./published-module-source.js";

const double = defineOperation({
  namespace: "math",
  name: "double",
  version: "1.0.0",
  type: "query",
  description: "Doubles a number.",
  inputSchema: { type: "object", properties: { of: { type: "number" } }, required: ["of"] },
  outputSchema: { type: "object", properties: { is: { type: "number" } } },
  handler: ({ of }) => ({ is: of * 2 }),
});

const MODULE = `export const double = {
  name: "double", version: "1.0.0", type: "query", description: "", inputSchema: true, outputSchema: true,
  handler: ({ of }) => ({ is: of * 2 }),
};`;

const assertNothingLeft = watchResources();
const registry = new OperationRegistry().register(double);
const stdioServer = fileURLToPath(new URL("../src/sources/mcp/fixtures/stdio-server.mjs", import.meta.url));
let folder: string;
let api: Awaited<ReturnType<typeof serveHttp>>;
let mcp: Awaited<ReturnType<typeof serveMcpHttp>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plico-sources-"));
  await writeFile(join(folder, "math.mjs"), MODULE);
  await writeFile(join(folder, "double.sh"), `read -r input; echo '{"is":6}'`);
  [api, mcp] = await Promise.all([serveHttp({ registry }), serveMcpHttp({ registry })]);
});

afterAll(async () => {
  await Promise.all([api.close(), mcp.close()]);
  await rm(folder, { recursive: true });
  await assertNothingLeft();
});

const input = { of: 3 };

describe("every source keeps the contract:", () => {
  const cases = [
    ...testSource("mcp over stdio", () => mcpSource({ name: "a", command: [process.execPath, stdioServer] }), {
      operation: "a.echo",
      input: {},
    }),
    ...testSource("mcp over HTTP", () => mcpSource({ name: "a", url: mcp.url }), { operation: "a.math_double", input }),
    ...testSource("openapi", () => openapiSource({ name: "a", url: `${api.url}/openapi.json` }), {
      operation: "a.math_double",
      input,
    }),
    ...testSource("script", () => scriptSource({ name: "a", file: "double.sh", cwd: folder, inputAs: "stdin" }), {
      operation: "a.double",
      input,
    }),
    ...testSource("module", () => moduleSource({ name: "a", module: "./math.mjs", cwd: folder }), {
      operation: "a.double",
      input,
      skip: { "refuses calls once it is closed": "its functions are in this process, and hold nothing that ends" },
    }),
  ];
  for (const { label, run } of cases) test(label, run);
});
