import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FollowedFiles } from "./followed-files.js";
import { fingerprintOf } from "./hooks.js";

let folder: string;
let followed: FollowedFiles;
let changed: Promise<void>;
let changes: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plico-followed-"));
  changes = 0;
  changed = new Promise((resolve) => {
    followed = new FollowedFiles(() => {
      changes += 1;
      resolve();
    });
  });
});
afterEach(() => {
  followed.close();
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe("FollowedFiles", () => {
  test("tells of a file with another content", async () => {
    followed.add(write("a", "1"));
    write("a", "2");
    await changed;
  });

  test("tells of a file that is replaced by another one, as many editors do", async () => {
    followed.add(write("a", "1"));
    renameSync(write("new", "2"), join(folder, "a"));
    await changed;
  });

  test("tells of a file that comes into being", async () => {
    followed.add(join(folder, "later"));
    write("later", "");
    await changed;
  });

  test("tells of what changed between the reading and the look", () => {
    const file = write("a", "1");
    const read = fingerprintOf(file);
    write("a", "2");
    followed.add(file, read);
    followed.look();
    expect(changes).toBe(1);
  });

  test("does not tell of the same content, nor of what was accepted or forgotten", () => {
    const [a, b] = [write("a", "1"), write("b", "1")];
    followed.add(a);
    followed.add(b);
    write("a", "1");
    followed.look();
    write("a", "2");
    followed.accept();
    followed.look();
    write("b", "2");
    followed.retain(new Set([a]));
    followed.look();
    expect([changes, followed.files]).toEqual([0, [a]]);
  });

  test("takes a folder that does not exist without complaint", () => {
    followed.add(join(folder, "none/a"));
    expect(followed.faults).toEqual([]);
  });

  test("keeps quiet once it is closed", () => {
    const file = write("a", "1");
    followed.add(file);
    followed.close();
    write("a", "2");
    followed.look();
    followed.add(join(folder, "b"));
    expect(changes).toBe(0);
  });
});
