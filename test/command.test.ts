import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const binary = join(root, "dist/bin/plico.js");
const folder = mkdtempSync(join(tmpdir(), "plico-command-"));
afterAll(() => rmSync(folder, { recursive: true }));

const rows = Array.from({ length: 40_000 }, (_, id) => ({ id, name: `row ${id}` }));
const large = join(folder, "large.json");
writeFileSync(large, JSON.stringify({ success: true, data: { rows }, error: null, meta: { version: "response-v2" } }));

describe("the built command", () => {
  test("writes a large document whole into a pipe", () => {
    const { stdout, status } = spawnSync(process.execPath, [binary, "convert", "--to", "helper-output", large], {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout).rows).toHaveLength(rows.length);
  });

  test("takes a closed pipe for the reader's will", async () => {
    const child = spawn(process.execPath, [binary, "read", "--json", large], { stdio: ["ignore", "pipe", "pipe"] });
    let err = "";
    child.stderr.on("data", (part) => {
      err += part;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("ends also where a module leaves a timer running", () => {
    const module = join(folder, "timer.mjs");
    const spec =
      '{ namespace: "a", name: "b", version: "1.0.0", type: "query", description: "", inputSchema: true, outputSchema: true }';
    writeFileSync(
      module,
      `setInterval(() => {}, 1000);\nexport const b = { id: "a.b", spec: ${spec}, handler: () => 1 };\n`,
    );
    for (const argv of [["ls"], ["call", "b"]]) {
      const { status } = spawnSync(process.execPath, [binary, ...argv, "--module", module], { timeout: 10_000 });
      expect({ argv, status }).toEqual({ argv, status: 0 });
    }
  });

  test("reads what is piped into it", () => {
    const { stdout, status } = spawnSync(process.execPath, [binary, "detect"], {
      input: '{"content":[]}',
      encoding: "utf8",
    });
    expect({ status, name: stdout.split(":")[0] }).toEqual({ status: 0, name: "mcp-result" });
  });

  test("never shows a stack for a user's mistake", () => {
    for (const argv of [["nope"], ["read", "/no/such/file"], ["convert"], ["check", "--as", "x"]]) {
      const { stderr, status } = spawnSync(process.execPath, [binary, ...argv], { encoding: "utf8", input: "" });
      expect({ argv, status, stack: /\n\s+at /.test(stderr) }).toEqual({ argv, status: 2, stack: false });
    }
  });

  test("runs when the package is installed from its tarball", () => {
    const pack = npm(["pack", "--ignore-scripts", "--json", "--pack-destination", folder], root);
    const [{ filename }] = JSON.parse(pack);
    npm(
      [
        "install",
        "--global",
        "--prefix",
        folder,
        "--prefer-offline",
        "--no-audit",
        "--no-fund",
        join(folder, filename),
      ],
      folder,
    );
    const installed = join(folder, "bin", "plico");
    const { stdout, status } = spawnSync(installed, ["--version"], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${process.env["npm_package_version"] ?? "0.1.0"}\n` });
  });
});

function npm(argv: string[], cwd: string): string {
  const { stdout, stderr, status } = spawnSync("npm", argv, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${argv.join(" ")} failed: ${stderr}`);
  return stdout;
}
