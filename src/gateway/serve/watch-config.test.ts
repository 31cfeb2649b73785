import { mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ConfigWatch, watchConfig } from "./watch-config.js";

let folder = "";
let file = "";
let count = 0;
let wake: () => void = () => {};
let watching: ConfigWatch;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plico-watch-"));
  file = join(folder, "plico.json");
  count = 0;
  writeFileSync(file, "{}");
  watching = watchConfig(file, () => {
    count += 1;
    wake();
  });
});

afterEach(() => {
  watching.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Does something, and waits until the change was told. */
async function told(change: () => void): Promise<void> {
  const changed = new Promise<void>((resolve) => {
    wake = resolve;
  });
  change();
  await changed;
}

describe("a file that is watched", () => {
  test("is told of when it was written", async () => {
    await told(() => writeFileSync(file, "{ }"));
    expect(count).toBe(1);
  });

  test("is told of when another one took its place, as editors do it, each time", async () => {
    for (const text of ["[1]", "[1,2]"]) {
      await told(() => {
        writeFileSync(`${file}.new`, text);
        renameSync(`${file}.new`, file);
      });
    }
    expect(count).toBe(2);
  });

  test("is told of once for several writes one after the other", async () => {
    await told(() => {
      for (const text of ["1", "12", "123"]) writeFileSync(file, text);
    });
    expect(count).toBe(1);
  });

  test("is told of when it is there again, and not when it goes", async () => {
    rmSync(file);
    await told(() => writeFileSync(file, "again"));
    expect(count).toBe(1);
  });

  test("is told of after it could not be looked at", async () => {
    rmSync(file);
    symlinkSync(file, file);
    expect(() => statSync(file)).toThrow("ELOOP");
    const other = watchConfig(file, () => {});
    other.close();
    await told(() => {
      rmSync(file);
      writeFileSync(file, "no link");
    });
    expect(count).toBe(1);
  });

  test("is found again when its folder went too", async () => {
    rmSync(folder, { recursive: true });
    await new Promise((resolve) => setImmediate(resolve));
    const { mkdirSync } = await import("node:fs");
    await told(() => {
      mkdirSync(folder);
      writeFileSync(file, "new folder");
    });
    expect(count).toBe(1);
  });
});
