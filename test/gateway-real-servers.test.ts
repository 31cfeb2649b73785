import { expect, test } from "vitest";
import {
  answer,
  call,
  healthOf,
  loadedConfig,
  makeFolder,
  mark,
  mcpServer,
  settled,
  tidyUp,
  whenHealth,
} from "../src/gateway/sources/fixtures/gateway-stage.js";
import { installNpmFolder } from "./npm-folder.js";
import { commandOf, REAL_SERVERS } from "./real-mcp-servers.js";

tidyUp();

const installed = installNpmFolder("mcp-servers");
const everything = REAL_SERVERS.find(({ recording }) => recording === "everything");

test.skipIf(typeof installed !== "string")("a real server is listed, called, killed and brought back", async () => {
  if (typeof installed !== "string" || everything === undefined) return;
  const folder = makeFolder();
  const mcp = commandOf(everything, installed, folder);
  const sources = { near: mcpServer(), all: { mcp, env: mark.env, include: ["echo", "get-*"] } };
  const gateway = await settled(loadedConfig(folder, sources), { stays: true });
  expect(healthOf(gateway, "all")).toMatchObject({
    status: "ready",
    server: { version: expect.any(String) },
    warnings: [],
  });
  const outcome = await call(gateway, "all.echo", { message: "hello" });
  expect(JSON.stringify(outcome)).toContain("hello");
  const { pid } = (await answer(gateway, "near.pid")) as { pid: number };
  for (const id of mark.alive().filter((one) => one !== pid)) process.kill(id, "SIGKILL");
  await whenHealth(gateway, () => healthOf(gateway, "all")?.status === "down");
  expect(await answer(gateway, "near.pid")).toMatchObject({ pid });
  await whenHealth(gateway, () => healthOf(gateway, "all")?.status === "ready");
  expect((await call(gateway, "all.echo", { message: "again" })).ok).toBe(true);
});
