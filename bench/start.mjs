// Start of the command as a ratio to an empty node, processes interleaved.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./ratio.mjs";

const ROUNDS = 25;
// Below the checkout, where "plico" is the package that was built here.
const folder = mkdtempSync(fileURLToPath(new URL("../build/bench-", import.meta.url)));
const document = join(folder, "document.json");
writeFileSync(document, '{"success":true,"data":{"id":1},"error":null,"meta":{"version":"response-v2"}}');
const module = join(folder, "math.mjs");
writeFileSync(
  module,
  `import { defineOperation } from "plico";
const number = { type: "number" };
const sides = { type: "object", properties: { a: number, b: number }, required: ["a", "b"] };
export const add = defineOperation({
  namespace: "math", name: "add", version: "1.0.0", type: "query", description: "Adds two numbers.",
  inputSchema: sides, outputSchema: { type: "object", properties: { sum: number }, required: ["sum"] },
  handler: ({ a, b }) => ({ sum: a + b }),
});
`,
);
const binary = fileURLToPath(new URL("../dist/bin/plico.js", import.meta.url));

const cases = {
  "node -e 0": ["-e", "0"],
  "plico --version": [binary, "--version"],
  "plico convert": [binary, "convert", "--to", "helper-output", document],
  "plico check": [binary, "check", document],
  "plico ls": [binary, "ls", "--module", module],
  "import plico": [module],
  "plico call": [binary, "call", "add", "a=1", "b=2", "--module", module],
};
const goals = { "plico --version": 1.3, "plico convert": 1.8, "plico ls": 2.5 };

const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, argv] of Object.entries(cases)) {
    const start = performance.now();
    const { status } = spawnSync(process.execPath, argv, { stdio: "ignore" });
    times[name].push(performance.now() - start);
    if (status !== 0) throw new Error(`${name} ended with ${status}`);
  }
}
rmSync(folder, { recursive: true });

const limit = median(times["node -e 0"]);
const rows = Object.entries(times).map(([name, list]) => ({
  name,
  ms: median(list),
  ratio: median(list) / limit,
  goal: goals[name],
}));
for (const { name, ms, ratio, goal } of rows) {
  const judged = goal === undefined ? "" : `goal ${goal}  ${ratio <= goal ? "ok" : "MISSED"}`;
  console.log(`${name.padEnd(16)} ${ms.toFixed(1).padStart(7)} ms  ${ratio.toFixed(2)}  ${judged}`);
}
console.log(`JSON ${JSON.stringify({ bench: "start", node: process.version, rows })}`);
