import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { unwrap } from "../src/envelope/response-envelope.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { operationText, stageForEach } from "./module-stage.js";

const stage = stageForEach();
const root = fileURLToPath(new URL("../", import.meta.url));

/** What a program in the folder of the stage prints. */
async function run(...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, args, { cwd: stage().folder, timeout: 15_000 });
}

const MATH = {
  "package.json": `{ "type": "module" }`,
  "math.ts": `import { Sign } from "./sign.js"; export const get = ${operationText("get", "input * Sign.Minus")};`,
  "sign.ts": "export enum Sign { Plus = 1, Minus = -1 }",
};

const MAIN = `const source = await moduleSource({ name: "mine", module: "./math.ts", watch: true });
  console.log(source.operations[0].handler(3));`;

describe("a process with a module source", () => {
  test("ends by itself while the source is open, and says nothing else", async () => {
    stage().write({ ...MATH, "main.mjs": `import { moduleSource } from "plico/sources/module"; ${MAIN}` });
    expect(await run("main.mjs")).toEqual({ stdout: "-3\n", stderr: "" });
  });

  test("takes a package that is a folder of the user, in TypeScript, as often as it is asked for it", async () => {
    stage().write({
      "linked/package.json": `{ "name": "linked", "type": "module", "exports": "./index.ts" }`,
      "linked/index.ts": `export { Sign } from "./sign.js";`,
      "linked/sign.ts": MATH["sign.ts"],
      "math.mjs": `import { Sign } from "linked"; export const get = ${operationText("get", "input * Sign.Minus")};`,
      "main.mjs": `import { moduleSource } from "plico/sources/module";
        for (const name of ["one", "two"]) {
          const source = await moduleSource({ name, module: "./math.mjs" });
          console.log(source.operations[0].handler(3));
        }`,
    });
    symlinkSync(join(stage().folder, "linked"), join(stage().folder, "node_modules/linked"));
    expect(await run("main.mjs")).toEqual({ stdout: "-3\n-3\n", stderr: "" });
  });

  test("finds the hooks also from the bundle of the command", async () => {
    const { folder } = stage();
    mkdirSync(join(folder, "dist"));
    symlinkSync(join(root, "dist/sources"), join(folder, "dist/sources"));
    symlinkSync(join(root, "node_modules/@swc"), join(folder, "node_modules/@swc"));
    stage().write(MATH);
    const contents = `import { moduleSource } from "${root}dist/sources/module/index.js"; ${MAIN}`;
    const outfile = join(folder, "dist/bin/plico.js");
    const { metafile } = await build({
      stdin: { contents, resolveDir: root },
      ...{ outfile, bundle: true, platform: "node", format: "esm", target: "node20", metafile: true },
    });
    expect(Object.keys(metafile.inputs).filter((file) => file.includes("swc/"))).toEqual([]);
    expect(await run(outfile)).toEqual({ stdout: "-3\n", stderr: "" });
  });
});

describe("a file that is a helper and a module", () => {
  const HELPER = `import { defineHelper, runHelper } from "plico/servers/script";
    export const triage = defineHelper({
      name: "triage", version: "1.0.0", namespace: "tools",
      inputSchema: { type: "object", properties: { n: { type: "integer" } } },
      run: ({ input }) => ({ doubled: input.n * 2 }),
    });
    await runHelper(triage, { main: import.meta });`;

  test("runs as a script", async () => {
    stage().write({ "triage.mjs": HELPER });
    const { stdout } = await run("triage.mjs", "--input", '{"n":2}');
    expect(JSON.parse(stdout)).toMatchObject({ status: "ok", doubled: 4 });
  });

  test.each([true, false])("gives its operation and does not run, watched: %s", async (watch) => {
    stage().write({ "triage.mjs": HELPER });
    const registry = new OperationRegistry();
    mountSource(registry, await stage().open("./triage.mjs", { watch }));
    expect(unwrap(await registry.execute("tools.triage", { n: 2 }))).toEqual({ doubled: 4 });
  });
});
