import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { CapturedOptions } from "../src/cli/fixtures/run-captured.js";
import { textWidth } from "../src/cli/terminal/text-width.js";
import { watchResources } from "./left-behind.js";
import { runPublished } from "./published-run.js";

const tools = fileURLToPath(new URL("fixtures/cli-tools.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "plico-ls-"));
const nothingLeft = watchResources();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await nothingLeft();
});

const GONE = { gone: { module: "./gone.mjs" } };

function configured(sources: unknown): string {
  const own = mkdtempSync(join(folder, "case-"));
  writeFileSync(join(own, "plico.json"), JSON.stringify({ sources }));
  return own;
}

const ls = (words: readonly string[] = [], options: CapturedOptions = {}) =>
  runPublished(["ls", ...words], { cwd: folder, ...options });

describe("ls", () => {
  test("tells what each operation is, takes and is known of", async () => {
    const { code, out, err } = await ls(["--module", tools]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^cli-tools {2}module {2}ready {2}\d+ operations, \d+ ms$/m);
    expect(out).toMatch(/cli-tools\.add +query +in\+out +\{ a: number, b\?: number \} +Adds two numbers\.$/m);
    expect(out).toMatch(/cli-tools\.ticks +subscription /);
    expect(out).toMatch(/cli-tools\.broken +query +broken /);
    expect(out).toMatch(/cli-tools\.remove .* destructive! Removes a file\./);
  });

  test("has neither colours nor tabs in a pipe, and cuts no description", async () => {
    const { out } = await ls(["--module", tools]);
    expect(out).not.toMatch(/\t|\p{Cc}\[/u);
    expect(out).toContain("Has a schema with a part that cannot be used.");
  });

  test.each([40, 60, 80, 120])("fits a terminal of %i columns", async (columns) => {
    const { out } = await ls(["--module", tools], { isTTY: true, columns, env: { NO_COLOR: "1" } });
    const rows = out.split("\n").filter((line) => line.startsWith("  "));
    expect(rows.length).toBeGreaterThan(10);
    expect(Math.max(...rows.map(textWidth))).toBeLessThanOrEqual(columns);
  });

  test("shows a source that is not up with its reason, and the others all the same", async () => {
    const { code, out } = await ls([], { cwd: configured({ ok: { module: tools }, ...GONE }) });
    expect(code).toBe(1);
    expect(out).toMatch(/^gone {2}module {2}down\n {2}.*gone\.mjs/m);
    expect(out).toContain("ok.add");
  });

  test("opens only the sources that are named", async () => {
    const cwd = configured({ ok: { module: tools }, ...GONE });
    const { code, out } = await ls(["ok"], { cwd });
    expect(code).toBe(0);
    expect(out).not.toContain("gone");
  });

  test.each([
    ["gon", "did you mean gone?"],
    ["something-else", "there are ok, gone"],
  ])("does not know the source %s, and helps", async (name, help) => {
    const { code, err } = await ls([name], { cwd: configured({ ok: { module: tools }, ...GONE }) });
    expect(code).toBe(2);
    expect(err).toContain(help);
  });

  test("refuses a source that is disabled and asked for", async () => {
    const { code, err } = await ls(["off"], { cwd: configured({ off: { module: tools, disabled: true } }) });
    expect(code).toBe(2);
    expect(err).toContain("disabled");
  });

  test("prints all that it knows as JSON", async () => {
    const { code, out } = await ls(["--json"], { cwd: configured({ ok: { module: tools }, ...GONE }) });
    expect(code).toBe(1);
    const { sources } = JSON.parse(out);
    expect(sources.map(({ name, status }: Record<string, unknown>) => [name, status])).toEqual([
      ["ok", "ready"],
      ["gone", "down"],
    ]);
    expect(sources[1].error).toMatchObject({ code: "MODULE_FAILED" });
    expect(sources[0].operations[0]).toMatchObject({
      id: "ok.add",
      type: "query",
      schemas: { input: true, output: true, problems: [] },
      inputSchema: { type: "object" },
    });
  });

  test("takes sources from a file or from flags, and not from both", async () => {
    expect((await ls(["--config", "plico.json", "--module", tools])).code).toBe(2);
  });

  test("tells what to do where there is no file", async () => {
    const { code, err } = await ls([], { cwd: folder });
    expect(code).toBe(2);
    expect(err).toContain("plico init");
  });

  test("keeps the operations for completion, and nothing where there is no place for that", async () => {
    const home = mkdtempSync(join(folder, "home-"));
    const cwd = configured({ ok: { module: tools } });
    const complete = async (...words: string[]) =>
      (await runPublished(["completion", "words", "--", ...words], { cwd, env: { HOME: home } })).out.split("\n");
    expect(await complete("call", "")).toEqual(["ok.", ""]);
    await ls([], { cwd, env: { HOME: home } });
    expect(await complete("call", "ok.a")).toEqual(["ok.add\tAdds two numbers.", ""]);
    writeFileSync(join(cwd, "plico.json"), readFileSync(join(cwd, "plico.json"), "utf8").replace("ok", "other"));
    expect(await complete("call", "")).toEqual(["other.", ""]);
  });
});
