import { describe, expect, test } from "vitest";
import { type HttpTestServer, httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, type Mounted, mounted, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

interface Site {
  /** Has the document, and an operation of its own. */
  readonly own: HttpTestServer;
  /** What only this machine can reach. */
  readonly inner: HttpTestServer;
}

/** A document at a URL, whose server is somewhere else. */
async function site(serverUrl: (inner: HttpTestServer) => string, more: object = {}): Promise<Site> {
  const inner = await httpServer((_, response) => sendJson(response, { secret: true, access_token: "t" }));
  const own: HttpTestServer = await httpServer(({ path }, response) => {
    const location = Buffer.from(serverUrl(inner)).toString("latin1");
    if (path === "/away") return void response.writeHead(302, { location }).end();
    if (path === "/here") return sendJson(response, { ok: true });
    const document = documentWith(
      {
        "GET /in": { operationId: "inside", servers: [{ url: serverUrl(inner) }] },
        "GET /away": { operationId: "away" },
        "GET /here": { operationId: "here" },
      },
      more,
    );
    return sendJson(response, document);
  });
  return { own, inner };
}

const open = ({ own }: Site, options: object = {}): Promise<Mounted> =>
  mounted({ url: `${own.url}/openapi.json`, ...options });

describe("a document from a URL", () => {
  test.each<[string, (inner: HttpTestServer) => string]>([
    ["another port of its machine", ({ url }) => url],
    ["localhost", ({ port }) => `http://localhost:${port}`],
    ["a decimal number", ({ port }) => `http://2130706433:${port}`],
    ["a hexadecimal number", ({ port }) => `http://0x7f000001:${port}`],
    ["octal digits", ({ port }) => `http://0177.0.0.1:${port}`],
    ["a short form", ({ port }) => `http://127.1:${port}`],
    ["wide digits", ({ port }) => `http://１２７.0.0.1:${port}`],
    ["the loopback of IPv6", ({ port }) => `http://[::1]:${port}`],
    ["a mapped address", ({ port }) => `http://[::ffff:127.0.0.1]:${port}`],
    ["no address", ({ port }) => `http://0.0.0.0:${port}`],
    ["the metadata of a cloud", () => "http://169.254.169.254/latest/meta-data"],
    ["a private network", () => "http://10.0.0.1"],
  ])("may not lead to %s, nor may a redirect", async (_, serverUrl) => {
    const servers = await site(serverUrl);
    const { fail, call } = await open(servers, { retries: 0 });
    for (const name of ["inside", "away"])
      expect(await fail(name)).toMatchObject({
        category: "authorization",
        code: "ADDRESS_REFUSED",
        recoverable: false,
      });
    expect(servers.inner.connections).toBe(0);
    expect((await call("here")).data).toEqual({ ok: true });
  });

  test("may lead anywhere with `allowPrivate`", async () => {
    const servers = await site(({ port }) => `http://localhost:${port}`);
    const { call } = await open(servers, { allowPrivate: true });
    for (const name of ["inside", "away"]) expect((await call(name)).data).toMatchObject({ secret: true });
  });

  test("may be called at a `baseUrl` that is private, and leads nowhere else from there", async () => {
    const servers = await site(() => "http://127.0.0.1:9");
    const base = await httpServer(({ path }, response) => {
      if (path === "/away") response.writeHead(302, { location: servers.inner.url }).end();
      else sendJson(response, { base: true });
    });
    for (const baseUrl of [base.url, base.url.replace("127.0.0.1", "localhost")]) {
      const { call, fail } = await open(servers, { baseUrl });
      expect((await call("inside")).data).toEqual({ base: true });
      expect((await fail("away")).code).toBe("ADDRESS_REFUSED");
    }
  });

  test("may not name a private token endpoint, but the user may", async () => {
    const servers: Site = await site(({ url }) => url, {
      components: {
        securitySchemes: {
          oauth: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "http://127.0.0.1:9/token", scopes: {} } } },
        },
      },
      security: [{ oauth: [] }],
    });
    const client = { clientId: "c", clientSecret: "s" };
    const refused = await open(servers, { credentials: { oauth: client } });
    expect((await refused.fail("here")).code).toBe("ADDRESS_REFUSED");
    const allowed = await open(servers, { credentials: { oauth: { ...client, tokenUrl: servers.inner.url } } });
    expect((await allowed.call("here")).data).toEqual({ ok: true });
  });
});

test("a document that the user has may lead to private addresses", async () => {
  const inner = await httpServer((_, response) => sendJson(response, {}));
  const document = documentWith({ "GET /a": {} }, { servers: [{ url: inner.url }] });
  expect((await (await mounted({ document })).call("get_a")).data).toEqual({});
  expect((await (await mounted({ document: JSON.stringify(document) })).call("get_a")).data).toEqual({});
});
