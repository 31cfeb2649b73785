// Scripts and programs as operations: one that describes itself, a directory of them, and a plain one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mountSource, OperationRegistry } from "plico";
import { scriptSource } from "plico/sources/script";

// A checkout to look at.
const cwd = mkdtempSync(join(tmpdir(), "plico-example-"));
const git = (...words) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...words], { cwd });
git("init", "--quiet", "--initial-branch=main");
for (const subject of ["Begin", "Go on", "Stop"]) git("commit", "--quiet", "--allow-empty", "--message", subject);
writeFileSync(join(cwd, "notes.txt"), "TODO: write more\n");

const registry = new OperationRegistry();
const helpers = fileURLToPath(new URL("helpers/", import.meta.url));

// 1. A helper says by `--schema` what it takes and gives. It runs without a shell, here with its input on stdin.
const team = await scriptSource({ name: "team", file: join(helpers, "triage.mjs"), cwd });
mountSource(registry, team);
const { data, meta } = await registry.execute("team.triage", { maxCount: 2 });
assert.deepEqual(data, { branch: "main", commits: ["Stop", "Go on"], changed: ["notes.txt"] });

// 2. What it could not do is told: this answer is partial.
assert.deepEqual(meta.skippedSources, [{ source: "upstream", reason: "the branch follows no other" }]);
assert.equal(meta.schemaVersion, "1.0.0");
assert.equal(meta.exitCode, 0);

// 3. Bad input never starts a process, and an error of the helper is the helper's own.
const refused = await registry.attempt("team.triage", { maxCount: 0 });
assert.equal(refused.error.issues[0].path, "/maxCount");
const elsewhere = await registry.attempt("team.triage", { folder: tmpdir() });
assert.equal(elsewhere.error.code, "NO_CHECKOUT");

// 4. A directory is a source of all executables in it, in whatever language.
const all = await scriptSource({ name: "all", directory: helpers, cwd });
mountSource(registry, all);
assert.deepEqual(
  all.operations.map(({ id, spec }) => [id, spec.type]),
  [
    ["all.todos", "query"],
    ["all.triage", "query"],
  ],
);
assert.deepEqual((await registry.execute("all.todos", { word: "write" })).data, { count: 1 });

// 5. Any program will do: say which flag a field is, and what is printed. JSON lines are a subscription.
const log = await scriptSource({
  name: "git",
  command: ["git", "log", '--format={"hash":"%h","subject":"%s"}'],
  operation: "log",
  cwd,
  inputSchema: { type: "object", properties: { count: { type: "integer" }, grep: { type: "string" } } },
  flags: { count: "-n", grep: "--grep=" },
  outputAs: "json-lines",
});
mountSource(registry, log);
const subjects = [];
for await (const commit of registry.subscribe("git.log", { count: 2 })) subjects.push(commit.data.subject);
assert.deepEqual(subjects, ["Stop", "Go on"]);
console.log(subjects.join(", "));

// 6. What is not installed is told apart from what failed.
const missing = await scriptSource({ name: "no", command: ["no-such-program"] });
mountSource(registry, missing);
const { error } = await registry.attempt("no.no-such-program", {});
assert.equal(error.code, "TOOL_MISSING");
console.log(error.suggestedAction);

// 7. Whatever still runs ends with its source.
for (const source of [team, all, log, missing]) await source.close();
rmSync(cwd, { recursive: true });
console.log("closed");
