import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HELPER_OPTIONS } from "../src/helper/flag-name.js";

const root = new URL("../", import.meta.url);

test.each([
  ["docs/import-scripts.md", "src/sources/script/options.ts", "ScriptSourceOptions"],
  ["docs/import-scripts.md", "src/sources/script/options.ts", "ScriptOptions"],
  ["docs/import-scripts.md", "src/sources/script/options.ts", "ScriptLimits"],
  ["docs/import-modules.md", "src/sources/module/options.ts", "ModuleSourceOptions"],
  ["docs/workers.md", "src/brokers/nats/worker/worker-options.ts", "NatsWorkerOptions"],
  ["docs/workers.md", "src/brokers/nats/source/source-options.ts", "NatsSourceOptions"],
  ["docs/write-helpers.md", "src/servers/script/emit.ts", "EmitOptions"],
  ["docs/write-helpers.md", "src/servers/script/helper.ts", "Helper"],
])("%s speaks of every field in %s of %s", (page, file, name) => {
  const code = new RegExp(`^export interface ${name}\\b[^]*?^}`, "m").exec(textOf(file))?.[0] ?? "";
  const fields = [...code.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = ""]) => field);
  expect(fields).not.toEqual([]);
  const said = (textOf(page).match(/`[^`\n]+`/g) ?? []).join(" ");
  expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(said))).toEqual([]);
});

test("docs/write-helpers.md speaks of every option of a helper", () => {
  const page = textOf("docs/write-helpers.md");
  expect(HELPER_OPTIONS.filter((option) => !page.includes(`\`--${option}`))).toEqual([]);
});

function textOf(file: string): string {
  return readFileSync(new URL(file, root), "utf8");
}
