import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";

const entry = fileURLToPath(new URL("../src/index.ts", import.meta.url));

async function bundle(format: "esm" | "iife") {
  return build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: "neutral",
    format,
    globalName: "plico",
  });
}

describe("the root of the package", () => {
  test("reaches no Node module and no dependency", async () => {
    const { metafile } = await bundle("esm");
    const outside = Object.keys(metafile.inputs).filter((file) => !file.startsWith("src/"));
    const external = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
    expect([...outside, ...external]).toEqual([]);
  });

  test("works where there is neither Buffer nor process", async () => {
    const { outputFiles } = await bundle("iife");
    const context = createContext({ TextEncoder, TextDecoder, atob, btoa, crypto });
    const script = `${outputFiles[0]?.text}
      const { wire } = plico.write({ ok: true, data: { name: "Zoë 東京 🎉" }, meta: {} }, "tool-envelope-v1");
      JSON.stringify(plico.read(wire).outcome)`;
    expect(JSON.parse(runInContext(script, context))).toEqual({ ok: true, data: { name: "Zoë 東京 🎉" }, meta: {} });
  });

  test("checks and normalises where no code may be made from text", async () => {
    const { outputFiles } = await bundle("iife");
    const globals = { TextEncoder, TextDecoder, atob, btoa, crypto };
    const context = createContext(globals, { codeGeneration: { strings: false, wasm: false } });
    const script = `${outputFiles[0]?.text}
      const item = { type: "object", properties: { id: { type: "integer" }, tag: { default: "none" } }, required: ["id"] };
      const schema = { $defs: { item }, type: "array", items: { $ref: "#/$defs/item" } };
      const { value, isValid } = plico.normalise(schema, [{ id: "1", other: true }]);
      JSON.stringify({ value, isValid, issues: plico.check(schema, [{}]).map(({ path }) => path) })`;
    expect(() => runInContext("new Function('return 1')", context)).toThrow();
    expect(JSON.parse(runInContext(script, context))).toEqual({
      value: [{ id: 1, tag: "none" }],
      isValid: true,
      issues: ["/0/id"],
    });
  });
});
