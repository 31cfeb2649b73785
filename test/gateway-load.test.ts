import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const bench = fileURLToPath(new URL("../bench/gateway.mjs", import.meta.url));

/** The whole of it is `node bench/gateway.mjs`; docs/load.md has what came of that. */
test("the gateway gives right answers while its sources are killed, slowed and read anew", () => {
  const words = [bench, "--seconds", "4", "--clients", "32"];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
