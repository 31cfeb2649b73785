import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isCallError } from "../../envelope/call-error.js";
import { scriptsIn } from "./script-directory.js";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "plico-directory-"));
});

afterEach(() => rm(directory, { recursive: true }));

async function files(...names: readonly string[]): Promise<void> {
  for (const name of names) await writeFile(join(directory, name), "#!/bin/sh\n", { mode: 0o755 });
}

async function namesIn(): Promise<Record<string, string>> {
  const found = await scriptsIn(directory);
  return Object.fromEntries(found.map(({ fileName, name }) => [fileName, name]));
}

describe("the scripts of a directory", () => {
  test("are its executable files, in the order of their names", async () => {
    await files("b.py", "a.sh", "c", "Z.js");
    const found = await scriptsIn(directory);
    expect(found).toEqual([
      { name: "Z", fileName: "Z.js", path: join(directory, "Z.js") },
      { name: "a", fileName: "a.sh", path: join(directory, "a.sh") },
      { name: "b", fileName: "b.py", path: join(directory, "b.py") },
      { name: "c", fileName: "c", path: join(directory, "c") },
    ]);
  });

  test("are not what is hidden, not executable, a folder, a copy of an editor or a link to nowhere", async () => {
    await files(".hidden.sh", "copy.sh~", "library.py", "good.sh");
    await chmod(join(directory, "library.py"), 0o644);
    await mkdir(join(directory, "folder.sh"));
    await symlink(join(directory, "nowhere"), join(directory, "dangling.sh"));
    await symlink(join(directory, "folder.sh"), join(directory, "door"));
    expect(await namesIn()).toEqual({ "good.sh": "good" });
  });

  test("are also links to executable files", async () => {
    await symlink("/bin/sh", join(directory, "shell"));
    expect(await namesIn()).toEqual({ shell: "shell" });
  });

  test("are none in an empty directory", async () => {
    expect(await scriptsIn(directory)).toEqual([]);
  });

  test("have full paths, however the directory is named", async () => {
    await files("a.sh");
    const [script] = await scriptsIn(`${directory}/./x/..`);
    expect(script?.path).toBe(join(directory, "a.sh"));
  });
});

describe("scripts that would have the same name", () => {
  test("all get their extension, with a warning each", async () => {
    await files("a.sh", "a.py", "b.sh");
    expect(await namesIn()).toEqual({ "a.py": "a_py", "a.sh": "a_sh", "b.sh": "b" });
    const found = await scriptsIn(directory);
    expect(found.map(({ warning }) => warning?.code)).toEqual(["NONCONFORMING", "NONCONFORMING", undefined]);
  });

  test("leave the name to the one that is called just so", async () => {
    await files("a", "a.sh");
    expect(await namesIn()).toEqual({ a: "a", "a.sh": "a_sh" });
    expect((await scriptsIn(directory))[0]?.warning).toBeUndefined();
  });

  test("do not take the name of a third", async () => {
    await files("a.py", "a.sh", "a_py");
    const names = await namesIn();
    expect(names).toMatchObject({ "a.sh": "a_sh", a_py: "a_py" });
    expect(names["a.py"]).toMatch(/^a_py_[0-9a-f]{8}$/);
  });

  test("differ although only their signs do, and keep their names whoever else comes", async () => {
    await files("a b.sh", "a+b.sh");
    const before = await namesIn();
    expect(new Set(Object.values(before)).size).toBe(2);
    await files("a-b.sh", "z.sh");
    expect(await namesIn()).toMatchObject(before);
  });
});

describe("a directory", () => {
  test.each(["missing", "file.sh"])("that is none (%s) is an error with advice", async (name) => {
    await files("file.sh");
    const thrown = await scriptsIn(join(directory, name)).catch((error: unknown) => error);
    expect(isCallError(thrown)).toBe(true);
    expect(thrown).toMatchObject({
      category: "unavailable",
      recoverable: false,
      suggestedAction: expect.any(String),
      details: { directory: join(directory, name) },
    });
  });
});
