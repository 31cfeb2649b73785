import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { standsAlone } from "./stands-alone.js";

const folder = mkdtempSync(join(tmpdir(), "plico-alone-"));
afterAll(() => rmSync(folder, { recursive: true }));
for (const name of ["node_modules/zod", "node_modules/@scope/name", "mine"])
  mkdirSync(join(folder, name), { recursive: true });
symlinkSync(join(folder, "mine"), join(folder, "node_modules/mine"));

function written(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return pathToFileURL(join(folder, name)).href;
}

describe("a module stands alone", () => {
  test.each([
    ["without imports", "a.mjs", "export const a = 1;"],
    ["with packages only", "b.mjs", 'import { z } from "zod"; import "@scope/name/part"; import fs from "node:fs";'],
    ["with Plico, wherever it is", "d.mjs", "import { defineOperation } from 'plico';"],
    ["that requires a package", "c.cjs", 'exports.path = require("node:path");'],
  ])("%s", async (_, name, text) => {
    expect(await standsAlone(written(name, text))).toBe(true);
  });
});

describe("a module does not stand alone", () => {
  test.each([
    ["in TypeScript", "a.ts", "export const a = 1;"],
    ["that imports a file", "b.mjs", 'import { b } from "./b.js";'],
    ["that imports an alias", "c.mjs", "export * from '#c';"],
    ["that requires a file", "d.cjs", "require('../d.js')"],
    ["that imports what it finds out later", "e.mjs", "export const load = (name) => import (name);"],
    ["that makes a require of its own", "f.mjs", 'import { createRequire } from "node:module";'],
    ["that imports by an address", "g.mjs", 'import "file:///tmp/g.js";'],
    ["that imports a package that is a folder of the user", "i.mjs", 'import { a } from "mine/part";'],
    ["that imports a package that is not there", "j.mjs", 'export * from "@scope/none";'],
    ["that imports by an absolute path", "h.mjs", 'import "/tmp/h.js";'],
  ])("%s", async (_, name, text) => {
    expect(await standsAlone(written(name, text))).toBe(false);
  });

  test("whose file is not there", async () => {
    expect(await standsAlone(pathToFileURL(join(folder, "none.mjs")).href)).toBe(false);
  });
});
