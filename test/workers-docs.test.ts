import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeWith } from "./describe-with.js";
import { blocksUnder } from "./docs-code.js";
import { natsServer } from "./nats-server.js";
import { programOnThisMachine } from "./program.js";

const root = fileURLToPath(new URL("../", import.meta.url));

describeWith("docs/workers.md", programOnThisMachine("nats-server"), (program) => {
  test("has code that runs, one block after the other", async () => {
    const server = await natsServer(program);
    // Inside the project, so that `plico` is found.
    const folder = mkdtempSync(join(root, "build", "workers-docs-"));
    try {
      const code = blocksUnder("docs/workers.md", "# Workers on NATS", "js").join("\n");
      const file = join(folder, "code.mjs");
      writeFileSync(file, code.replaceAll("nats://127.0.0.1:4222", server.url));
      const run = spawnSync(process.execPath, [file], { cwd: root, encoding: "utf8", timeout: 20_000 });
      expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: "" });
      expect(run.stdout).toMatch(/^3\n/);
      expect(run.stdout).toContain("status: 'ready', workers: 1, operations: 1");
      expect(run.stdout).toContain("[ '1.0.0' ]");
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await server.close();
    }
  });
});
