import { describe, expect, test } from "vitest";
import { type HttpTestServer, httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, expectNoSecret, type Mounted, mounted, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

const SECRET = "s3cr3t-value";

const SCHEMES = {
  bearer: { type: "http", scheme: "bearer" },
  query: { type: "apiKey", in: "query", name: "key" },
  cookie: { type: "apiKey", in: "cookie", name: "sid" },
  header: { type: "apiKey", in: "header", name: "X-Key" },
};

/** A source whose one operation has secrets in all places. */
async function secretive(url: string, options: object = {}): Promise<Mounted> {
  const parameters = [{ name: "X-Param", in: "header", schema: {} }];
  const content = { "application/json": { schema: { properties: { text: {} } } } };
  const document = documentWith(
    { "GET /a": { operationId: "a", parameters }, "POST /b": { operationId: "b", requestBody: { content } } },
    {
      servers: [{ url }],
      components: { securitySchemes: SCHEMES },
      security: [{ bearer: [], query: [], cookie: [], header: [] }],
    },
  );
  const credentials = { bearer: SECRET, query: SECRET, cookie: SECRET, header: SECRET };
  return mounted({ document, credentials, headers: { "X-More": SECRET }, ...options });
}

function redirectTo(location: () => string, status = 302): Promise<HttpTestServer> {
  return httpServer(({ path }, response) => {
    if (path.startsWith("/end")) return sendJson(response, { path });
    return void response.writeHead(status, { location: location() }).end();
  });
}

describe("after a redirect", () => {
  test("to the same host all secrets are shown again", async () => {
    const server = await redirectTo(() => "/end");
    const { call } = await secretive(server.url);
    await call("a");
    expect(server.arrived[1]).toMatchObject({
      path: `/end?key=${SECRET}`,
      headers: { authorization: `Bearer ${SECRET}`, cookie: `sid=${SECRET}`, "x-key": SECRET, "x-more": SECRET },
    });
  });

  test("to another port no secret is shown, nor a header of the caller", async () => {
    const other = await httpServer(({ path }, response) => sendJson(response, { path }));
    const server = await redirectTo(() => `${other.url}/end?key=${SECRET}&page=2`);
    const { call } = await secretive(server.url);
    const envelope = await call("a", { "X-Param": "mine" });
    expect(other.arrived[0]?.path).toBe("/end?page=2");
    expectNoSecret(other.arrived, SECRET, "mine");
    expectNoSecret(envelope, SECRET);
  });

  test("to another name of the same machine no secret is shown", async () => {
    const server = await redirectTo(() => `${server.url.replace("127.0.0.1", "localhost")}/end`);
    const { call } = await secretive(server.url);
    await call("a");
    expect(server.arrived).toHaveLength(2);
    expectNoSecret(server.arrived[1], SECRET);
  });

  test("away and back no secret is shown", async () => {
    const server = await redirectTo(() => `${other.url}/there`);
    const other = await redirectTo(() => `${server.url}/end`);
    const { call } = await secretive(server.url);
    await call("a");
    expect(server.arrived).toHaveLength(2);
    expectNoSecret([...other.arrived, server.arrived[1]], SECRET);
  });

  test("to another host a body is not sent, and the call fails", async () => {
    const other = await httpServer((_, response) => sendJson(response, {}));
    const server = await redirectTo(() => other.url, 307);
    const { fail } = await secretive(server.url);
    const error = await fail("b", { text: "mine" });
    expect(error).toMatchObject({ category: "execution", code: "REDIRECT_REFUSED" });
    expectNoSecret(error, SECRET, "mine");
    expect(other.arrived).toEqual([]);
  });

  test("too many times the call fails", async () => {
    const server = await redirectTo(() => "/again");
    const { fail } = await secretive(server.url);
    expect(await fail("a")).toMatchObject({ category: "execution", code: "TOO_MANY_REDIRECTS" });
    expect(server.arrived).toHaveLength(6);
  });
});

test("a secret that a server repeats in an address is not seen in what it answers", async () => {
  const next = `/a?key=${SECRET}&key=${SECRET}&state=open&key=other2&after=x&key=${SECRET}`;
  const server = await httpServer(({ path }, response) => {
    if (path.startsWith("/a")) return sendJson(response, [], 200, { link: `<${next}>; rel="next"` });
    return void response.writeHead(302, { location: `other:${next}` }).end();
  });
  const { call, fail } = await secretive(server.url);
  const envelope = await call("a");
  expect(envelope.meta.pagination).toMatchObject({ cursor: "x", hasMore: true });
  const seen = "/a?state=open&key=other2&after=x";
  expect(envelope.meta).toMatchObject({ headers: { link: `<${seen}>; rel="next"` } });
  const error = await fail("b");
  expect(error).toMatchObject({ code: "REDIRECTED", details: { headers: { location: `other:${seen}` } } });
  for (const value of [envelope, error]) expectNoSecret(value, SECRET);
});

test("a server of one operation is a host of the document, and gets what that operation needs", async () => {
  const [usual, special] = await Promise.all([1, 2].map(() => httpServer((_, response) => sendJson(response, {}))));
  const document = documentWith(
    {
      "GET /a": { operationId: "a", security: [{ bearer: [] }] },
      "GET /b": { operationId: "b", security: [{ header: [] }], servers: [{ url: special?.url }] },
      "GET /c": { operationId: "c", security: [], servers: [{ url: special?.url }] },
    },
    { servers: [{ url: usual?.url }], components: { securitySchemes: SCHEMES } },
  );
  const { call } = await mounted({ document, credentials: { bearer: "b", header: "h" } });
  for (const name of ["a", "b", "c"]) await call(name);
  const seen = [...(usual?.arrived ?? []), ...(special?.arrived ?? [])];
  expect(seen.map(({ headers }) => [headers.authorization, headers["x-key"]])).toEqual([
    ["Bearer b", undefined],
    [undefined, "h"],
    [undefined, undefined],
  ]);
});

test("with a `baseUrl` no other host of the document is called", async () => {
  const [base, other] = await Promise.all([1, 2].map(() => httpServer((_, response) => sendJson(response, {}))));
  const { call } = await secretive(other?.url ?? "", { baseUrl: base?.url });
  await call("a");
  expect(base?.arrived).toHaveLength(1);
  expect(other?.arrived).toEqual([]);
});
