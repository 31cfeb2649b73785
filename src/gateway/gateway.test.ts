import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { within } from "../../test/own-time.js";
import {
  answer,
  call,
  healthOf,
  ids,
  keptLog,
  loadedConfig,
  makeFolder,
  mark,
  mcpServer,
  open,
  printing,
  SILENT_SERVER,
  settled,
  tidyUp,
  whenHealth,
  write,
} from "./sources/fixtures/gateway-stage.js";

tidyUp();

const OPENAPI = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "pets", version: "1.0.0" },
  servers: [{ url: "http://127.0.0.1:9" }],
  paths: {
    "/pets": { get: { operationId: "listPets", responses: { 200: { description: "" } } } },
    "/pets/{id}": {
      delete: {
        operationId: "deletePet",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: { 204: { description: "" } },
      },
    },
  },
});

describe("a gateway", () => {
  test("has the operations of sources of every kind, in the order of the file", async () => {
    const folder = makeFolder({
      "hello.sh": '#!/bin/sh\necho "{\\"at\\":\\"$(pwd -P)\\"}"\n',
      "tools/one.sh": "#!/bin/sh\necho 1\n",
      "pets.json": OPENAPI,
    });
    const gateway = await settled(
      loadedConfig(folder, {
        far: mcpServer(),
        pets: { openapi: "./pets.json" },
        hello: { script: "./hello.sh" },
        many: { script: "tools" },
        told: { script: ["/bin/sh", "-c", "echo 3", "sh"], operation: "three" },
      }),
    );
    const names = ids(gateway);
    expect(names.slice(0, 1)).toEqual(["far.echo"]);
    expect(names.slice(-5)).toEqual(["pets.listPets", "pets.deletePet", "hello.hello", "many.one", "told.three"]);
    expect(gateway.health()).toMatchObject({ status: "ok", operations: names.length });
    expect(await answer(gateway, "far.echo", { a: 1 })).toMatchObject({ input: { a: 1 } });
    expect(await answer(gateway, "hello.hello")).toEqual({ at: expect.stringContaining("plico-gateway-") });
    expect(await answer(gateway, "many.one")).toBe(1);
    expect(await answer(gateway, "told.three")).toBe(3);
    expect(gateway.sourceOf("told.three")?.name).toBe("told");
    expect(healthOf(gateway, "far")).toMatchObject({
      kind: "mcp",
      status: "ready",
      restarts: 0,
      openedInMs: expect.any(Number),
    });
  });

  test("opens only the sources that are asked for, and none that is disabled", async () => {
    const sources = { a: printing("one", "1"), b: printing("one", "1"), c: printing("one", "1", { disabled: true }) };
    const only = await settled(loadedConfig(makeFolder(), sources), { only: ["b", "c"] });
    expect(only.sources.map(({ name }) => name)).toEqual(["b"]);
  });

  test("waits for no source that is slow, and has what is up", async () => {
    const folder = makeFolder();
    const gateway = open(
      loadedConfig(folder, { slow: { mcp: SILENT_SERVER, env: mark.env, graceMs: 100 }, a: printing("one", "1") }),
    );
    await whenHealth(gateway, () => healthOf(gateway, "a")?.status === "ready");
    expect(await answer(gateway, "a.one")).toBe(1);
    expect(gateway.health().status).toBe("starting");
    expect(await answer(gateway, "slow.anything")).toBe("unavailable");
    await within(2_000, gateway.settled(20));
  });

  test("tells why a source is down, and has the others", async () => {
    const folder = makeFolder();
    const gateway = await settled(
      loadedConfig(folder, {
        gone: { mcp: [join(folder, "no-such-program")] },
        lost: { script: "./lost.sh" },
        a: printing("one", "1"),
      }),
    );
    expect(gateway.health()).toMatchObject({ status: "degraded", operations: 1 });
    expect(healthOf(gateway, "gone")).toMatchObject({ status: "down", error: { message: expect.any(String) } });
    expect(healthOf(gateway, "lost")?.status).toBe("down");
    expect(await answer(gateway, "gone.anything")).toBe("unavailable");
    expect(await answer(gateway, "a.one")).toBe(1);
  });

  test("opens a source again that had failed", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { a: { script: "./one.sh" } }), { stays: true });
    expect(healthOf(gateway, "a")?.status).toBe("down");
    write(join(folder, "one.sh"), "#!/bin/sh\necho 1\n");
    await whenHealth(gateway, () => healthOf(gateway, "a")?.status === "ready");
    expect(await answer(gateway, "a.one")).toBe(1);
  });

  test("leaves a source that has failed as it is where the gateway does not stay", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { a: { script: "./one.sh" } }));
    write(join(folder, "one.sh"), "#!/bin/sh\necho 1\n");
    expect(await answer(gateway, "a.one")).toBe("unavailable");
    await gateway.settled();
    expect(healthOf(gateway, "a")?.status).toBe("down");
  });

  test("brings a server back that died, without waiting for a call", async () => {
    const folder = makeFolder();
    const gateway = await settled(loadedConfig(folder, { far: mcpServer() }), { stays: true });
    const { pid } = (await answer(gateway, "far.pid")) as { pid: number };
    process.kill(pid, "SIGKILL");
    await whenHealth(gateway, () => healthOf(gateway, "far")?.status === "down");
    expect(gateway.health().status).toBe("degraded");
    expect(ids(gateway)).toContain("far.echo");
    await whenHealth(gateway, () => healthOf(gateway, "far")?.status === "ready");
    expect(healthOf(gateway, "far")?.restarts).toBe(1);
    expect(await answer(gateway, "far.pid")).not.toMatchObject({ pid });
  });

  test("ends servers that are still starting when it is closed, and may be closed twice", async () => {
    const folder = makeFolder();
    const log = keptLog();
    const talks = `process.stderr.write("here\\n"); setInterval(() => {}, 1000)`;
    const gateway = open(
      loadedConfig(folder, { slow: { mcp: [process.execPath, "-e", talks], env: mark.env, graceMs: 100 } }),
      { log, stays: true },
    );
    await expect.poll(() => log.lines).toContain("debug here");
    await Promise.all([gateway.close(), gateway.close()]);
    expect(mark.alive()).toEqual([]);
    expect((await call(gateway, "slow.echo")).ok).toBe(false);
  });

  test("never shows a secret in its health", async () => {
    const sources = { bad: { mcp: ["/bin/sh", "-c", "echo no entry with s3cr3t-value >&2; exit 1"] } };
    const gateway = await settled(loadedConfig(makeFolder(), sources, { secrets: ["s3cr3t-value"] }));
    expect(healthOf(gateway, "bad")?.error).toBeDefined();
    expect(JSON.stringify(gateway.health())).not.toContain("s3cr3t-value");
  });

  test("asks for the scopes that the configuration names, and limits who calls", async () => {
    const folder = makeFolder();
    const gateway = await settled(
      loadedConfig(
        folder,
        { a: printing("one", "1", { scopes: ["math"] }) },
        { limits: { perIdentity: { perSecond: 0.001, burst: 2 } } },
      ),
    );
    expect(await answer(gateway, "a.one")).toBe("authentication");
    const identity = { id: "ann", scopes: ["math"] };
    const attempt = () => gateway.served.attempt("a.one", {}, { identity });
    expect((await attempt()).ok && (await attempt()).ok).toBe(true);
    expect(await attempt()).toMatchObject({ ok: false, error: { category: "rate_limit" } });
  });
});
