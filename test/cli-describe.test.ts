import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { splitCommandLine } from "../src/gateway/config/command-line.js";
import { watchResources } from "./left-behind.js";
import { runPublished } from "./published-run.js";

const tools = fileURLToPath(new URL("fixtures/cli-tools.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "plico-describe-"));
const nothingLeft = watchResources();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await nothingLeft();
});

const describeOperation = (...words: string[]) =>
  runPublished(["describe", ...words, "--module", tools], { cwd: folder });

describe("describe", () => {
  test("tells what an operation is, takes and gives, with a command that calls it", async () => {
    const { code, out, err } = await describeOperation("add");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const part of [
      "cli-tools.add  Addition",
      "query, version 1.0.0",
      "tags arithmetic",
      "Read-only",
      "Idempotent",
    ])
      expect(out).toContain(part);
    expect(out).toMatch(/\/\*\* The first one\. \*\/\n +a: number;/);
    expect(out).toMatch(/@default 1 \*\/\n +b\?: number;/);
    expect(out).toContain("Output\n  { sum: number }");
    expect(out).toContain(`plico call cli-tools.add a=1 b=1 --module ${tools}`);
  });

  test("warns of what is destructive, and tells what may go wrong and who may call", async () => {
    expect((await describeOperation("remove")).out).toContain("--yes");
    expect((await describeOperation("divide")).out).toMatch(/DIVISION_BY_ZERO {2}conflict {2}exit code 73/);
    expect((await describeOperation("secret")).out).toContain("scopes, all of: admin");
    expect((await describeOperation("broken")).out).toContain("Schema problems");
  });

  test.each(["add", "echo", "open", "text", "divide", "rows", "ticks", "steps", "secret", "broken"])(
    "gives an example of %s that works as it is printed",
    async (name) => {
      const { out } = await describeOperation(name, "--json");
      const [, ...words] = splitCommandLine(JSON.parse(out).example) ?? [];
      const { code, err } = await runPublished(words, { cwd: folder });
      expect({ code, err }).toEqual({ code: 0, err: "" });
    },
  );

  test("prints all of it as JSON", async () => {
    const { out } = await describeOperation("divide", "--json");
    expect(JSON.parse(out)).toMatchObject({
      id: "cli-tools.divide",
      source: { name: "cli-tools", kind: "module" },
      inputSchema: { type: "object" },
      errors: [{ code: "DIVISION_BY_ZERO", category: "conflict", recoverable: false, exitCode: 73 }],
    });
  });

  test("has the exit code 66 and the nearest where there is no such operation", async () => {
    const { code, err } = await describeOperation("cli-tools.ehco");
    expect(code).toBe(66);
    expect(err).toContain("Did you mean cli-tools.echo?");
  });

  test("wants one operation", async () => {
    expect((await describeOperation()).code).toBe(2);
    expect((await describeOperation("add", "echo")).code).toBe(2);
  });
});
