import { describe, expect, test } from "vitest";
import {
  type Arrived,
  failureOf,
  type HttpTestServer,
  httpServer,
  rawServer,
} from "./exchange/fixtures/exchange-servers.js";
import { documentWith, expectNoSecret, mounted, ok, sendJson, tidyUp } from "./fixtures/mounted.js";
import { type OpenApiSourceOptions, openapiSource } from "./index.js";

tidyUp();

const DOCUMENT = documentWith({ "GET /a": { operationId: "a" } }, { servers: [{ url: "/v1" }] });

/** Serves texts and objects by path; what is asked for beside is answered with what it was. */
async function site(pages: Readonly<Record<string, unknown>>): Promise<HttpTestServer> {
  return httpServer((arrived: Arrived, response) => {
    const path = arrived.path.replace(/\?.*$/, "");
    const page = pages[path];
    if (page === undefined) sendJson(response, { path: arrived.path });
    else response.end(typeof page === "string" ? page : JSON.stringify(page));
  });
}

async function refusal(url: string, options: Partial<OpenApiSourceOptions> = {}): Promise<string> {
  const { category, code } = await failureOf(openapiSource({ name: "api", url, ...options }));
  return `${category} ${code}`;
}

describe("a document at a URL", () => {
  test("is fetched once, with the headers of the source", async () => {
    const server = await site({ "/docs/openapi.json": DOCUMENT });
    const { names } = await mounted({ url: `${server.url}/docs/openapi.json`, headers: { "x-key": "k" } });
    expect(names).toEqual(["a"]);
    expect(server.arrived).toMatchObject([{ method: "GET", path: "/docs/openapi.json", headers: { "x-key": "k" } }]);
  });

  test("may be YAML, whatever its content type", async () => {
    const server = await site({ "/openapi": "openapi: 3.1.0\npaths: {/a: {get: {operationId: a}}}\n" });
    expect((await mounted({ url: new URL(`${server.url}/openapi`) })).names).toEqual(["a"]);
  });

  test("is the place where relative servers start", async () => {
    const server = await site({
      "/docs/openapi.json": DOCUMENT,
      "/docs/beside.json": documentWith({ "GET /a": { operationId: "a" } }, { servers: [{ url: "../v2/" }] }),
      "/docs/none.json": documentWith({ "GET /a": { operationId: "a" } }),
    });
    for (const [name, path] of [
      ["openapi", "/v1/a"],
      ["beside", "/v2/a"],
      ["none", "/a"],
    ])
      expect((await (await mounted({ url: `${server.url}/docs/${name}.json` })).call("a")).data).toEqual({ path });
  });

  test("may have parts on the same host, and on no other", async () => {
    const other = await site({ "/Other.json": { type: "integer" } });
    const schema = { properties: { path: { $ref: "parts/Path.json" }, more: { $ref: `${other.url}/Other.json` } } };
    const root = documentWith({ "GET /a": { operationId: "a", responses: { 200: ok(schema) } } });
    const server = await site({ "/docs/openapi.json": root, "/docs/parts/Path.json": { const: "x" } });
    const api = await mounted({ url: `${server.url}/docs/openapi.json` });
    expect(server.arrived.map(({ path }) => path)).toEqual(["/docs/openapi.json", "/docs/parts/Path.json"]);
    expect(other.arrived).toEqual([]);
    expect(api.source.health().warnings).toMatchObject([{ code: "REF_NOT_FOLLOWED" }]);
    const { meta } = await api.call("a");
    expect(meta.warnings?.map(({ path }) => path)).toContain("/path");
  });

  test("is taken from where a redirect leads, without the headers of the source where that is another host", async () => {
    const other = await site({ "/moved.json": DOCUMENT });
    const server = await httpServer((_, response) => {
      response.writeHead(302, { location: `${other.url}/moved.json` }).end();
    });
    for (const url of [`${server.url}/openapi.json`, server.url, `${server.url}/#top`])
      expect((await mounted({ url, allowPrivate: true, headers: { "x-key": "k3y" } })).names).toEqual(["a"]);
    expect(other.arrived.map(({ headers }) => headers["x-key"])).toEqual([undefined, undefined, undefined]);
  });

  test("takes no part from where a redirect to another host leads", async () => {
    const other = await site({ "/moved.json": { type: "integer" } });
    const server = await httpServer(({ path }, response) => {
      const schema = { properties: { a: { $ref: "away.json" }, b: { $ref: "near.json" } } };
      if (path === "/away.json") response.writeHead(302, { location: `${other.url}/moved.json` }).end();
      else if (path === "/near.json") response.writeHead(302, { location: "/moved.json" }).end();
      else if (path === "/moved.json") sendJson(response, { type: "integer" });
      else sendJson(response, documentWith({ "GET /a": { operationId: "a", responses: { 200: ok(schema) } } }));
    });
    const { source, spec } = await mounted({ url: `${server.url}/openapi.json`, allowPrivate: true });
    expect(other.arrived).toEqual([]);
    expect(source.health().warnings).toMatchObject([{ code: "REF_NOT_FOLLOWED" }]);
    expect(JSON.stringify(spec("a").outputSchema)).toContain("integer");
  });

  test("is not looked for at a private address that only a redirect names", async () => {
    const other = await site({ "/moved.json": DOCUMENT });
    const server = await httpServer((_, response) => {
      response.writeHead(302, { location: `${other.url}/moved.json` }).end();
    });
    expect(await refusal(`${server.url}/openapi.json`)).toBe("authorization ADDRESS_REFUSED");
    expect(other.arrived).toEqual([]);
  });
});

describe("what is at a URL and no document", () => {
  test.each([
    [404, "not_found NOT_FOUND"],
    [401, "authentication ACCESS_DENIED"],
    [403, "authorization ACCESS_DENIED"],
    [500, "internal UNKNOWN_ERROR"],
    [503, "unavailable UNAVAILABLE"],
    [204, "execution EXECUTION_ERROR"],
    [304, "execution EXECUTION_ERROR"],
  ])("is refused by its status %i", async (status, kind) => {
    const server = await httpServer((_, response) => response.writeHead(status).end());
    expect(await refusal(`${server.url}/openapi.json`)).toBe(kind);
  });

  test("is refused without a word of its query, which may hold a key", async () => {
    const server = await httpServer((_, response) => response.writeHead(404).end());
    const url = `${server.url}/openapi.json?key=s3cr3t`;
    expectNoSecret(await failureOf(openapiSource({ name: "api", url, headers: { "x-key": "t0ps3cr3t" } })), "s3cr3t");
  });

  test("is refused where it is a page", async () => {
    const server = await site({ "/": "<!DOCTYPE html><html><title>Log in</title></html>" });
    const { code, message } = await failureOf(openapiSource({ name: "api", url: server.url }));
    expect(code).toBe("INVALID_DOCUMENT");
    expect(message).toContain("HTML");
  });

  test("is refused where it is larger than the limit, before and while it comes", async () => {
    const large = JSON.stringify({ ...DOCUMENT, "x-more": "x".repeat(5000) });
    const server = await httpServer(({ path }, response) => {
      if (path === "/told") response.setHeader("content-length", large.length);
      response.write(large.slice(0, 4000));
      response.end(large.slice(4000));
    });
    for (const path of ["told", "untold"]) {
      const work = openapiSource({ name: "api", url: `${server.url}/${path}`, maxDocumentBytes: 1000 });
      const { code, message } = await failureOf(work);
      expect(code).toBe("PAYLOAD_TOO_LARGE");
      expect(message).toContain("maxDocumentBytes");
    }
    expect((await mounted({ url: `${server.url}/told`, maxResponseBytes: 1000 })).names).toEqual(["a"]);
  });

  test.each([
    ["does not come", () => {}],
    ["stops within its head", (write: (text: string) => void) => write("HTTP/1.1 200 OK\r\n")],
    [
      "stops within its body",
      (write: (text: string) => void) => write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"),
    ],
  ])("is not waited for where it %s", async (_, say) => {
    const server = await rawServer((socket) => say((text) => void socket.write(text)));
    expect(await refusal(`${server.url}/openapi.json`, { timeout: 30 })).toBe("timeout TIMEOUT");
  });

  test("is unavailable where nobody answers", async () => {
    const server = await rawServer((socket) => socket.destroy());
    expect(await refusal(`${server.url}/openapi.json`)).toBe("unavailable UNAVAILABLE");
  });
});
