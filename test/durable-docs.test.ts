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

describeWith("docs/durable.md", programOnThisMachine("nats-server"), (program) => {
  test("has code that runs, and prints what it says", async () => {
    const server = await natsServer(program, { jetstream: true });
    // Inside the project, so that `plico` is found.
    const folder = mkdtempSync(join(root, "build", "durable-docs-"));
    try {
      const code = blocksUnder("docs/durable.md", "# Durable calls", "js").join("\n");
      const file = join(folder, "code.mjs");
      writeFileSync(file, code.replaceAll("nats://127.0.0.1:4222", server.url));
      const run = spawnSync(process.execPath, [file], { cwd: root, encoding: "utf8", timeout: 20_000 });
      const stdout = [...code.matchAll(/console\.log\(.*?\/\/ (.*)\n/g)].map(([, said]) => `${said}\n`).join("");
      expect({ status: run.status, stderr: run.stderr, stdout: run.stdout }).toEqual({ status: 0, stderr: "", stdout });
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await server.close();
    }
  });
});
