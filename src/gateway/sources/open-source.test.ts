import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createResultStore } from "../../results/result-store.js";
import type { SourceConfig } from "../config/config.js";
import { keptLog, makeFolder, mark, mcpServer, SILENT_SERVER, tidyUp } from "./fixtures/gateway-stage.js";
import { type OpenedSource, type OpenSourceOptions, openSource } from "./open-source.js";

tidyUp();

const sources: OpenedSource[] = [];
const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()));
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const results = createResultStore();

async function opened(config: SourceConfig, more: Partial<OpenSourceOptions> = {}): Promise<OpenedSource> {
  const folder = more.folder ?? makeFolder();
  const source = await openSource({ name: "far", config, log: keptLog(), results, stays: false, ...more, folder });
  sources.push(source);
  return source;
}

describe("an opened source", () => {
  test("of a text is a script, or a folder of scripts", async () => {
    const script = "#!/bin/sh\necho 1\n";
    const folder = makeFolder({ "one.sh": script, "many/two.sh": script, "many/three.sh": script });
    const idsOf = async (path: string): Promise<string[]> =>
      (await opened({ script: path }, { folder })).operations.map(({ id }) => id).sort();
    expect(await idsOf("one.sh")).toEqual(["far.one"]);
    expect(await idsOf("./many")).toEqual(["far.three", "far.two"]);
    await expect(idsOf("gone.sh")).rejects.toMatchObject({ name: "CallError" });
  });

  test("runs its programs in the folder of the configuration, and logs what they complain of", async () => {
    const folder = makeFolder();
    const log = keptLog();
    await opened(mcpServer(), { folder, log });
    const talks = `process.stderr.write(process.cwd() + "\\n"); process.exit(1)`;
    const broken: SourceConfig = { mcp: [process.execPath, "-e", talks] };
    await expect(opened(broken, { folder, log })).rejects.toMatchObject({ category: "unavailable" });
    expect(log.lines).toContainEqual(expect.stringMatching(/^debug .*plico-gateway-/));
  });

  test.each<[string, (url: string) => SourceConfig]>([
    ["an MCP server that says nothing", () => ({ mcp: SILENT_SERVER, env: mark.env, graceMs: 100 })],
    ["an MCP server over HTTP that says nothing", (url) => ({ mcp: url })],
    ["a document that does not come", (url) => ({ openapi: url })],
    [
      "a script that does not describe itself",
      () => ({ script: "./slow.sh", describe: true, env: mark.env, graceMs: 100 }),
    ],
  ])("gives up %s, and leaves nothing behind", async (_, configOf) => {
    const folder = makeFolder({ "slow.sh": "#!/bin/sh\nexec sleep 60\n" });
    const server = createServer(() => {}).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const giving = new AbortController();
    const opening = opened(configOf(`http://127.0.0.1:${port}/`), { folder, signal: giving.signal });
    const failed = expect(opening).rejects.toBeDefined();
    const isUnderWay = async (): Promise<boolean> => {
      const connections = await new Promise<number>((resolve) =>
        server.getConnections((_error, count) => resolve(count)),
      );
      return connections > 0 || mark.alive().length > 0;
    };
    await expect.poll(isUnderWay).toBe(true);
    giving.abort();
    await failed;
    expect(mark.alive()).toEqual([]);
  });

  test.each<[string, SourceConfig]>([
    ["an MCP server", { mcp: SILENT_SERVER }],
    ["a document", { openapi: "http://127.0.0.1:9/" }],
    ["a script", { script: "./slow.sh" }],
  ])("is not even begun where nobody wants it: %s", async (_, config) => {
    await expect(opened(config, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
  });
});
