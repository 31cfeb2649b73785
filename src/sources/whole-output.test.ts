import { describe, expect, test } from "vitest";
import { type ProcessTree, startProcessTree } from "./process-tree.js";
import { MOST_SHOWN, wholeOutput } from "./whole-output.js";

const limits = { maxBytes: 1_000_000, timeout: 10_000 };

function shell(script: string): Promise<ProcessTree> {
  return startProcessTree(["sh", "-c", script], { graceMs: 100 });
}

describe("the output of a program", () => {
  test("is all that it printed, and how it ended", async () => {
    const { stdout, ...end } = await wholeOutput(await shell("printf one; printf two; exit 3"), limits);
    expect(stdout.toString()).toBe("onetwo");
    expect(end).toEqual({ kind: "ended", code: 3, signal: null });
  });

  test("is what it printed until its time was over, which ends it", async () => {
    const tree = await shell("echo begun; exec sleep 60");
    const { kind, stdout } = await wholeOutput(tree, { ...limits, timeout: 300 });
    expect([kind, stdout.toString()]).toEqual(["late", "begun\n"]);
    await tree.gone;
  });

  test("is the beginning of too much, which ends it", async () => {
    const tree = await shell("exec cat /dev/zero");
    const { kind, stdout } = await wholeOutput(tree, { ...limits, maxBytes: 200_000 });
    expect([kind, stdout.length]).toEqual(["large", MOST_SHOWN]);
    await tree.gone;
  });

  test("is not waited for when nobody wants it any more, be it at once", async () => {
    const tree = await shell("exec sleep 60");
    let isWatched = true;
    const watchEnd = (listener: (why: string) => void): (() => void) => {
      listener("gone");
      return () => {
        isWatched = false;
      };
    };
    expect(await wholeOutput(tree, { ...limits, watchEnd })).toMatchObject({ kind: "unwanted", why: "gone" });
    expect(isWatched).toBe(false);
    await tree.gone;
  });
});
