import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SpillFolder } from "./spill-folder.js";

let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "plico-spill-test-"));
  vi.stubEnv("TMPDIR", parent);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(parent, { recursive: true });
});

const CONTENT = Buffer.from("1");
const TOO_LONG = "x".repeat(1_000);

test("a folder serves all files, also after some that could not be written", async () => {
  const folder = new SpillFolder(undefined);
  await folder.write("first", CONTENT);
  for (const name of [TOO_LONG, TOO_LONG, "first"])
    await expect(folder.write(name, CONTENT)).rejects.toMatchObject({ code: expect.any(String) });
  await folder.write("second", CONTENT);
  expect(readdirSync(parent)).toHaveLength(1);
  await folder.close();
  expect(readdirSync(parent)).toEqual([]);
});

test("a folder that could not be made is tried again", async () => {
  const path = join(parent, "results");
  const folder = new SpillFolder(path);
  writeFileSync(path, "in its way");
  await expect(folder.write("first", CONTENT)).rejects.toMatchObject({ code: expect.any(String) });
  rmSync(path);
  await folder.write("first", CONTENT);
  expect(readdirSync(path)).toEqual(["first"]);
  await folder.close();
  expect(readdirSync(parent)).toEqual([]);
});
