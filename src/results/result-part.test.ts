import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { bytesInMemory } from "./result-bytes.js";
import { readPart } from "./result-part.js";
import { createResultStore, type ResultStore } from "./result-store.js";

const inMemory = createResultStore();
const inFiles = createResultStore({ maxMemoryBytes: 0 });
afterAll(() => Promise.all([inMemory.close(), inFiles.close()]));

const DATA = {
  rows: Array.from({ length: 10 }, (_, id) => ({ id, name: `row ${id}` })),
  "a/b": { "~": [[1, 2], null] },
  text: "Zoë 東京 🎉",
  none: null,
  __proto: {},
};

async function addressOf(data: unknown, store: ResultStore = inMemory): Promise<string> {
  const stored = await store.put(JSON.stringify(data), {});
  return stored?.uri ?? "";
}

/** All parts, one after another. */
async function readOn(store: ResultStore, uri: string, maxBytes?: number): Promise<string[]> {
  const texts: string[] = [];
  for (let next: string | undefined = uri; next !== undefined; ) {
    const part = await store.read(next, { maxBytes });
    texts.push(part.text);
    next = part.next;
    if (texts.length > 1000) throw new Error("it does not end");
  }
  return texts;
}

describe.each([
  ["memory", inMemory],
  ["a file", inFiles],
] as const)("bytes of a result in %s", (_, store) => {
  const unit = fc.constantFrom("a", "é", "中", "😀");

  test("make the whole, whatever their width, and no character is cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, maxLength: 30 }), fc.integer({ min: 1, max: 20 }), async (text, width) => {
        const uri = await addressOf(text, store);
        expect((await readOn(store, `${uri}?bytes=0-${width}`)).join("")).toBe(JSON.stringify(text));
        expect((await readOn(store, uri, width)).join("")).toBe(JSON.stringify(text));
      }),
      { numRuns: 50 },
    );
  });

  test("are those that were asked for, moved to where a character begins", async () => {
    const uri = await addressOf("aé中😀z", store);
    const read = async (from: number, to: number) => {
      const part = await store.read(`${uri}?bytes=${from}-${to}`, {});
      return [part.text, part.uri.slice(uri.length), part.next?.slice(uri.length)];
    };
    expect(await read(0, 3)).toEqual(['"a', "?bytes=0-2", "?bytes=2-5"]);
    expect(await read(3, 6)).toEqual(["é", "?bytes=2-4", "?bytes=4-7"]);
    expect(await read(8, 9)).toEqual(["😀", "?bytes=7-11", "?bytes=11-12"]);
    expect(await read(11, 900)).toEqual(['z"', "?bytes=11-13", undefined]);
    expect(await read(0, 13)).toEqual(['"aé中😀z"', "?bytes=0-13", undefined]);
  });

  test("go on behind a character that is larger than all that was asked for", async () => {
    const uri = await addressOf("😀z", store);
    expect(await store.read(`${uri}?bytes=1-3`, { maxBytes: 1 })).toMatchObject({
      text: "😀",
      next: `${uri}?bytes=5-7`,
    });
  });

  test("are plain text, unless they are all", async () => {
    const uri = await addressOf([1, 2, 3], store);
    expect(await store.read(`${uri}?bytes=2-4`, {})).toMatchObject({ mimeType: "text/plain", bytes: 2, total: 7 });
    expect(await store.read(`${uri}?bytes=0-`, {})).toMatchObject({ mimeType: "application/json", text: "[1,2,3]" });
  });

  test("are cut to what the reader takes", async () => {
    const uri = await addressOf("x".repeat(98), store);
    const part = await store.read(`${uri}?bytes=10-90`, { maxBytes: 30 });
    expect(part).toMatchObject({ bytes: 30, total: 100, next: `${uri}?bytes=40-90` });
    expect(await store.read(uri, { maxBytes: 100 })).toMatchObject({ bytes: 100, mimeType: "application/json" });
    expect(await store.read(uri, { maxBytes: 99 })).toMatchObject({ bytes: 99, next: `${uri}?bytes=99-` });
  });

  test("beyond the end are refused", async () => {
    const uri = await addressOf([1], store);
    await expect(store.read(`${uri}?bytes=4-5`, {})).rejects.toMatchObject({ category: "validation" });
    expect(await store.read(`${uri}?bytes=3-5`, {})).toMatchObject({ text: "", bytes: 0 });
  });
});

describe("a pointer", () => {
  test.each([
    ["", DATA],
    ["/rows/3", DATA.rows[3]],
    ["/a~1b/~0/0", [1, 2]],
    ["/none", null],
    ["/rows/3/name", "row 3"],
    ["/__proto", {}],
  ])("%s gives the value there", async (pointer, expected) => {
    const part = await inMemory.read(`${await addressOf(DATA)}?pointer=${pointer}`, {});
    expect(JSON.parse(part.text)).toEqual(expected);
    expect(part).toMatchObject({ mimeType: "application/json", total: Buffer.byteLength(JSON.stringify(DATA)) });
  });

  test.each([
    "/missing",
    "/rows/10",
    "/rows/01",
    "/rows/-",
    "/rows/length",
    "/none/a",
    "/text/0",
    "/__proto__",
    "/toString",
  ])("%s that leads nowhere is refused", async (pointer) => {
    const uri = `${await addressOf(DATA)}?pointer=${pointer}`;
    await expect(inMemory.read(uri, {})).rejects.toMatchObject({ category: "validation" });
  });

  test("goes with bytes, which are those of the value", async () => {
    const uri = `${await addressOf(DATA)}?pointer=/text`;
    expect((await readOn(inMemory, uri, 5)).join("")).toBe(JSON.stringify(DATA.text));
    expect(await inMemory.read(`${uri}&bytes=1-5`, {})).toMatchObject({ text: "Zoë", next: `${uri}&bytes=5-9` });
  });
});

describe("items", () => {
  test("are a slice of the list that is meant, as JSON", async () => {
    const uri = await addressOf(DATA.rows);
    expect(JSON.parse((await inMemory.read(`${uri}?items=2-4`, {})).text)).toEqual(DATA.rows.slice(2, 4));
    const part = await inMemory.read(`${await addressOf(DATA)}?pointer=/rows&items=8-`, {});
    expect(JSON.parse(part.text)).toEqual(DATA.rows.slice(8));
    expect(part.next).toBeUndefined();
  });

  test("lead to the next ones", async () => {
    const uri = await addressOf(DATA);
    const parts = await readOn(inMemory, `${uri}?pointer=/rows&items=0-4`);
    expect(parts.map((text) => JSON.parse(text).length)).toEqual([4, 4, 2]);
    expect(parts.flatMap((text) => JSON.parse(text))).toEqual(DATA.rows);
  });

  test("are as many whole ones as the reader takes", async () => {
    const uri = await addressOf(DATA.rows);
    const first = await inMemory.read(`${uri}?items=0-8`, { maxBytes: 60 });
    expect(first).toMatchObject({ uri: `${uri}?items=0-2`, next: `${uri}?items=2-8`, mimeType: "application/json" });
    const texts = await readOn(inMemory, `${uri}?items=0-`, 60);
    expect(texts.flatMap((text) => JSON.parse(text))).toEqual(DATA.rows);
  });

  test("that are each too large are read by their bytes", async () => {
    const data = ["x".repeat(100), "y".repeat(100), "z"];
    const uri = await addressOf(data);
    const first = await inMemory.read(`${uri}?items=0-2`, { maxBytes: 60 });
    expect(first).toMatchObject({ bytes: 60, mimeType: "text/plain", next: `${uri}?items=0-2&bytes=60-` });
    expect((await readOn(inMemory, `${uri}?items=0-2`, 60)).join("")).toBe(`["${data[0]}","${data[1]}"]["z"]`);
  });

  test("of an empty list are none", async () => {
    expect(await inMemory.read(`${await addressOf([])}?items=0-10`, {})).toMatchObject({ text: "[]" });
  });

  test("that are read one part after another are parsed once", async () => {
    const bytes = bytesInMemory(Buffer.from(JSON.stringify(DATA)));
    let reads = 0;
    const source = { ...bytes, read: (from: number, to: number) => bytes.read(from, to).finally(() => reads++) };
    for (const from of [0, 3, 6]) {
      const range = { pointer: "/rows", items: { from, to: from + 1 } };
      const { text } = await readPart(source, { id: "a", range }, 1_000);
      expect(JSON.parse(text)).toEqual([DATA.rows[from]]);
    }
    expect(reads).toBe(1);
  });

  test("beyond the end, or of what is no list, are refused", async () => {
    const uri = await addressOf(DATA);
    for (const range of ["pointer=/rows&items=11-12", "pointer=/text&items=0-1", "items=0-1"]) {
      await expect(inMemory.read(`${uri}?${range}`, {})).rejects.toMatchObject({ category: "validation" });
    }
  });

  test("of a text that is no JSON are refused; its bytes are not", async () => {
    const { uri = "" } = (await inMemory.put("no JSON", {})) ?? {};
    await expect(inMemory.read(`${uri}?items=0-1`, {})).rejects.toMatchObject({ category: "validation" });
    expect(await inMemory.read(`${uri}?bytes=0-2`, {})).toMatchObject({ text: "no" });
  });
});
