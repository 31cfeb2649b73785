import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failureOf, httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, mounted, ok, sendJson, tidyUp } from "./fixtures/mounted.js";
import { openapiSource } from "./index.js";

tidyUp();

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plico-openapi-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function refusal(path: string, options: object = {}): Promise<string> {
  const { category, code } = await failureOf(openapiSource({ name: "api", file: path, ...options }));
  return `${category} ${code}`;
}

describe("a file that is no document", () => {
  test("and does not exist is not found", async () => {
    expect(await refusal(join(folder, "missing.json"))).toBe("not_found DOCUMENT_NOT_FOUND");
    expect(await refusal(join(await file("plain.json", "{}"), "below.json"))).toBe("not_found DOCUMENT_NOT_FOUND");
  });

  test("but a folder is refused", async () => {
    expect(await refusal(folder)).toBe("validation INVALID_DOCUMENT");
  });

  test.each([
    ["a page of HTML", "<!doctype html><title>Log in</title>", "HTML"],
    ["the configuration of MCP servers", '{"mcpServers": {"files": {"command": "npx"}}}', "MCP"],
    ["nothing at all", "", "empty"],
    ["only spaces", " \n\t\n", "empty"],
    ["only comments of YAML", "# openapi: 3.1.0\n", undefined],
    ["a list", "[]", undefined],
    ["a text of YAML", "hello", "hello"],
    ["an object without a version", '{"paths": {}}', "openapi"],
    ["a version that is not known", '{"openapi": "4.0.0", "paths": {}}', "4.0.0"],
    ["bytes", "\u0000\u0001\u0002", undefined],
  ])("but %s is refused, and says what it is", async (name, content, words) => {
    const path = await file(`${name}.txt`, content);
    const { category, code, message } = await failureOf(openapiSource({ name: "api", file: path }));
    expect(`${category} ${code}`).toBe("validation INVALID_DOCUMENT");
    expect(message).toContain(path);
    if (words !== undefined) expect(message).toContain(words);
  });

  test.each([
    ["JSON", "broken.json", '{\n  "openapi": "3.1.0",\n  "paths": {,}\n}', 3],
    ["JSON that ends too early", "cut.json", '{\n  "openapi": "3.1.0",\n', 2],
    ["YAML", "broken.yaml", "openapi: 3.1.0\npaths:\n  /a: {get: [}\n", 3],
    ["YAML with tabs", "tabs.yaml", "openapi: 3.1.0\npaths:\n\t/a: {}\n", 3],
  ])("because its %s is broken tells the line", async (_, name, content, line) => {
    const path = await file(name, content);
    const { code, details } = await failureOf(openapiSource({ name: "api", file: path }));
    expect(code).toBe("INVALID_DOCUMENT");
    expect(details).toMatchObject({ line });
  });

  test("because it is too large is told by its limit", async () => {
    const path = await file("large.json", JSON.stringify(documentWith({}, { "x-more": "x".repeat(1000) })));
    const error = await failureOf(openapiSource({ name: "api", file: path, maxDocumentBytes: 500 }));
    expect(error.code).toBe("PAYLOAD_TOO_LARGE");
    expect(error.message).toContain("maxDocumentBytes");
    expect((await mounted({ file: path, maxDocumentBytes: 5000 })).names).toEqual([]);
  });
});

test("a document may be a text, of JSON or of YAML", async () => {
  const yaml = "openapi: 3.1.0\npaths:\n  /a:\n    get: {operationId: a}\n";
  expect((await mounted({ document: yaml })).names).toEqual(["a"]);
  expect((await mounted({ document: JSON.stringify(documentWith({ "GET /b": {} })) })).names).toEqual(["get_b"]);
});

test("a file may be named by a path or a URL", async () => {
  const path = await file("named file.json", JSON.stringify(documentWith({ "GET /a": {} })));
  for (const named of [path, pathToFileURL(path), pathToFileURL(path).href])
    expect((await mounted({ file: named })).names).toEqual(["get_a"]);
});

describe("a document of several files", () => {
  test("is one, wherever relative references lead", async () => {
    const { url } = await httpServer((_, response) => sendJson(response, { id: 5, surplus: true }));
    await mkdir(join(folder, "parts"), { recursive: true });
    await file(
      "parts/pets.yaml",
      "get:\n  operationId: getPet\n  responses:\n    200: {$ref: '../answers.json#/Pet'}\n",
    );
    await file("answers.json", JSON.stringify({ Pet: ok({ $ref: "parts/schemas.yaml#/Pet" }) }));
    await file(
      "parts/schemas.yaml",
      "Pet:\n  additionalProperties: false\n  properties: {id: {$ref: '#/Id'}}\nId: {type: integer}\n",
    );
    const root = documentWith({}, { servers: [{ url }], paths: { "/pets": { $ref: "parts/pets.yaml" } } });
    const api = await mounted({ file: await file("root.json", JSON.stringify(root)) });
    expect(api.source.health().warnings).toEqual([]);
    const { data, meta } = await api.call("getPet");
    expect(data).toEqual({ id: 5 });
    expect(meta.warnings).toMatchObject([{ code: "OUTPUT_STRIPPED", path: "/surplus" }]);
  });

  test("works without those that are missing, broken or elsewhere", async () => {
    const elsewhere = await httpServer((_, response) => sendJson(response, {}));
    await file("half.json", "{");
    const operation = (name: string, $ref: string): object => ({
      operationId: name,
      responses: { 200: ok({ $ref }) },
    });
    const root = documentWith(
      {
        "GET /a": operation("a", "missing.json#/A"),
        "GET /b": operation("b", "half.json"),
        "GET /c": operation("c", `${elsewhere.url}/c.json`),
        "GET /d": operation("d", "file:///etc/passwd"),
        "GET /e": operation("e", "/etc/passwd"),
      },
      { servers: [{ url: elsewhere.url }] },
    );
    const api = await mounted({ file: await file("lacking.json", JSON.stringify(root)) });
    expect(api.names).toEqual(["a", "b", "c", "d", "e"]);
    expect(elsewhere.arrived).toEqual([]);
    const { warnings } = api.source.health();
    expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(["REF_NOT_FOLLOWED"]));
    for (const file of ["missing.json", "half.json", "c.json", "passwd"])
      expect(warnings.filter(({ message }) => message.includes(file))).toHaveLength(1);
    for (const name of api.names) expect((await api.call(name)).data).toEqual({});
  });
});

test("health says what the document is, and that the source is closed", async () => {
  const { source } = await mounted({ document: documentWith({}, { paths: { "/a": { get: {}, put: 5 } } }) });
  expect(source.health()).toMatchObject({ status: "ready", version: "3.1", title: "Things", operations: 1 });
  expect(source.health().warnings).toMatchObject([{ code: "OPERATION_SKIPPED" }]);
  await source.close();
  expect(source.health().status).toBe("closed");
});
