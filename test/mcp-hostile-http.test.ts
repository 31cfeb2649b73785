import { createServer } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { http } from "./fixtures/hostile/http.mjs";
import type { Era, Misbehaviour } from "./fixtures/hostile/index.mjs";
import { type HostileHttpServer, hostileHttpServer } from "./fixtures/hostile-http-server.mjs";
import { openHostile, tryHostile } from "./hostile-trial.js";
import { watchResources } from "./left-behind.js";

const ERAS: readonly Era[] = ["legacy", "modern"];

const assertNothingLeft = watchResources();

test("there are many misbehaviours", () => {
  expect(Object.keys(http).length).toBeGreaterThan(60);
});

describe.each(ERAS)("a server of the %s era over HTTP that", (era) => {
  for (const [name, one] of Object.entries(http).filter(([, { eras = ERAS }]) => eras.includes(era))) {
    test.concurrent(name, async () => {
      const server = await hostileHttpServer(era, name);
      try {
        await meet(server, name, one);
        await vi.waitFor(() => expect(server.running).toBe(0), { timeout: 10_000 });
        expect(server.strayed).toEqual([]);
      } finally {
        await server.close();
      }
    });
  }
});

test("an address where nobody listens is told as such", async () => {
  const port = await unusedPort();
  await openHostile({ name: "hostile", url: `http://127.0.0.1:${port}/mcp` }, { opens: "unavailable" });
});

test("nothing is left of all these servers", assertNothingLeft);

async function meet({ url }: HostileHttpServer, name: string, one: Misbehaviour): Promise<void> {
  const secrets = { token: "secret", headers: { "x-api-key": "secret" } };
  const source = await openHostile({ name: "hostile", url, ...secrets, ...one.options }, one.expect);
  try {
    if (source !== undefined) await tryHostile(source, name, one);
  } finally {
    await source?.close();
  }
}

function unusedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
