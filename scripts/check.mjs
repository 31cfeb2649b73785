// All that is checked but the tests. The compiler works beside the other steps, which need nothing of it.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const packed = mkdtempSync(join(tmpdir(), "plico-check-"));
const env = { ...process.env, PATH: [join("node_modules", ".bin"), process.env.PATH].join(delimiter) };
// On Windows the programs of npm are scripts for its shell.
const shell = process.platform === "win32";
const failed = [];

/** What stands below the build looks at what was built. */
async function checkAllButTypes() {
  await step("biome", ["biome", "check", "."]);
  if (!(await step("build", ["node", "scripts/build.mjs"]))) return;
  await step("knip", ["knip"]);
  await step("publint", ["publint", "--strict"]);
  // Left to pack by itself, attw has everything built once more.
  if (!(await step("pack", ["npm", "pack", "--ignore-scripts", "--pack-destination", packed]))) return;
  await step("attw", ["attw", join(packed, readdirSync(packed)[0]), "--profile", "esm-only"]);
}

/** Whether it went well; what it said is told only if not. */
async function step(name, [program, ...words]) {
  const start = performance.now();
  const { code, said } = await run(program, words);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (code !== 0) failed.push(name);
  process.stdout.write(code === 0 ? `${name} ${seconds} s\n` : `${said}\n${name} FAILED after ${seconds} s\n`);
  return code === 0;
}

function run(program, words) {
  return new Promise((resolve) => {
    const child = spawn(program, words, { env, shell, stdio: ["ignore", "pipe", "pipe"] });
    const parts = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => parts.push(part));
    child.on("error", (error) => resolve({ code: null, said: error.message }));
    child.on("close", (code) => resolve({ code, said: Buffer.concat(parts).toString() }));
  });
}

try {
  await Promise.all([step("tsc", ["node", "node_modules/typescript-native/bin/tsc", "--noEmit"]), checkAllButTypes()]);
} finally {
  rmSync(packed, { recursive: true, force: true });
}
if (failed.length > 0) {
  process.stderr.write(`The check failed: ${failed.join(", ")}\n`);
  process.exitCode = 1;
}
