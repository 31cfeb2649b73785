import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { markProcesses } from "./marked-processes.js";

const binary = fileURLToPath(new URL("../dist/bin/plico.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "plico-fixture-command-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fixture = join(folder, "fixture.json");
const text = JSON.stringify({
  schema_version: "1.0.0",
  status: "ok",
  error: null,
  agent: "x",
  ts: "2026-05-01T09:00:00Z",
});

describe("the built command with a fixture", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("ends the helper and all that it started at %s", async (signal) => {
    writeFileSync(fixture, text);
    const mark = markProcesses();
    const script = "sleep 60 & sleep 60 & echo started >&2; wait";
    const child = spawn(
      process.execPath,
      [binary, "check", "--fixture", fixture, "--update", "--", "sh", "-c", script],
      {
        env: { ...process.env, ...mark.env },
        stdio: ["ignore", "inherit", "pipe"],
      },
    );
    const exited = once(child, "exit");
    expect(String(await once(child.stderr, "data"))).toBe("started\n");
    child.kill(signal);
    expect(await exited).toEqual([null, signal]);
    expect(mark.alive()).toEqual([]);
    expect(readFileSync(fixture, "utf8")).toBe(text);
  });
});
