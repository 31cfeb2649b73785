import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const MOST_LINES = 400;

test(`no file is longer than ${MOST_LINES} lines`, () => {
  const folders = ["src", "test", "bench", "examples", "scripts"].map(
    (name) => new URL(`../${name}/`, import.meta.url),
  );
  const long = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(ts|mjs|js)$/.test(file))
      .map((file) => ({ file, lines: readFileSync(new URL(file, folder), "utf8").split("\n").length }))
      .filter(({ lines }) => lines > MOST_LINES),
  );
  expect(long).toEqual([]);
});
