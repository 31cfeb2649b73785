import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { expectBlock } from "./generated-block.js";

const root = new URL("../", import.meta.url);
const readme = readFileSync(new URL("README.md", root), "utf8");
const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

const SESSION = [
  "plico detect users.json",
  "plico read users.json",
  "plico convert --to response-v2 triage.json",
  "plico read invalid-input.txt",
  "plico check root-data.json",
];

describe("the README", () => {
  test("has a session of the commands as they are", () => {
    const shown = SESSION.map((line) => `$ ${line}\n${run(line)}`).join("\n");
    expectBlock("README.md", "session", `\`\`\`console\n${shown}\`\`\``);
  });

  test("names only npm scripts that exist", () => {
    const named = [...readme.matchAll(/npm (?:run )?(start|test|run [\w-]+|[\w-]+)/g)].map(([, name = ""]) => name);
    const own = named.filter((name) => !["ci", "cit", "i"].includes(name));
    expect(own.filter((name) => scripts[name.replace("run ", "")] === undefined)).toEqual([]);
    expect(readme).toContain("npm ci && npm start");
    expect(readFileSync(new URL(".ci/run", root), "utf8")).toContain("npm cit");
  });

  test("shows a tour that runs", () => {
    const { status, stderr } = spawnSync(process.execPath, ["examples/tour.mjs"], { cwd: root, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

/** What a person sees: both streams, in the order in which they were written. */
function run(line: string): string {
  const [, ...argv] = line.split(" ");
  const binary = fileURLToPath(new URL("dist/bin/plico.js", root));
  const cwd = new URL("examples/documents/", root);
  const shell = `"${process.execPath}" "${binary}" ${argv.join(" ")} 2>&1`;
  return spawnSync("sh", ["-c", shell], { cwd, encoding: "utf8" }).stdout;
}
