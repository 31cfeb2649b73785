import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCaptured } from "./fixtures/run-captured.js";
import type { Signal } from "./io.js";

const SCRIPT = "#!/bin/sh\necho '{}'\n";

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "plico-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o755 });
  return folder;
}

test("doctor exits with 0 where all is well", async () => {
  const config = { sources: { say: { script: ["./say.sh"], describe: false } }, servers: { http: { port: 0 } } };
  const cwd = folderWith({ "say.sh": SCRIPT, "plico.json": JSON.stringify(config) });
  const { code, out, err } = await runCaptured(["doctor"], { cwd });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^All is well: \d+ checks\.$/m);
  expect(out).toMatch(/^ok +say +script/m);
});

test("doctor tells failures first, each with its fix, without the secrets of the file", async () => {
  const sources = {
    gone: { mcp: ["no-such-program", "--token", "secret-abcdef"], env: { TOKEN: "secret-abcdef" } },
    say: { script: ["./say.sh"], describe: false },
  };
  const cwd = folderWith({
    "say.sh": SCRIPT,
    "plico.json": JSON.stringify({ sources, servers: { http: { port: 0 } } }),
  });
  const { code, out } = await runCaptured(["doctor", "--json"], { cwd });
  expect(code).toBe(1);
  const { summary, findings } = JSON.parse(out);
  expect(summary).toMatchObject({ fail: 1, warn: 1 });
  expect(findings[0]).toMatchObject({ level: "fail", about: "gone", fix: expect.any(String) });
  expect(out).not.toContain("secret-abcdef");
});

test("doctor tells each fault of a file that cannot be used, and that there is none", async () => {
  const broken = folderWith({ "plico.json": '{\n "sources": { "a": {} },\n "serverz": {}\n}' });
  const told = await runCaptured(["doctor"], { cwd: broken });
  expect(told.code).toBe(1);
  expect(told.out).toMatch(/^fail +file +plico\.json:2:/m);
  expect(told.out).toMatch(/^fail +file +plico\.json:3:/m);
  const none = await runCaptured(["doctor"], { cwd: folderWith({}) });
  expect(none.code).toBe(1);
  expect(none.out).toContain("plico init");
});

test("doctor tells of a script that is not there once, and not that it is up", async () => {
  const sources = { gone: { script: ["./gone.sh"], describe: false }, say: { script: ["./say.sh"], describe: false } };
  const config = { sources, servers: { http: { port: 0 } } };
  const cwd = folderWith({ "say.sh": SCRIPT, "plico.json": JSON.stringify(config) });
  const { out } = await runCaptured(["doctor", "--json"], { cwd });
  const { findings } = JSON.parse(out);
  const about = (name: string) => findings.filter((finding: { about: string }) => finding.about === name);
  expect(about("gone")).toMatchObject([{ level: "fail", fix: expect.any(String) }]);
  expect(about("say")).toMatchObject([{ level: "ok" }]);
});

test("doctor tells what is odd about the servers once, with the fix", async () => {
  const auth = { tokens: { me: { token: "short-token" } }, anonymous: true };
  const servers = { http: { host: "0.0.0.0", port: 0, allowedHosts: ["a.example"] }, auth };
  const cwd = folderWith({ "plico.json": JSON.stringify({ sources: {}, servers }) });
  const { out } = await runCaptured(["doctor", "--json"], { cwd });
  const warned = JSON.parse(out).findings.filter(({ level }: { level: string }) => level === "warn");
  expect(warned.map(({ about }: { about: string }) => about)).toEqual(["file", "servers.auth", "server", "server"]);
  expect(warned.every(({ fix }: { fix?: string }) => fix !== undefined)).toBe(true);
});

test.each(["doctor", "ls", "types"])(
  "Ctrl-C ends the wait of %s for a source that does not come up",
  async (command) => {
    const cwd = folderWith({ "silent.sh": "#!/bin/sh\ntouch started\nwhile read -r line; do :; done\n" });
    let send: (signal: Signal) => void = () => {};
    const running = runCaptured([command, "--mcp", "./silent.sh"], {
      cwd,
      onStart: (given) => {
        send = given;
      },
    });
    await expect.poll(() => existsSync(join(cwd, "started"))).toBe(true);
    send("SIGINT");
    expect(await running).toMatchObject({ code: 130, out: "" });
  },
);

test("doctor takes no words", async () => {
  expect((await runCaptured(["doctor", "files"])).code).toBe(2);
});
