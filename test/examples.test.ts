import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../", import.meta.url);
const examples = readdirSync(new URL("examples/", root)).filter((name) => name.endsWith(".mjs"));

describe("the examples", () => {
  test("are there", () => {
    const some = ["errors.mjs", "import-module.mjs", "import-scripts.mjs", "registry.mjs", "tour.mjs"];
    expect(examples).toEqual(expect.arrayContaining(some));
  });

  test.each(examples)(
    "%s runs, tells something and complains about nothing",
    (name) => {
      const run = spawnSync(process.execPath, [`examples/${name}`], { cwd: root, encoding: "utf8", timeout: 20_000 });
      expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: "" });
      expect(run.stdout.trim()).not.toBe("");
    },
    30_000,
  );
});
