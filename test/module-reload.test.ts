import { EventEmitter, once } from "node:events";
import { rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { unwrap } from "../src/envelope/response-envelope.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { watchResources } from "./left-behind.js";
import { operationText, stageForEach } from "./module-stage.js";

const stage = stageForEach();

/** An operation `math.get`. */
function getting(body: string): string {
  return `export const get = ${operationText("get", body)};`;
}

/** Opens a module with `watch` in a registry; what is given back asks `math.get`. */
async function watched(module: string): Promise<(input?: unknown) => Promise<unknown>> {
  const registry = new OperationRegistry();
  mountSource(registry, await stage().open(module, { watch: true }));
  return async (input = null) => unwrap(await registry.execute("math.get", input));
}

describe("a module that is watched", () => {
  test.each(["math.mjs", "math.ts", "math.mts"])("%s is loaded again when it changes", async (name) => {
    stage().write({ [name]: getting("1") });
    const get = await watched(`./${name}`);
    expect(await get()).toBe(1);
    stage().write({ [name]: getting("2") });
    expect(await stage().reloaded()).toMatchObject({ status: "ready", operations: 1, warnings: [] });
    expect(await get()).toBe(2);
  });

  test.each(["math.cjs", "math.cts"])("%s is loaded again with what it requires", async (name) => {
    const text = `const { n } = require("./n.cjs"); exports.get = ${operationText("get", "n")};`;
    stage().write({ [name]: text, "n.cjs": `exports.n = require("./m.cjs");`, "m.cjs": "module.exports = 1;" });
    const get = await watched(`./${name}`);
    expect(await get()).toBe(1);
    stage().write({ "m.cjs": "module.exports = 2;" });
    await stage().reloaded();
    expect(await get()).toBe(2);
    stage().write({ [name]: text.replace('get", ', 'get", /* new */').replace("=> n", "=> n + 10") });
    await stage().reloaded();
    expect(await get()).toBe(12);
  });

  test("a change of what it imports is followed through all files, in whichever format", async () => {
    stage().write({
      "math.ts": `import { n } from "./lib/n.js"; ${getting("n")}`,
      "lib/n.ts": `import { m } from "./m.mjs"; import { k } from "#k"; import data from "../data.json" with { type: "json" };
        export const n: number = m + k + data;`,
      "lib/m.mjs": "import c from '../c.cjs'; export const m = c;",
      "c.cjs": "module.exports = 1;",
      "k.mjs": "export const k = 10;",
      "data.json": "100",
      "package.json": `{ "imports": { "#k": "./k.mjs" } }`,
    });
    const get = await watched("./math.ts");
    expect(await get()).toBe(111);
    const changes = { "c.cjs": "module.exports = 2;", "k.mjs": "export const k = 20;", "data.json": "200" };
    const answers: unknown[] = [];
    for (const [file, text] of Object.entries(changes)) {
      stage().write({ [file]: text });
      await stage().reloaded();
      answers.push(await get());
    }
    expect(answers).toEqual([112, 122, 222]);
  });

  test("packages are not loaded again", async () => {
    const count = "globalThis.stageLoads = (globalThis.stageLoads ?? 0) + 1; export const n = globalThis.stageLoads;";
    stage().write({
      "math.mjs": `import { n } from "counted"; ${getting("n")}`,
      "node_modules/counted/index.mjs": count,
      "node_modules/counted/package.json": `{ "exports": "./index.mjs" }`,
    });
    const get = await watched("./math.mjs");
    const before = await get();
    stage().write({ "math.mjs": `import { n } from "counted"; ${getting("n + 0.5")}` });
    await stage().reloaded();
    expect(await get()).toBe(Number(before) + 0.5);
  });

  test("a broken edit keeps the operations until it is mended", async () => {
    stage().write({ "math.ts": getting("1") });
    const source = await stage().open("./math.ts", { watch: true });
    const before = source.operations;
    stage().write({ "math.ts": "export const get: = 2" });
    const broken = await stage().reloaded();
    expect(broken).toMatchObject({ status: "ready", operations: 1, error: { code: "MODULE_FAILED" } });
    expect(broken.warnings).toMatchObject([{ code: "MODULE_STALE" }]);
    expect(source.operations).toBe(before);
    stage().write({ "math.ts": getting("3") });
    expect(await stage().reloaded()).toEqual({ status: "ready", operations: 1, warnings: [] });
    expect(source.operations).not.toBe(before);
  });

  test("an edit that exports no operation any more counts as broken", async () => {
    stage().write({ "math.ts": getting("1") });
    const get = await watched("./math.ts");
    stage().write({ "math.ts": "export {};" });
    expect(await stage().reloaded()).toMatchObject({ error: { code: "MODULE_FAILED" } });
    expect(await get()).toBe(1);
  });

  test("a file that an edit imports before it exists mends the module when it comes", async () => {
    stage().write({ "math.ts": getting("1") });
    const get = await watched("./math.ts");
    stage().write({ "math.ts": `import { n } from "./n.js"; ${getting("n")}` });
    expect(await stage().reloaded()).toMatchObject({ error: { category: "not_found" } });
    stage().write({ "n.js": "export const n = 2;", "package.json": `{ "type": "module" }` });
    expect(await stage().reloaded()).toMatchObject({ warnings: [] });
    expect(await get()).toBe(2);
  });

  test("a file that is taken away and written again is followed", async () => {
    stage().write({ "math.mjs": getting("1") });
    const get = await watched("./math.mjs");
    unlinkSync(join(stage().folder, "math.mjs"));
    expect(await stage().reloaded()).toMatchObject({ error: { category: "not_found" } });
    stage().write({ "math.mjs": getting("2") });
    await stage().reloaded();
    expect(await get()).toBe(2);
  });

  test("a folder that is taken away and made again is followed", async () => {
    stage().write({
      "math.mjs": `import { n } from "./lib/n.mjs"; ${getting("n")}`,
      "lib/n.mjs": "export const n = 1;",
    });
    const get = await watched("./math.mjs");
    const answers: unknown[] = [];
    for (const n of [2, 3]) {
      rmSync(join(stage().folder, "lib"), { recursive: true });
      stage().write({ "lib/n.mjs": `export const n = ${n};` });
      await stage().reloaded();
      answers.push(await get());
    }
    expect(answers).toEqual([2, 3]);
  });

  test("what is imported only when it is called is followed too", async () => {
    const late = getting(`import("./late.mjs").then(({ n }) => n)`);
    stage().write({ "math.mjs": late, "late.mjs": "export const n = 1;" });
    const get = await watched("./math.mjs");
    expect(await get()).toBe(1);
    stage().write({ "late.mjs": "export const n = 2;" });
    await stage().reloaded();
    expect(await get()).toBe(2);
  });

  test("a call that is running goes on with the old code", async () => {
    stage().write({ "math.mjs": getting("input.wait.then(() => 1)") });
    const get = await watched("./math.mjs");
    let finish: () => void = () => {};
    const wait = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const running = get({ wait });
    stage().write({ "math.mjs": getting("2") });
    await stage().reloaded();
    finish();
    expect(await Promise.all([running, get({ wait })])).toEqual([1, 2]);
  });

  test("operations come and go in the registry", async () => {
    stage().write({ "math.mjs": getting("1") });
    const registry = new OperationRegistry();
    mountSource(registry, await stage().open("./math.mjs", { watch: true }));
    const ids = (): string[] => registry.list().map(({ namespace, name }) => `${namespace}.${name}`);
    stage().write({ "math.mjs": `${getting("1")} export const put = ${operationText("put", "2")};` });
    await stage().reloaded();
    expect(ids()).toEqual(["math.get", "math.put"]);
    stage().write({ "math.mjs": `export const put = ${operationText("put", "2")};` });
    await stage().reloaded();
    expect(ids()).toEqual(["math.put"]);
  });
});

describe("the end of a module source", () => {
  test("a reload that is under way when the source is closed changes nothing", async () => {
    stage().write({ "math.mjs": getting("1") });
    const source = await stage().open("./math.mjs", { watch: true });
    const before = source.operations;
    let changes = 0;
    source.onChange(() => {
      changes += 1;
    });
    stage().write({ "math.mjs": getting("2") });
    const reloading = source.refresh();
    await source.close();
    await reloading;
    await source.refresh();
    expect(source.operations).toBe(before);
    expect([changes, source.health().status]).toEqual([0, "closed"]);
  });

  test("no watcher and no timer is left", async () => {
    const nothingLeft = watchResources();
    stage().write({ "math.mjs": getting("1") });
    const source = await stage().open("./math.mjs", { watch: true });
    writeFileSync(join(stage().folder, "math.mjs"), getting("2"));
    await source.close();
    expect(process.getActiveResourcesInfo().filter((kind) => /FSEvent/.test(kind))).toEqual([]);
    await nothingLeft();
  });
});

describe("refresh", () => {
  test("loads a module anew that is not watched", async () => {
    stage().write({ "math.mjs": getting("1") });
    const source = await stage().open("./math.mjs");
    stage().write({ "math.mjs": getting("2") });
    await source.refresh();
    expect(source.operations[0]?.handler(null, {} as never)).toBe(2);
    stage().write({ "math.mjs": "{" });
    await expect(source.refresh()).rejects.toMatchObject({ code: "MODULE_FAILED" });
    expect(source.health()).toMatchObject({ operations: 1, warnings: [{ code: "MODULE_STALE" }] });
  });

  test("of two at once the newer one counts", async () => {
    stage().write({ "math.mjs": getting("1") });
    const source = await stage().open("./math.mjs");
    const begun = new EventEmitter();
    Object.assign(globalThis, { stageBegun: begun });
    const wait = `await new Promise((resolve) => globalThis.stageBegun.emit("begun", resolve));`;
    stage().write({ "math.mjs": `${wait} ${getting('"old"')}` });
    const beginning = once(begun, "begun");
    const first = source.refresh();
    const [finish] = await beginning;
    stage().write({ "math.mjs": getting('"new"') });
    await source.refresh();
    finish();
    await first;
    expect(source.operations[0]?.handler(null, {} as never)).toBe("new");
  });
});
