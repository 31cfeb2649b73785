import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Gateway, GatewayOptions } from "../src/gateway/gateway.js";
import {
  answer,
  healthOf,
  ids,
  loadedConfig,
  makeFolder,
  tidyUp,
  watched,
  whenHealth,
  write,
} from "../src/gateway/sources/fixtures/gateway-stage.js";
import { nativeImport } from "./native-import.js";
import { within } from "./own-time.js";

tidyUp();

/** The published code: the hooks of Node cannot run what only vitest understands. */
const { openGateway } = (await nativeImport(new URL("../build/gateway/gateway.js", import.meta.url).href)) as {
  readonly openGateway: (options: GatewayOptions) => Gateway;
};

/** A module of queries that say what they are. */
function moduleText(namespace: string, answers: Readonly<Record<string, unknown>>): string {
  const operations = Object.entries(answers).map(
    ([name, data]) => `export const ${name} = { namespace: "${namespace}", name: "${name}", version: "1.0.0",
  type: "query", description: "", inputSchema: true, outputSchema: true, handler: () => (${JSON.stringify(data)}) };`,
  );
  return operations.join("\n");
}

async function settled(options: GatewayOptions): Promise<Gateway> {
  const gateway = watched(openGateway(options));
  await gateway.settled();
  return gateway;
}

describe("a module behind a gateway", () => {
  test("keeps the namespaces of its operations, unless the configuration says one", async () => {
    const folder = makeFolder({ "math.mjs": moduleText("math", { two: 2 }) });
    const sources = { a: { module: "./math.mjs" }, b: { module: "./math.mjs", namespace: "b", prefix: "the_" } };
    const gateway = await settled({ loaded: loadedConfig(folder, sources) });
    expect(ids(gateway)).toEqual(["math.two", "b.the_two"]);
    expect(await answer(gateway, "b.the_two")).toBe(2);
  });

  test("has the policies and the time-out that the configuration says", async () => {
    const text = moduleText("slow", { one: 1 }).replace("() => (1)", "() => new Promise(() => {})");
    const folder = makeFolder({ "slow.mjs": text });
    const sources = { slow: { module: "./slow.mjs", timeout: 50, output: "strict" as const } };
    const gateway = await settled({ loaded: loadedConfig(folder, sources) });
    expect(gateway.registry.getSpec("slow.one")?.output).toBe("strict");
    expect(await answer(gateway, "slow.one")).toBe("timeout");
  });

  test("is loaded again when it has changed, where the gateway stays", async () => {
    const folder = makeFolder({ "a.mjs": moduleText("a", { one: 1 }) });
    const gateway = await settled({ loaded: loadedConfig(folder, { a: { module: "./a.mjs" } }), stays: true });
    const changed = new Promise<void>((resolve) =>
      gateway.served.onChange(() => ids(gateway).includes("a.two") && resolve()),
    );
    write(join(folder, "a.mjs"), moduleText("a", { two: 2 }));
    await changed;
    expect(ids(gateway)).toEqual(["a.two"]);
    expect(await answer(gateway, "a.two")).toBe(2);
  });

  test("that is broken is down, and up once it is mended", async () => {
    const folder = makeFolder({ "a.mjs": "export const one = (;" });
    const gateway = await settled({ loaded: loadedConfig(folder, { a: { module: "./a.mjs" } }), stays: true });
    expect(healthOf(gateway, "a")).toMatchObject({ status: "down", error: { message: expect.any(String) } });
    write(join(folder, "a.mjs"), moduleText("a", { one: 1 }));
    await whenHealth(gateway, () => healthOf(gateway, "a")?.status === "ready");
    expect(await answer(gateway, "a.one")).toBe(1);
  });

  test("that never ends loading keeps nobody from closing", async () => {
    const folder = makeFolder({ "a.mjs": "await new Promise(() => setInterval(() => {}, 1000).unref());" });
    const gateway = watched(openGateway({ loaded: loadedConfig(folder, { a: { module: "./a.mjs" } }) }));
    await gateway.settled(200);
    expect(gateway.health().status).toBe("starting");
    await within(5_000, gateway.close());
  });

  test("that is removed from the disk goes on as it was", async () => {
    const folder = makeFolder({ "a.mjs": moduleText("a", { one: 1 }) });
    const gateway = await settled({ loaded: loadedConfig(folder, { a: { module: "./a.mjs" } }), stays: true });
    rmSync(join(folder, "a.mjs"));
    expect(await answer(gateway, "a.one")).toBe(1);
  });
});
