import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "../config/load-config.js";
import type { LoadedConfig } from "../config/loaded-config.js";
import type { Log, LogFields } from "../log.js";
import { type FollowConfigOptions, followConfig } from "./follow-config.js";

let folder = "";
let end: () => void = () => {};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plico-follow-"));
});

afterEach(() => {
  end();
  rmSync(folder, { recursive: true, force: true });
});

interface Said {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

async function followed(sources: unknown, over: Partial<FollowConfigOptions> = {}) {
  const file = join(folder, "plico.json");
  const write = (given: unknown): void => writeFileSync(file, JSON.stringify({ sources: given }));
  write(sources);
  const load = () => loadConfig({ cwd: folder, env: {}, file });
  let loaded: LoadedConfig = await load();
  const said: Said[] = [];
  let wake: () => void = () => {};
  const tells = (level: string) => (message: string, fields?: LogFields) => {
    said.push({ level, message, fields });
    wake();
  };
  const log: Log = { debug: tells("debug"), info: tells("info"), warn: tells("warn"), error: tells("error") };
  const gateway = {
    get loaded() {
      return loaded;
    },
    async reload(given: LoadedConfig) {
      loaded = given;
    },
  };
  const following = followConfig({ gateway, file, load, log, ...over });
  end = () => following.close();
  /** What is said of a change. */
  const saidAfter = async (change: () => void): Promise<Said | undefined> => {
    const heard = new Promise<void>((resolve) => {
      wake = resolve;
    });
    change();
    await heard;
    return said.at(-1);
  };
  return { file, write, gateway, saidAfter };
}

const [one, other] = [{ module: "./one.mjs" }, { module: "./other.mjs" }];

describe("a configuration that is followed", () => {
  test("is taken over, and it is told what changed", async () => {
    const order: string[] = [];
    const { write, gateway, saidAfter } = await followed(
      { a: one, b: one, c: one },
      { beforeReload: () => order.push("before"), afterReload: () => order.push("after") },
    );
    const said = await saidAfter(() => write({ a: one, b: other, d: one }));
    expect(said).toMatchObject({ level: "info", fields: { added: "d", removed: "c", changed: "b" } });
    expect(Object.keys(gateway.loaded.config.sources)).toEqual(["a", "b", "d"]);
    expect(order).toEqual(["before", "after"]);
  });

  test("is served at once, and followed on, while a source is still opening", async () => {
    let loaded: LoadedConfig = { config: { sources: {} }, file: undefined, folder, secrets: [], notes: [] };
    // What it finds first has changed since it was read.
    const taken: string[][] = [];
    const gateway = {
      get loaded() {
        return loaded;
      },
      reload(given: LoadedConfig): Promise<void> {
        loaded = given;
        return new Promise(() => {});
      },
    };
    let wake: () => void = () => {};
    const afterReload = (): void => {
      taken.push(Object.keys(loaded.config.sources));
      wake();
    };
    const { write } = await followed({ a: one }, { gateway, afterReload });
    for (const sources of [undefined, { b: one }, { c: one }]) {
      const served = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (sources !== undefined) write(sources);
      await served;
    }
    expect(taken).toEqual([["a"], ["b"], ["c"]]);
  });

  test("stays as it was while the file cannot be used, and why is told", async () => {
    const { file, write, gateway, saidAfter } = await followed({ a: one });
    expect(await saidAfter(() => writeFileSync(file, '{ "sources": '))).toMatchObject({ level: "error" });
    expect(await saidAfter(() => write({ a: { modul: "x" } }))).toMatchObject({ level: "error" });
    expect(gateway.loaded.config.sources).toEqual({ a: one });
    expect(await saidAfter(() => write({ a: other }))).toMatchObject({ level: "info" });
    expect(gateway.loaded.config.sources).toEqual({ a: other });
  });
});
