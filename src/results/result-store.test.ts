import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CallError } from "../envelope/call-error.js";
import { createResultStore, type ResultStore, type ResultStoreOptions, type StoredResult } from "./result-store.js";

let parent: string;
let folder: string;
const stores: ResultStore[] = [];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "plico-store-test-"));
  folder = join(parent, "results");
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(parent, { recursive: true });
});

function storeWith(options: ResultStoreOptions = {}): ResultStore {
  const store = createResultStore({ directory: folder, ...options });
  stores.push(store);
  return store;
}

/** JSON of so many bytes. */
function json(bytes: number, letter = "x"): string {
  return `"${letter.repeat(bytes - 2)}"`;
}

async function kept(store: ResultStore, text: string, owner?: string): Promise<StoredResult> {
  const stored = await store.put(text, { owner });
  if (stored === undefined) throw new Error("not kept");
  return stored;
}

async function isThere(store: ResultStore, { uri }: StoredResult, owner?: string): Promise<boolean> {
  return store.read(uri, { owner }).then(
    () => true,
    ({ category }: CallError) => {
      expect(category).toBe("not_found");
      return false;
    },
  );
}

function files(): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe("a result", () => {
  test("is read as it was put, under an address that cannot be guessed", async () => {
    const store = storeWith({ now: () => 1000, ttlMs: 500 });
    const stored = await store.put('{"a":"é"}', { name: "users.list" });
    expect(stored).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      uri: `plico://results/${stored?.id}`,
      bytes: 10,
      expiresAt: 1500,
      name: "users.list",
    });
    expect(await store.read(stored?.uri ?? "", {})).toEqual({
      uri: stored?.uri,
      text: '{"a":"é"}',
      mimeType: "application/json",
      bytes: 10,
      total: 10,
    });
  });

  test("belongs to the identity that made it", async () => {
    const store = storeWith();
    const [hers, nobodys] = [await kept(store, "1", "ada"), await kept(store, "2")];
    expect(await Promise.all([undefined, "ada", "eve", ""].map((owner) => isThere(store, hers, owner)))).toEqual([
      ...[false, true, false, false],
    ]);
    expect(await Promise.all([undefined, "ada", ""].map((owner) => isThere(store, nobodys, owner)))).toEqual([
      ...[true, false, false],
    ]);
  });

  test("of another identity cannot be told from one that never was", async () => {
    const store = storeWith();
    const { uri } = await kept(store, "1", "ada");
    const errors = await Promise.all(
      [uri, "plico://results/AAAAAAAAAAAAAAAAAAAAAA"].map((address) =>
        store.read(address, { owner: "eve" }).catch((error: CallError) => error.toJSON()),
      ),
    );
    expect(errors[0]).toEqual(errors[1]);
  });

  test.each(["plico://results/AAAA?bytes=9-1", "http://example.org", ""])("has not the address %s", async (uri) => {
    await expect(storeWith().read(uri, {})).rejects.toMatchObject({ category: "validation" });
  });

  test("that is too large is not kept", async () => {
    const store = storeWith({ maxEntryBytes: 100, maxBytes: 1000 });
    expect(await store.put(json(101), {})).toBeUndefined();
    expect(await store.put(json(100, "é"), {})).toBeUndefined();
    expect(await store.put(json(100), {})).toBeDefined();
    expect(await storeWith({ maxBytes: 50 }).put(json(51), {})).toBeUndefined();
    expect(await storeWith({ maxEntries: 0 }).put("1", {})).toBeUndefined();
  });
});

describe("the bounds of a store", () => {
  test("hold in memory: the oldest results are moved to files", async () => {
    const store = storeWith({ maxMemoryBytes: 250 });
    const results = [];
    for (const letter of "abcde") results.push(await kept(store, json(100, letter)));
    expect(files().sort()).toEqual(
      results
        .slice(0, 3)
        .map(({ id }) => `${id}.json`)
        .sort(),
    );
    const texts = await Promise.all(results.map(({ uri }) => store.read(uri, {})));
    expect(texts.map(({ text }) => text)).toEqual([..."abcde"].map((letter) => json(100, letter)));
  });

  test("hold for memory and files together: the oldest results are dropped", async () => {
    const store = storeWith({ maxMemoryBytes: 100, maxBytes: 350 });
    const results = [];
    for (let at = 0; at < 5; at++) results.push(await kept(store, json(100)));
    expect(await Promise.all(results.map((result) => isThere(store, result)))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(files()).toHaveLength(2);
  });

  test("hold for the number of results", async () => {
    const store = storeWith({ maxEntries: 2 });
    const results = [await kept(store, "1"), await kept(store, "2"), await kept(store, "3")];
    expect(await Promise.all(results.map((result) => isThere(store, result)))).toEqual([false, true, true]);
  });

  test("hold when many put and read at once", async () => {
    const store = storeWith({ maxMemoryBytes: 500, maxBytes: 3000, maxEntries: 25 });
    const results = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const stored = await store.put(json(100 + at), { owner: String(at % 3) });
        const part = stored && (await store.read(stored.uri, { owner: String(at % 3) }).catch(() => undefined));
        if (part !== undefined) expect(part.text).toBe(json(100 + at));
        return stored;
      }),
    );
    expect(results.at(-1)).toBeDefined();
    const sizes = files().map((file) => statSync(join(folder, file)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(3000);
    expect(sizes.length).toBeLessThanOrEqual(25);
    expect(sizes.length).toBeGreaterThan(10);
  });

  test("hold where no file can be written: then the result is not kept", async () => {
    writeFileSync(folder, "a file stands where the folder should be");
    const store = storeWith({ maxMemoryBytes: 100 });
    expect(await store.put(json(101), {})).toBeUndefined();
    expect(await store.put(json(90), {})).toBeDefined();
  });
});

describe("time", () => {
  test("ends results, and frees their files", async () => {
    let now = 0;
    const store = storeWith({ now: () => now, ttlMs: 100, maxMemoryBytes: 0 });
    const first = await kept(store, "1");
    now = 60;
    const second = await kept(store, "2");
    now = 99;
    expect(await isThere(store, first)).toBe(true);
    now = 100;
    expect(await isThere(store, first)).toBe(false);
    expect(await isThere(store, second)).toBe(true);
    await kept(store, "3");
    expect(files()).not.toContain(`${first.id}.json`);
  });

  test("ends them also when nobody asks", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    try {
      const store = storeWith({ ttlMs: 1000, maxMemoryBytes: 0 });
      await kept(store, "1");
      await vi.advanceTimersByTimeAsync(500);
      const later = await kept(store, "2");
      await vi.advanceTimersByTimeAsync(600);
      vi.useRealTimers();
      await expect.poll(() => files()).toEqual([`${later.id}.json`]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("does not count where results never expire", async () => {
    const store = storeWith({ ttlMs: Number.POSITIVE_INFINITY });
    expect(await isThere(store, await kept(store, "1"))).toBe(true);
  });
});

describe("the files of a store", () => {
  test("can be read by their owner only", async () => {
    const store = storeWith({ maxMemoryBytes: 0 });
    const { id } = await kept(store, "1");
    expect(statSync(join(folder, `${id}.json`)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("are in a folder of their own where none is given, which is made only when it is needed", async () => {
    const before = foldersMade();
    const store = createResultStore({ maxMemoryBytes: 50 });
    stores.push(store);
    await kept(store, json(50));
    expect(foldersMade()).toEqual(before);
    await kept(store, json(50));
    const [made = ""] = foldersMade().filter((name) => !before.includes(name));
    expect(statSync(join(tmpdir(), made)).mode & 0o777).toBe(0o700);
    await store.close();
    expect(foldersMade()).not.toContain(made);
  });

  test("may vanish: then there is no such result any more", async () => {
    const store = storeWith({ maxMemoryBytes: 0 });
    const [first, second] = [await kept(store, "1"), await kept(store, "2")];
    rmSync(join(folder, `${first.id}.json`));
    writeFileSync(join(folder, `${second.id}.json`), "");
    expect(await isThere(store, first)).toBe(false);
    expect(await isThere(store, second)).toBe(false);
  });

  test("may be unreadable for a while, which loses no result", async () => {
    const store = storeWith({ maxMemoryBytes: 0 });
    const { uri, id } = await kept(store, "1");
    const path = join(folder, `${id}.json`);
    rmSync(path);
    mkdirSync(path);
    await expect(store.read(uri, {})).rejects.toMatchObject({ category: "unavailable" });
    rmSync(path, { recursive: true });
    writeFileSync(path, "1");
    expect(await store.read(uri, {})).toMatchObject({ text: "1" });
  });

  test("may vanish with their folder: the next is written all the same", async () => {
    const store = storeWith({ maxMemoryBytes: 0 });
    await kept(store, "1");
    rmSync(folder, { recursive: true });
    expect(await isThere(store, await kept(store, "2"))).toBe(true);
  });

  test("do not take a folder with them that was there before, nor what others have in it", async () => {
    const store = storeWith({ maxMemoryBytes: 0, directory: parent });
    writeFileSync(join(parent, "other"), "");
    await kept(store, "1");
    await store.close();
    expect(readdirSync(parent)).toEqual(["other"]);
  });

  function foldersMade(): string[] {
    return readdirSync(tmpdir()).filter((name) => name.startsWith("plico-results-"));
  }
});

describe("a store that is closed", () => {
  test("leaves no file and no folder", async () => {
    const store = storeWith({ maxMemoryBytes: 100 });
    for (let at = 0; at < 5; at++) await kept(store, json(100));
    expect(files()).toHaveLength(4);
    await store.close();
    expect(existsSync(folder)).toBe(false);
  });

  test("leaves none either where it is closed in the midst of things", async () => {
    const store = storeWith({ maxMemoryBytes: 0 });
    const first = await kept(store, json(1_000_000));
    const under = [...Array.from({ length: 10 }, () => store.put(json(1000), {})), store.read(first.uri, {})];
    await store.close();
    expect(existsSync(folder)).toBe(false);
    await Promise.allSettled(under);
    expect(existsSync(folder)).toBe(false);
  });

  test("knows nothing any more", async () => {
    const store = storeWith();
    const { uri } = await kept(store, "1");
    await store.close();
    await expect(store.read(uri, {})).rejects.toMatchObject({ category: "not_found" });
    await expect(store.put("1", {})).rejects.toMatchObject({ category: "not_found" });
    await store.close();
  });

  test("leaves no timer", async () => {
    vi.useFakeTimers();
    try {
      const store = storeWith();
      await kept(store, "1");
      expect(vi.getTimerCount()).toBe(1);
      await store.close();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
