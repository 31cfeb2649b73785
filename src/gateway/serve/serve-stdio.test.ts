import { afterEach, describe, expect, test } from "vitest";
import { operation } from "../../registry/fixtures/operations.js";
import { RawLine } from "../../servers/mcp/fixtures/clients.js";
import type { ServersConfig } from "../config/config.js";
import { registryGateway } from "./fixtures/registry-gateway.js";
import { serveGatewayStdio } from "./serve-stdio.js";
import type { ServedGateway } from "./served-gateway.js";

const ONE = operation(() => 1, { name: "one" });
const SECRET = operation(() => "told", { name: "secret", accessControl: { requiredScopes: ["vault"] } });

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function greeted(servers: ServersConfig = {}, over: Partial<ServedGateway> = {}) {
  const gateway = registryGateway([ONE, SECRET], servers, over);
  const line = new RawLine();
  const server = serveGatewayStdio({ gateway, ...line.pipes });
  ends.push(
    () => server.close(),
    () => gateway.results.close(),
  );
  await line.greet();
  const names = async (id: number): Promise<string[]> => {
    const { result } = await line.request({ id, method: "tools/list", params: {} });
    return namesIn(result);
  };
  return { gateway, line, server, names };
}

function namesIn(result: unknown): string[] {
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

describe("a gateway over stdio", () => {
  test("waits with its first list for sources that start, and with nothing else", async () => {
    let settle: () => void = () => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const waits: unknown[] = [];
    const { gateway, line } = await greeted(
      { mcp: { startWaitMs: 500 } },
      {
        settled: (milliseconds) => {
          waits.push(milliseconds);
          return settled;
        },
      },
    );
    line.send({ id: 1, method: "tools/list", params: {} });
    expect(await line.request({ id: 2, method: "ping" })).toMatchObject({ result: {} });
    const call = { name: "test_one", arguments: {} };
    expect(await line.request({ id: 3, method: "tools/call", params: call })).toHaveProperty("result");
    expect(line.messages.some(({ id }) => id === 1)).toBe(false);
    gateway.registry.register(operation(() => 2, { name: "late" }));
    settle();
    const { result } = await line.until(({ id }) => id === 1);
    expect(namesIn(result)).toEqual(["test_one", "test_late"]);
    expect(waits).toEqual([500]);
  });

  test("tells of what comes later", async () => {
    const { gateway, line, names } = await greeted();
    expect(await names(1)).toEqual(["test_one"]);
    gateway.registry.register(operation(() => 2, { name: "late" }));
    await line.until(({ method }) => method === "notifications/tools/list_changed");
    expect(await names(2)).toEqual(["test_one", "test_late"]);
  });

  test("has a caller of the name that the configuration gives", async () => {
    const tokens = { ada: { token: "tok-ada", scopes: ["vault"] } };
    expect(await (await greeted({ auth: { tokens, stdio: "ada" } })).names(1)).toEqual(["test_one", "test_secret"]);
    expect(await (await greeted({ auth: { tokens } })).names(1)).toEqual(["test_one"]);
  });

  test("ends when its client has gone", async () => {
    const { line, server } = await greeted();
    line.pipes.stdin.end();
    await server.closed;
  });
});
