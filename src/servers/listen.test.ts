import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { failureOf, thrownBy } from "../registry/fixtures/operations.js";
import { checkReach, listen } from "./listen.js";

describe("where a server can be reached", () => {
  test.each([undefined, "127.0.0.1", "127.9.9.9", "localhost", "::1"])("%s is this machine", (host) => {
    expect(() => checkReach({ host })).not.toThrow();
  });

  test.each(["0.0.0.0", "::", "10.0.0.1", "api.test", "", "127.0.0.1.test"])("%j wants names", (host) => {
    expect(thrownBy(() => checkReach({ host }))).toMatchObject({ category: "validation", code: "HOSTS_UNNAMED" });
    expect(() => checkReach({ host, allowedHosts: [] })).not.toThrow();
  });
});

describe("a server that listens", () => {
  test("says where, and closes after what there is to do", async () => {
    const order: string[] = [];
    const server = createServer((_, response) => response.end("ok"));
    server.on("close", () => order.push("closed"));
    const { origin, close } = await listen(server, {});
    expect(await (await fetch(origin)).text()).toBe("ok");
    await close(async () => {
      order.push("finish");
      await expect(fetch(origin)).rejects.toThrow();
    });
    expect(order).toEqual(["finish", "closed"]);
  });

  test("is not, where the port is taken", async () => {
    const first = await listen(createServer(), {});
    const { port } = new URL(first.origin);
    const second = createServer();
    await expect(listen(second, { port: Number(port) })).rejects.toMatchObject({
      category: "conflict",
      code: "EADDRINUSE",
    });
    expect(second.listening).toBe(false);
    await first.close(async () => {});
  });

  // The addresses of TEST-NET are nobody's.
  test.each([
    ["192.0.2.1", "EADDRNOTAVAIL"],
    ["no-such-host.invalid", expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/)],
  ])("is not, where %s is no address of this machine", async (host, code) => {
    const failure = await failureOf(listen(createServer(), { host }));
    expect(failure).toMatchObject({ category: "validation", code, suggestedAction: expect.any(String) });
  });
});
