import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { type Captured, runCaptured } from "../fixtures/run-captured.js";
import type { Signal } from "../io.js";

const cwd = mkdtempSync(join(tmpdir(), "plico-call-command-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const EVERYTHING = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const TOKEN = "t0ken-9f8e7d6c";

function configured(sources: unknown): void {
  writeFileSync(join(cwd, "plico.json"), JSON.stringify({ sources }));
}

function plico(words: readonly string[], isTTY = false): Promise<Captured> {
  return runCaptured(words, { cwd, isTTY, env: { NO_COLOR: "1" } });
}

test.each([
  [[], false],
  [[], true],
  [["--data"], false],
  [["--as", "problem-details"], false],
])("a failure that repeats a secret of the configuration is told without it: %j", async (flags, isTTY) => {
  const script = ["sh", "-c", 'echo "who is $TOKEN?" >&2; exit 1'];
  configured({ ask: { script, operation: "ask", describe: false, env: { TOKEN } } });
  const { code, out, err } = await plico(["call", "ask.ask", ...flags], isTTY);
  expect(code).toBeGreaterThan(0);
  expect(out + err).toContain("[redacted]");
  expect(out + err).not.toContain(TOKEN);
});

test("a module that is not up is told of once, however often it was looked into", async () => {
  configured({ one: { module: "./gone.mjs" }, two: { module: "./away.mjs" } });
  const { code, err } = await plico(["call", "other.thing"]);
  expect(code).toBe(66);
  expect(err.match(/source one is not up/g)).toHaveLength(1);
});

test("an example does not repeat the secrets of the flags that it has", async () => {
  const line = `node ${JSON.stringify(EVERYTHING)} stdio --token ${TOKEN}`;
  const { code, out, err } = await plico(["describe", "get-sum", "--mcp", line]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("--token [redacted]'");
  expect(out).not.toContain(TOKEN);
});

test("an input that is too large is refused without naming a flag that there is not", async () => {
  configured({ ask: { script: ["true"], operation: "ask", describe: false } });
  writeFileSync(join(cwd, "large.json"), "");
  truncateSync(join(cwd, "large.json"), 2 ** 26 + 1);
  const { code, err } = await plico(["call", "ask.ask", "--input", "@large.json"]);
  expect(code).toBe(1);
  expect(err).toMatch(/large\.json is larger than \d+ bytes/);
  expect(err).not.toContain("--max-bytes");
});

test("the time that a call may take begins with the start of its source", async () => {
  const { code, err } = await plico(["call", "x", "--mcp", "sleep 60", "--timeout", "200ms"]);
  expect(code).toBe(124);
  expect(err).toContain("sleep");
});

test("a stream that nobody reads any more is ended where it comes from, without a word", async () => {
  const ticks = `
    async function* handler(_, { signal }) {
      try {
        for (let at = 0; at < 3; at += 1) yield at;
        await new Promise((end) => signal.addEventListener("abort", end));
      } finally {
        globalThis.plicoTicksEnded = true;
      }
    }
    const about = { name: "ticks", version: "1.0.0", type: "subscription", description: "Counts." };
    export const ticks = { ...about, inputSchema: true, outputSchema: true, handler };
  `;
  writeFileSync(join(cwd, "ticks.mjs"), ticks);
  configured({ t: { module: "./ticks.mjs" } });
  let send: (signal: Signal) => void = () => {};
  let lines = 0;
  const onStart = (given: typeof send): void => {
    send = given;
  };
  const onWrite = (): void => {
    lines += 1;
    if (lines === 3) send("SIGPIPE");
  };
  const { code, out, err } = await runCaptured(["call", "t.ticks", "--data"], { cwd, onStart, onWrite });
  expect({ code, out, err }).toEqual({ code: 0, out: "0\n1\n2\n", err: "" });
  expect((globalThis as { plicoTicksEnded?: boolean }).plicoTicksEnded).toBe(true);
});
