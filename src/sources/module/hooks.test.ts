import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withoutGenerations } from "./generation.js";
import { fingerprintOf, importHooks, resolveQuestion, type Sighting } from "./hooks.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "plico-hooks-")));
const address = (name: string): string => new URL(name, pathToFileURL(`${folder}/`)).href;

const FILES = {
  "only.ts": "export const n: number = 1;",
  "both.js": "",
  "both.ts": "",
  "enum.mts": "export enum A { b = 1 }",
  "plain.mts": "// a constructor\nexport const n: number = 1;",
  "script.ts": "exports.n = 1 as number;",
  "bad.ts": "\nconst a: = 1;",
  "typed/package.json": `{ "type": "commonjs" }`,
  "typed/deep/module.ts": "export const a = 1;",
  "typed/deep/script.ts": "exports.n = 1 as number;",
  "typed/deep/wrong.cts": "export const a = 1;",
  "node_modules/p/p.ts": "",
};

beforeAll(() => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The hooks before one that resolves as Node does with paths, and loads nothing. */
function stage(isNative = false): {
  readonly seen: Sighting[];
  readonly resolve: (specifier: string, parent?: string, conditions?: string[]) => unknown;
  readonly load: (name: string) => unknown;
} {
  const seen: Sighting[] = [];
  const hooks = importHooks({ report: (sighting) => seen.push(sighting), isNative });
  return {
    seen,
    resolve: (specifier, parentURL = address("main.ts"), conditions = ["import"]) =>
      hooks.resolve(specifier, { parentURL, conditions }, (asked, { parentURL: from }) => ({
        url: new URL(asked.replace(/^#/, "./"), from).href,
      })),
    load: (name) => hooks.load(address(name), {}, () => ({ format: "by Node" })),
  };
}

describe("the hook that resolves", () => {
  test("finds x.ts for x.js where there is only that", () => {
    expect(stage().resolve("./only.js")).toEqual({ url: address("only.ts") });
    expect(stage().resolve(address("only.js"))).toEqual({ url: address("only.ts") });
    expect(stage().resolve("./only.js?raw#x")).toEqual({ url: address("only.ts?raw#x") });
    expect(stage().resolve("./both.js")).toEqual({ url: address("both.js") });
    expect(stage().resolve("./gone.js")).toEqual({ url: address("gone.js") });
    expect(stage().resolve("./node_modules/p/p.js")).toEqual({ url: address("node_modules/p/p.js") });
  });

  test("hands the generation on to files that are imported by a path", () => {
    const { resolve, seen } = stage();
    const parent = address("main.ts?plico=ab");
    expect(resolve("./only.js", parent)).toEqual({ url: address("only.ts?plico=ab") });
    expect(resolve("#only.ts", parent)).toEqual({ url: address("only.ts?plico=ab") });
    expect(resolve("./gone.js", parent)).toEqual({ url: address("gone.js?plico=ab") });
    expect(seen.map(({ generation, file }) => [generation, file])).toEqual([
      ["ab", join(folder, "only.ts")],
      ["ab", join(folder, "gone.js")],
    ]);
  });

  test("leaves packages, and what is required, without one", () => {
    const { resolve } = stage();
    const parent = address("main.ts?plico=ab");
    expect(resolve("node:fs", parent)).toEqual({ url: "node:fs" });
    expect(resolve("./node_modules/p/p.ts", parent)).toEqual({ url: address("node_modules/p/p.ts") });
    expect(resolve("./only.ts", parent, ["require"])).toEqual({ url: address("only.ts") });
  });

  test("answers what a name means at a place", () => {
    const question = resolveQuestion("./a'b.ts", address("x.js"));
    const { url } = stage().resolve(question) as { readonly url: string };
    expect(decodeURIComponent(url)).toContain(JSON.stringify(address("a'b.ts")));
  });

  test("waits where the next one does", async () => {
    const hooks = importHooks({ report: () => {}, isNative: false });
    const context = { parentURL: address("main.ts?plico=ab") };
    const found = hooks.resolve("./only.js", context, async (asked) => ({ url: address(asked) }));
    expect(await found).toEqual({ url: address("only.ts?plico=ab") });
  });
});

describe("the hook that loads", () => {
  test("makes JavaScript of TypeScript, in the same place", () => {
    const made = { format: "module", source: "export const n         = 1;", shortCircuit: true };
    expect(stage().load("only.ts")).toEqual(made);
  });

  test("writes what is more than types as JavaScript, with a map", () => {
    expect(stage().load("enum.mts")).toMatchObject({ source: expect.stringMatching(/sourceMappingURL=data:/) });
  });

  test("takes the format from the name, the package or the syntax", () => {
    const formatOf = (name: string): unknown => (stage().load(name) as { readonly format: string }).format;
    expect(["plain.mts", "script.ts", "only.ts"].map(formatOf)).toEqual(["module", "commonjs", "module"]);
    expect(["typed/deep/module.ts", "typed/deep/script.ts"].map(formatOf)).toEqual(["module", "commonjs"]);
    expect(() => stage().load("typed/deep/wrong.cts")).toThrow(SyntaxError);
  });

  test("leaves to Node what Node can do", () => {
    const byNode = { format: "by Node" };
    expect(stage(true).load("typed/deep/module.ts")).toMatchObject({ format: "module" });
    expect(stage(true).load("typed/deep/script.ts")).toEqual(byNode);
    expect([stage().load("both.js"), stage().load("node_modules/p/p.ts")]).toEqual([byNode, byNode]);
    const native = stage(true);
    expect([native.load("only.ts"), native.load("plain.mts")]).toEqual([byNode, byNode]);
    expect(native.load("enum.mts")).toMatchObject({ format: "module" });
  });

  test("throws a syntax error that begins with its place", () => {
    const start = `${join(folder, "bad.ts")}:2:10\n`;
    expect(() => stage().load("bad.ts")).toThrow(expect.objectContaining({ stack: expect.stringContaining(start) }));
  });

  test("tells what was in the file", () => {
    const { load, seen } = stage();
    load("both.js?plico=ab");
    load("both.js");
    const file = join(folder, "both.js");
    const fingerprint = fingerprintOf(file);
    expect(seen).toEqual([
      { generation: "ab", file, fingerprint },
      { generation: "", file, fingerprint },
    ]);
    expect(fingerprint).not.toBe(fingerprintOf(join(folder, "only.ts")));
    expect(fingerprintOf(join(folder, "gone"))).toBe("");
  });
});

describe("withoutGenerations", () => {
  test("takes all marks out of a text", () => {
    expect(withoutGenerations("a.ts?plico=0af1 and b.ts?x=1&plico=22")).toBe("a.ts and b.ts?x=1");
  });
});
