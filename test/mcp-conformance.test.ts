import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveConformance } from "./conformance/server.js";
import { expectedFailuresFile, installSuite, REVISIONS, type Suite } from "./conformance/suite.js";
import type { Verdict } from "./conformance/verdict.js";
import { programOnThisMachine } from "./program.js";

/** As many checks as pass today, so that none is lost unseen: some pass falsely where a fixture is missing. */
const LEAST_PASSED = {
  "2025-11-25": { server: 81, client: 338 },
  "2026-07-28": { server: 163, client: 479 },
};

/** The scenarios that a server without logs cannot pass. */
const ABOUT_LOGS = { "2025-11-25": ["logging-set-level", "tools-call-with-logging"], "2026-07-28": [] };

/** Without logs a call is answered in JSON, and there is no stream that could be resumed. */
const ABOUT_STREAMS = ["server-sse-polling:server-sse-priming-event", "server-sse-polling:server-sse-retry-field"];

const suite = installSuite();

if ("reason" in suite) {
  test.skipIf(process.env["CI"] === undefined)(`the conformance suite runs (${suite.reason})`, () => {
    expect(suite.reason).toBeUndefined();
  });
} else {
  testConformance(suite);
}

function testConformance(suite: Suite): void {
  describe.each(REVISIONS)("at the revision %s of MCP", (revision) => {
    test.each([
      ["a server", true],
      ["a server without logs", false],
    ])("%s conforms", async (_, logs) => {
      const server = await serveConformance({ logs });
      try {
        const alsoExpected = logs ? [] : ABOUT_LOGS[revision];
        const expectations = { alsoExpected, notExpected: logs ? [] : ABOUT_STREAMS };
        const verdict = await suite.run({ side: "server", revision, target: ["--url", server.url], ...expectations });
        expectConformance(verdict, LEAST_PASSED[revision].server - alsoExpected.length);
      } finally {
        await server.close();
      }
    });

    test("a source conforms", { timeout: 150_000 }, async () => {
      const target = ["--command", `${inTurn()} "${process.execPath}" "${client}"`];
      expectConformance(await suite.run({ side: "client", revision, target }), LEAST_PASSED[revision].client);
    });

    test("each expected failure has a written reason", () => {
      const lines = readFileSync(expectedFailuresFile(revision), "utf8").split("\n");
      expect(lines.filter((line) => /^\s*-/.test(line) && !/# \w+/.test(line))).toEqual([]);
    });
  });

  const folder = mkdtempSync(join(tmpdir(), "plico-conformance-client-"));
  const client = join(folder, "client.mjs");
  beforeAll(async () => {
    const entry = fileURLToPath(new URL("./conformance/client.ts", import.meta.url));
    // It is started some seventy times, and half of its start is the reading of its text.
    const small = { minifyWhitespace: true, minifySyntax: true };
    await build({ entryPoints: [entry], outfile: client, bundle: true, platform: "node", format: "esm", ...small });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The suite starts its clients all at once, more than thirty. Where the shell can make them wait, three run at a time. */
  const inTurn = (): string => {
    const flock = programOnThisMachine("flock", "util-linux");
    return typeof flock === "string" ? `"${flock}" "${folder}/turn$(($$ % 3))"` : "";
  };
}

function expectConformance({ failures, stale, passed, exitCode, said }: Verdict, leastPassed: number): void {
  expect(failures).toEqual([]);
  expect(stale).toEqual([]);
  expect(passed).toBeGreaterThanOrEqual(leastPassed);
  // A source that is closed lets its process end.
  expect(said).not.toContain("Client timed out");
  expect(exitCode, said.slice(-2000)).toBe(0);
}
