import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";

async function bundle(format: "esm" | "iife", entry = "index.ts", globalName = "plico") {
  return build({
    entryPoints: [fileURLToPath(new URL(`../src/${entry}`, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    platform: "neutral",
    external: ["node:*"],
    format,
    globalName,
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

describe("the root of the package as it is published", () => {
  const built = fileURLToPath(new URL("../dist/index.js", import.meta.url));

  async function bundleBuilt(contents: string) {
    const options = {
      bundle: true,
      write: false,
      metafile: true,
      minify: true,
      format: "esm",
      platform: "browser",
    } as const;
    return build({
      stdin: { contents, resolveDir: dirname(built) },
      ...options,
      external: ["node:*"],
      logLevel: "error",
    });
  }

  test("is few files, which reach no Node module and no dependency", async () => {
    const { metafile } = await bundleBuilt('export * from "./index.js"');
    const files = Object.keys(metafile.inputs).filter((file) => file !== "<stdin>");
    const external = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
    expect({ outside: files.filter((file) => !file.startsWith("dist/")), external }).toEqual({
      outside: [],
      external: [],
    });
    expect(files.length).toBeLessThanOrEqual(4);
  });

  test.each([
    ["defineOperation", 500],
    ["unwrap", 5_000],
    ["CallError", 5_000],
    ["memoryBus", 7_000],
  ])("leaves a bundle with %s alone small", async (name, most) => {
    const { outputFiles } = await bundleBuilt(`export { ${name} } from "./index.js"`);
    expect(outputFiles[0]?.text.length).toBeLessThan(most);
  });

  test("keeps the names of its classes", async () => {
    const { CallError, OperationRegistry } = await import(built);
    expect([CallError.name, OperationRegistry.name]).toEqual(["CallError", "OperationRegistry"]);
  });
});

describe("the HTTP server", () => {
  const entry = "servers/http/index.ts";

  test("needs Node only where it listens itself", async () => {
    const { metafile } = await bundle("esm", entry);
    const outside = Object.keys(metafile.inputs).filter((file) => !file.startsWith("src/"));
    const external = Object.values(metafile.outputs).flatMap((output) => output.imports);
    expect(outside).toEqual([]);
    expect(external.map(({ path, kind }) => `${kind} ${path}`)).toEqual(["dynamic-import node:http"]);
  });

  test("answers requests of the web where there is neither Buffer nor process", async () => {
    const [root, server] = await Promise.all([bundle("iife"), bundle("iife", entry, "servers")]);
    const timers = { setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask };
    const web = { Request, Response, Headers, ReadableStream, URL, URLSearchParams, AbortController, AbortSignal };
    const context = createContext({ ...timers, ...web, TextEncoder, TextDecoder, atob, btoa, crypto });
    const script = `${root.outputFiles[0]?.text}
      ${server.outputFiles[0]?.text}
      const about = { namespace: "test", version: "1.0.0", description: "", inputSchema: {}, outputSchema: {} };
      const registry = new plico.OperationRegistry()
        .register(plico.defineOperation({ ...about, name: "echo", type: "mutation", handler: (input) => input }))
        .register(plico.defineOperation({ ...about, name: "count", type: "subscription", handler: async function* () {
          yield 1;
          yield 2;
        } }));
      const handler = servers.httpHandler({ registry });
      const ask = async (path, init) => {
        const response = await handler.fetch(new Request("http://localhost" + path, init));
        return [response.status, await response.text()];
      };
      const call = (id, body, headers) => ask("/operations/" + id, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
      });
      (async () => {
        const answers = [
          await call("test.echo", '{"name":"Zoë 東京 🎉"}', { "idempotency-key": "a" }),
          await call("test.echo", '{"name":' + JSON.stringify("x".repeat(5000)) + "}", { "idempotency-key": "b" }),
          await call("test.echo", "{"),
          await call("test.count", "{}"),
          await ask("/openapi.json"),
        ];
        await handler.close();
        return JSON.stringify(answers);
      })()`;
    const answers: [status: number, text: string][] = JSON.parse(await runInContext(script, context));
    expect(answers.map(([status]) => status)).toEqual([200, 200, 400, 200, 200]);
    expect(JSON.parse(answers[0]?.[1] ?? "")).toMatchObject({ success: true, data: { name: "Zoë 東京 🎉" } });
    expect(answers[3]?.[1].match(/event: \w+/g)).toEqual(["event: value", "event: value", "event: end"]);
  });
});
