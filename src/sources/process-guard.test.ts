import { readdirSync, readlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { orElse } from "../json/attempt.js";
import { isAlive, survivorsOf } from "./fixtures/processes.js";
import { ProcessGuard } from "./process-guard.js";

describe("the guard", () => {
  test("goes when it has nobody left to guard", async () => {
    const guard = new ProcessGuard();
    const pid = guard.pid ?? 0;
    guard.guard([4_000_000]);
    expect(isAlive(pid)).toBe(true);
    guard.close();
    expect(await survivorsOf([pid])).toEqual([]);
    await expect.poll(() => guard.isAlive).toBe(false);
    guard.guard([4_000_000]);
    guard.close();
  });

  test("holds its own pipe and nothing else of ours", async () => {
    const [first, second] = [new ProcessGuard(), new ProcessGuard()];
    const folder = `/proc/${second.pid}/fd`;
    const links = () => readdirSync(folder).map((name) => orElse(() => readlinkSync(`${folder}/${name}`), "closed"));
    expect(links().slice(1, 3)).toEqual(["/dev/null", "/dev/null"]);
    // The pipes that Node makes are sockets. Those of the other kind came to us from outside.
    expect(links().filter((link) => link.startsWith("socket:")).length).toBe(1);
    expect(readlinkSync(`/proc/${second.pid}/cwd`)).toBe("/");
    // Did the second hold the pipe of the first, the first would not notice its end.
    first.close();
    expect(await survivorsOf([first.pid ?? 0])).toEqual([]);
    second.close();
    expect(await survivorsOf([second.pid ?? 0])).toEqual([]);
  });

  test("is not alive, and harms nobody, where there is no shell", async () => {
    const guard = new ProcessGuard("/nowhere/sh");
    guard.guard([4_000_000]);
    await new Promise(setImmediate);
    expect(guard.isAlive).toBe(false);
    guard.finish([4_000_000]);
    guard.close();
  });
});
