import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallError } from "../../envelope/call-error.js";
import { loadConfig } from "./load-config.js";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "plico-config-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const load = (cwd: string, file?: string) => loadConfig({ cwd, env: {}, file });
const failure = (cwd: string, file?: string) => load(cwd, file).catch((thrown: CallError) => thrown);

function write(name: string, text: string | Uint8Array = '{ "sources": { "a": { "module": "./a.ts" } } }'): string {
  const file = join(folder, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe("the file of a configuration", () => {
  test.each(["plico.json", "plico.jsonc"])("is the nearest %s in the folder or above", async (name) => {
    const file = write(name);
    mkdirSync(join(folder, "deep", "er"), { recursive: true });
    expect(await load(join(folder, "deep", "er"))).toMatchObject({ file, folder });
    const nearer = write(`deep/${name}`);
    expect(await load(join(folder, "deep", "er"))).toMatchObject({ file: nearer });
  });

  test("is the one that is named, from where the command was called", async () => {
    write("plico.json");
    const file = write("other/x.json");
    expect(await load(folder, "other/x.json")).toMatchObject({ file, folder: join(folder, "other") });
  });

  test("may be absent, and then those of other programs are named", async () => {
    write(".cursor/mcp.json", "{}");
    const error = await failure(folder);
    expect(error).toMatchObject({ code: "CONFIG_NOT_FOUND", category: "not_found" });
    for (const way of ["plico init", "--config .cursor/mcp.json", "--mcp"])
      expect(error).toHaveProperty("message", expect.stringContaining(way));
  });

  test("that is named must be there", async () => {
    expect(await failure(folder, "x.json")).toMatchObject({ code: "CONFIG_NOT_FOUND" });
  });

  test("is no folder", async () => {
    expect(await failure(folder, ".")).toMatchObject({ code: "CONFIG_INVALID" });
  });

  test("is UTF-8, with a byte order mark or without", async () => {
    write("plico.json", '\uFEFF{ "sources": {} }');
    expect(await load(folder)).toMatchObject({ config: { sources: {} } });
    write("plico.json", Buffer.from('\uFEFF{ "sources": {} }', "utf16le"));
    expect(await failure(folder)).toMatchObject({ code: "CONFIG_INVALID" });
  });
});
