import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { ApiDocument } from "./api-document.js";
import { type LoadedDocument, loadDocument } from "./load-document.js";

const LIMITS = { maxBytes: 1_000_000 };
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function filesOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "plico-openapi-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

function loadUrl(url: string, texts: Readonly<Record<string, unknown>>, asked: string[] = []): Promise<LoadedDocument> {
  const read = async (address: string): Promise<string> => {
    asked.push(address);
    if (texts[address] === undefined) throw new Error(`404 ${address}`);
    return JSON.stringify(texts[address]);
  };
  return loadDocument({ url, read }, LIMITS);
}

const codesOf = ({ warnings }: LoadedDocument): string[] => warnings.map(({ code }) => code);

describe("a document that is given", () => {
  test("is an object, or its text", async () => {
    const root = { openapi: "3.1.0", info: { title: "Things", description: "All of them" }, paths: {} };
    for (const document of [
      root,
      JSON.stringify(root),
      'openapi: 3.1.0\ninfo: {title: Things, description: "All of them"}',
    ]) {
      const api = new ApiDocument(await loadDocument({ document }, LIMITS));
      expect(api).toMatchObject({ version: "3.1", title: "Things", description: "All of them", warnings: [] });
    }
  });

  test("has only itself: references of its text to others are named", async () => {
    const document = JSON.stringify({ swagger: "2.0", paths: { $ref: "paths.json" } });
    expect(codesOf(await loadDocument({ document }, LIMITS))).toEqual(["REF_NOT_FOLLOWED"]);
  });

  test.each([
    [{ mcpServers: {} }],
    [[]],
    [undefined],
    ["<html>"],
    [{ openapi: "4.0.0" }],
    [{ swagger: "1.2" }],
    ["no"],
  ])("%j is refused", async (document) => {
    await expect(loadDocument({ document }, LIMITS)).rejects.toMatchObject({
      category: "validation",
      code: "INVALID_DOCUMENT",
    });
  });

  test("is refused where it is too large", async () => {
    const document = `{"openapi":"3.1.0","x-a":"${"a".repeat(200)}"}`;
    await expect(loadDocument({ document }, { maxBytes: 100 })).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });

  test("of a version that is not known yet is read as the newest that is", async () => {
    const loaded = await loadDocument({ document: { openapi: "3.9.0" } }, LIMITS);
    expect(loaded.version).toBe("3.2");
    expect(codesOf(loaded)).toEqual(["NONCONFORMING"]);
  });
});

describe("a document of files", () => {
  test("has all that its references lead to, up and down the folders, in any format", async () => {
    const folder = filesOf({
      "spec/api.yaml": "openapi: 3.0.0\npaths:\n  /a: {$ref: paths/a.json}\n",
      "spec/paths/a.json": { get: { parameters: [{ $ref: "../../common/id.yaml#/id" }] } },
      "common/id.yaml": "id: {name: id, in: query, schema: {$ref: '../spec/api.yaml#/x'}}\n",
    });
    const loaded = await loadDocument({ file: join(folder, "spec/api.yaml") }, LIMITS);
    expect(loaded.documents.size).toBe(3);
    expect(loaded.warnings).toEqual([]);
    const api = new ApiDocument(loaded);
    const place = { value: { $ref: "../common/id.yaml#/id/name" }, base: api.address };
    expect(api.resolve(place)?.value).toBe("id");
  });

  test("may be named by a URL, and written in UTF-16", async () => {
    const folder = filesOf({});
    const file = join(folder, "my api.json");
    writeFileSync(file, Buffer.from('\uFEFF{"openapi":"3.1.0","info":{"title":"Zoë"}}', "utf16le"));
    for (const origin of [pathToFileURL(file), pathToFileURL(file).href, file])
      expect(new ApiDocument(await loadDocument({ file: origin }, LIMITS)).title).toBe("Zoë");
  });

  test("does not lead to the network, nor to an absolute path", async () => {
    const refs = ["https://api.test/x.json", "/etc/hostname", "file:///etc/hosts", "//host/share"];
    const folder = filesOf({ "api.json": { openapi: "3.1.0", x: refs.map(($ref) => ({ $ref })) } });
    const loaded = await loadDocument({ file: join(folder, "api.json") }, LIMITS);
    expect(codesOf(loaded)).toEqual(refs.map(() => "REF_NOT_FOLLOWED"));
    expect(loaded.documents.size).toBe(1);
  });

  test("is used though another file is missing, broken or too large", async () => {
    const refs = ["missing.json", "broken.json", "large.json", "fine.json"].map(($ref) => ({ $ref }));
    const folder = filesOf({
      "api.json": { openapi: "3.1.0", refs },
      "broken.json": "{",
      "large.json": { text: "a".repeat(2_000) },
      "fine.json": { ok: true },
    });
    const loaded = await loadDocument({ file: join(folder, "api.json") }, { maxBytes: 1_000 });
    expect(codesOf(loaded)).toEqual(refs.slice(1).map(() => "REF_NOT_FOLLOWED"));
    expect(loaded.documents.size).toBe(2);
  });

  test("is read up to a number of files", async () => {
    const files = Array.from({ length: 300 }, (_, at) => [`f${at}.json`, { $ref: `f${at + 1}.json` }] as const);
    const folder = filesOf({ "api.json": { openapi: "3.1.0", a: { $ref: "f0.json" } }, ...Object.fromEntries(files) });
    const loaded = await loadDocument({ file: join(folder, "api.json") }, LIMITS);
    expect(loaded.documents.size).toBe(200);
    expect(codesOf(loaded)).toEqual(["REF_NOT_FOLLOWED"]);
  });

  test("is refused where it is not there, is a folder or is too large", async () => {
    const folder = filesOf({ "api.json": { openapi: "3.1.0", paths: {} } });
    const load = (file: string): Promise<unknown> => loadDocument({ file: join(folder, file) }, { maxBytes: 10 });
    await expect(load("other.json")).rejects.toMatchObject({ category: "not_found" });
    await expect(load(".")).rejects.toMatchObject({ category: "validation", code: "INVALID_DOCUMENT" });
    await expect(load("api.json")).rejects.toMatchObject({ category: "validation", code: "PAYLOAD_TOO_LARGE" });
  });
});

describe("a document behind a URL", () => {
  test("leads to others of the same origin only", async () => {
    const asked: string[] = [];
    const refs = [
      "pet.json",
      "/common/error.json#/x",
      "https://other.test/x.json",
      "http://api.test/y.json",
      "file:///etc/hosts",
    ];
    const loaded = await loadUrl(
      "https://api.test/docs/api.json#top",
      {
        "https://api.test/docs/api.json": { openapi: "3.1.0", refs: refs.map(($ref) => ({ $ref })) },
        "https://api.test/docs/pet.json": { $ref: "sub/owner.json" },
        "https://api.test/docs/sub/owner.json": { $ref: "../api.json#/info" },
        "https://api.test/common/error.json": {},
      },
      asked,
    );
    expect(asked.every((url) => url.startsWith("https://api.test/"))).toBe(true);
    expect(loaded.documents.size).toBe(4);
    expect(codesOf(loaded)).toEqual(Array(3).fill("REF_NOT_FOLLOWED"));
  });

  test("passes on why it could not be read", async () => {
    await expect(loadUrl("https://api.test/api.json", {})).rejects.toThrow("404");
  });

  test("is used though another is not there", async () => {
    const root = { openapi: "3.1.0", a: { $ref: "gone.json" } };
    const loaded = await loadUrl("https://api.test/api.json", { "https://api.test/api.json": root });
    expect(codesOf(loaded)).toEqual(["REF_NOT_FOLLOWED"]);
  });
});
