import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { isCallError } from "../src/envelope/call-error.js";
import { unwrap } from "../src/envelope/response-envelope.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import type { ModuleSource } from "../src/sources/module/index.js";
import { operationText, stageForEach } from "./module-stage.js";
import { nativeImport } from "./native-import.js";

const stage = stageForEach();

async function call(source: ModuleSource, id: string, input: unknown = null): Promise<unknown> {
  const registry = new OperationRegistry();
  mountSource(registry, source);
  return unwrap(await registry.execute(id, input));
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const thrown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(isCallError(thrown), String(thrown)).toBe(true);
  return thrown;
}

const add = operationText("add", "input.a + input.b");

describe("the formats of modules", () => {
  const formats = {
    "math.mjs": `export const add = ${add};`,
    "math.cjs": `exports.add = ${add};`,
    "math.js": `module.exports = [${add}];`,
    "esm/package.json": `{ "type": "module" }`,
    "esm/math.js": `export default ${add};`,
    "math.mts": `const n: number = 0; export const add = ${add}; interface X { y: string }`,
    "math.cts": `const n: number = 0; module.exports = { add: ${add} };`,
    "required.cts": `import path = require("node:path"); export = { sep: path.sep.length as number, add: ${add} };`,
    "math.ts": `export const add = ${add} as const;`,
    "script.ts": `const n: number = 0; exports.add = ${add};`,
    "esm/math.ts": `const wait: number = await 1; export const add = ${add};`,
  };

  test.each(Object.keys(formats).filter((name) => !name.endsWith("json")))("%s gives its operation", async (name) => {
    stage().write(formats);
    const source = await stage().open(`./${name}`);
    expect(source.operations.map(({ id }) => id)).toEqual(["math.add"]);
    expect(await call(source, "math.add", { a: 1, b: 2 })).toBe(3);
  });

  test("a module is found by its absolute path and by its URL", async () => {
    stage().write({ "a b.mjs": `export const add = ${add};` });
    const path = join(stage().folder, "a b.mjs");
    for (const module of [path, pathToFileURL(path), pathToFileURL(path).href])
      expect((await stage().open(module)).operations).toHaveLength(1);
  });

  test("a package is found from the working directory, by the conditions of imports", async () => {
    stage().write({
      "node_modules/tools/package.json": `{ "exports": { "./math": { "import": "./lib/math.mjs" } } }`,
      "node_modules/tools/lib/math.mjs": `import "./other.mjs"; export const add = ${add};`,
      "node_modules/tools/lib/other.mjs": "",
    });
    expect((await stage().open("tools/math")).operations).toHaveLength(1);
  });

  test("enums, parameter properties and namespaces are written as JavaScript", async () => {
    stage().write({
      "math.ts": `import { Sign } from "./sign.ts";
        class Adder { constructor(private readonly by: number) {} add(n: number) { return n + this.by * Sign.Plus; } }
        namespace Inner { export const two: number = 2; }
        export const add = ${operationText("add", "new Adder(Inner.two).add(input)")};`,
      "sign.ts": "export enum Sign { Plus = 1, Minus = -1 }",
    });
    expect(await call(await stage().open("./math.ts"), "math.add", 1)).toBe(3);
  });

  test("an import of x.js means x.ts where there is only that", async () => {
    stage().write({
      "math.mts": `import { one } from "./one.js"; import { two } from "./two.mjs"; import { three } from "./three.js";
        export const add = ${operationText("add", "one + two + three")};`,
      "one.ts": "export const one: number = 1;",
      "two.mts": "export const two: number = 2;",
      "three.js": "exports.three = 3;",
      "three.ts": "export const three: number = 300;",
    });
    expect(await call(await stage().open("./math.mjs"), "math.add")).toBe(6);
  });

  test("a CommonJS module in TypeScript requires others", async () => {
    stage().write({
      "math.cts": `const { one } = require("./one.cjs"); const { two } = require("./two.cts");
        module.exports = { add: ${operationText("add", "one + two")} };`,
      "one.cjs": "exports.one = 1;",
      "two.cts": "exports.two = 2 as number;",
    });
    expect(await call(await stage().open("./math.cts"), "math.add")).toBe(3);
  });

  test("defineOperation of the installed package is used, from the same copy for all", async () => {
    stage().write({
      "math.ts": `import { defineOperation } from "plico"; export const add = defineOperation(${add});`,
    });
    const source = await stage().open("./math.ts", { watch: true });
    expect(await call(source, "math.add", { a: 1, b: 2 })).toBe(3);
  });

  test("a module that is not watched is the one that others import", async () => {
    stage().write({
      "math.mjs": `export const calls = []; export const add = ${operationText("add", "calls.push(1)")};`,
    });
    const source = await stage().open("./math.mjs");
    const same = await nativeImport(pathToFileURL(join(stage().folder, "math.mjs")).href);
    await call(source, "math.add");
    expect(same).toMatchObject({ calls: [1] });
  });
});

describe("the operations of a module", () => {
  test("keep their namespaces, or are moved all together", async () => {
    stage().write({ "math.mjs": `export const add = ${add};` });
    const source = await stage().open("./math.mjs", { namespace: "moved" });
    expect(source.operations.map(({ id, spec }) => [id, spec.namespace])).toEqual([["moved.add", "moved"]]);
    expect(await call(source, "moved.add", { a: 1, b: 2 })).toBe(3);
  });

  test("other exports are told of in the health", async () => {
    stage().write({ "math.mjs": `export const add = ${add}; export function double() {}` });
    const { status, operations, warnings } = (await stage().open("./math.mjs")).health();
    expect({ status, operations }).toEqual({ status: "ready", operations: 1 });
    expect(warnings).toMatchObject([{ code: "EXPORT_SKIPPED", message: expect.stringContaining("double") }]);
  });
});

describe("a module that cannot be used", () => {
  const failed = { code: "MODULE_FAILED", recoverable: false };

  test.each([
    ["./gone.mjs", "not_found"],
    ["not-installed", "not_found"],
    ["./folder", "validation"],
    ["./data.json", "validation"],
    ["node:fs", "validation"],
  ])("%s is refused as %s", async (module, category) => {
    stage().write({ "folder/index.js": "", "data.json": "{}" });
    expect(await failureOf(stage().open(module))).toMatchObject({ ...failed, category });
  });

  test.each([
    ["bad.mjs", "export const a = 1;\nexport const b = {;\n", "bad.mjs"],
    ["bad.cjs", "exports.a = 1;\nexports.b = {;\n", "bad.cjs"],
    ["bad.ts", "export const a: number = 1;\nexport const b: = 2;\n", "bad.ts"],
    ["badenum.ts", "export enum A { b }\nexport const b: = 2;\n", "badenum.ts"],
    ["outer.ts", `export const a: number = 1;\nexport { nothing } from "./inner.ts";\n`, "outer.ts"],
    ["over.ts", `export * from "./wrong.ts";\n`, "wrong.ts"],
    ["oversea.mjs", `export * from "./wrong.mjs";\n`, "wrong.mjs"],
  ])("a syntax error in %s is shown at its place", async (name, text, at) => {
    const wrong = "\nconst c = {;\n";
    stage().write({ [name]: text, "inner.ts": "export const a = 1;", "wrong.ts": wrong, "wrong.mjs": wrong });
    const failure = await failureOf(stage().open(`./${name}`));
    const details = { file: join(stage().folder, at), line: 2, snippet: expect.stringContaining("^") };
    expect(failure).toMatchObject({ ...failed, category: "validation", details });
    expect(String((failure as Error).message)).not.toContain("    at ");
  });

  test.each(["boom.mjs", "boom.cjs", "boom.ts", "boomenum.ts"])(
    "what %s throws is told with its place",
    async (name) => {
      const head = name === "boomenum.ts" ? "enum A { b }" : "";
      stage().write({ [name]: `${head}\nthrow new RangeError("too far");` });
      const failure = await failureOf(stage().open(`./${name}`, { watch: true }));
      const file = join(stage().folder, name);
      expect(failure).toMatchObject({ ...failed, category: "execution", details: { file } });
      expect(String((failure as Error).message)).toContain("RangeError: too far");
    },
  );

  test("an import of what is not there is told without our marks", async () => {
    stage().write({ "math.mjs": `import "./gone.js"; import "gone";`, "math.cjs": `require("./gone.js")` });
    for (const module of ["./math.mjs", "./math.cjs"]) {
      const failure = await failureOf(stage().open(module, { watch: true }));
      expect(failure).toMatchObject({ ...failed, category: "not_found" });
      expect(String((failure as Error).message)).toMatch(/gone\.js/);
      expect(String((failure as Error).message)).not.toContain("plico=");
    }
  });

  test("a module without operations is told what it exports", async () => {
    stage().write({ "math.mjs": "export function add() {} export const two = 2;", "none.mjs": "" });
    const failure = await failureOf(stage().open("./math.mjs"));
    expect(failure).toMatchObject({ ...failed, category: "validation", message: expect.stringMatching(/add .* two/) });
    expect(await failureOf(stage().open("./none.mjs"))).toMatchObject(failed);
  });

  test("one that never ends to load is given up", async () => {
    stage().write({ "math.mjs": "setInterval(() => {}, 1e6).unref(); await new Promise(() => {});" });
    expect(await failureOf(stage().open("./math.mjs", { startTimeout: 50 }))).toMatchObject({ code: "TIMEOUT" });
  });
});
