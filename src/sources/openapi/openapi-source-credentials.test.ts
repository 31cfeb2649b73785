import { describe, expect, test } from "vitest";
import { type Arrived, failureOf, httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, expectNoSecret, type Mounted, mounted, sendJson, tidyUp } from "./fixtures/mounted.js";
import { openapiSource } from "./index.js";

tidyUp();

const SECRET = "s3cr3t-value";

const SCHEMES = {
  bearer: { type: "http", scheme: "bearer" },
  basic: { type: "http", scheme: "Basic" },
  header: { type: "apiKey", in: "header", name: "X-Key" },
  query: { type: "apiKey", in: "query", name: "api key" },
  cookie: { type: "apiKey", in: "cookie", name: "sid" },
  oauth: { type: "oauth2", flows: { implicit: { authorizationUrl: "https://a.example", scopes: {} } } },
  openid: { type: "openIdConnect", openIdConnectUrl: "https://a.example" },
  digest: { type: "http", scheme: "digest" },
};

interface Secured extends Mounted {
  readonly arrived: readonly Arrived[];
}

async function api(security: unknown, options: object, ofDocument?: unknown): Promise<Secured> {
  const server = await httpServer((_, response) => sendJson(response, { ok: true }));
  const document = documentWith(
    { "GET /a": { operationId: "a", ...(security !== undefined && { security }) } },
    {
      servers: [{ url: server.url }],
      components: { securitySchemes: SCHEMES },
      ...(ofDocument !== undefined && { security: ofDocument }),
    },
  );
  return { ...(await mounted({ document, ...options })), arrived: server.arrived };
}

describe("a credential", () => {
  test.each<[scheme: string, credential: unknown, seen: object]>([
    ["bearer", SECRET, { headers: { authorization: `Bearer ${SECRET}` } }],
    ["bearer", () => SECRET, { headers: { authorization: `Bearer ${SECRET}` } }],
    ["bearer", async () => SECRET, { headers: { authorization: `Bearer ${SECRET}` } }],
    ["oauth", SECRET, { headers: { authorization: `Bearer ${SECRET}` } }],
    ["openid", SECRET, { headers: { authorization: `Bearer ${SECRET}` } }],
    ["basic", { username: "ada", password: "l:ö" }, { headers: { authorization: `Basic ${btoa("ada:l:Ã¶")}` } }],
    ["header", SECRET, { headers: { "x-key": SECRET } }],
    ["query", `${SECRET}&b=c`, { path: `/a?api%20key=${SECRET}%26b%3Dc` }],
    ["cookie", `${SECRET};`, { headers: { cookie: `sid=${SECRET}%3B` } }],
  ])("of the scheme %s goes where the scheme wants it", async (scheme, credential, seen) => {
    const { call, arrived } = await api([{ [scheme]: [] }], { credentials: { [scheme]: credential } });
    const envelope = await call("a");
    expect(arrived).toMatchObject([seen]);
    expectNoSecret(envelope, SECRET);
  });

  test("is asked for each time where it is a function", async () => {
    let count = 0;
    const { call, arrived } = await api([{ bearer: [] }], { credentials: { bearer: () => `token${++count}` } });
    for (const _ of [1, 2]) await call("a");
    expect(arrived.map(({ headers }) => headers.authorization)).toEqual(["Bearer token1", "Bearer token2"]);
  });

  test.each<[what: string, credentials: object]>([
    ["for a scheme that the document does not have", { other: SECRET }],
    ["for a scheme that nobody knows", { digest: SECRET }],
    ["that is empty", { bearer: "" }],
    ["that is a user where a text is needed", { bearer: { username: "ada", password: SECRET } }],
    ["that is a text where a user is needed", { basic: SECRET }],
    ["whose user has a colon", { basic: { username: "a:b", password: SECRET } }],
    ["that is a client where the scheme has no token endpoint", { oauth: { clientId: "c", clientSecret: SECRET } }],
    ["that is a number", { header: 5 }],
    ["that is null", { header: null }],
    [
      "whose scopes are no list",
      { oauth: { clientId: "c", clientSecret: SECRET, tokenUrl: "https://a", scopes: "a" } },
    ],
    ["whose token endpoint is none", { oauth: { clientId: "c", clientSecret: SECRET, tokenUrl: `/x?${SECRET}` } }],
  ])("%s is refused when the source is made, and not shown", async (_, credentials) => {
    const document = documentWith({ "GET /a": {} }, { components: { securitySchemes: SCHEMES } });
    const error = await failureOf(openapiSource({ name: "api", document, credentials: credentials as never }));
    expect(error.category).toBe("validation");
    expectNoSecret(error, SECRET);
  });

  test.each<[what: string, credential: unknown]>([
    ["is no text", () => ({ SECRET })],
    ["is empty", () => ""],
    ["has a line break", () => `${SECRET}\r\nx-injected: 1`],
    ["cannot be had", () => Promise.reject(new Error("the vault is closed"))],
  ])("that %s ends the call before anything is sent, and is not shown", async (_, bearer) => {
    const { fail, arrived } = await api([{ bearer: [] }], { credentials: { bearer } });
    const error = await fail("a");
    expect(error.category).toBe("authentication");
    expect(arrived).toEqual([]);
    expectNoSecret(error, SECRET);
  });

  test("that a function gives too late is not waited for", async () => {
    const { fail, arrived } = await api([{ bearer: [] }], { credentials: { bearer: () => new Promise(() => {}) } });
    expect((await fail("a", {}, { deadline: Date.now() + 30 })).category).toBe("timeout");
    expect(arrived).toEqual([]);
  });
});

describe("of several requirements", () => {
  const credentials = { bearer: "b", header: "h", query: "q", basic: { username: "u", password: "p" } };
  const BASIC = `Basic ${btoa("u:p")}`;

  test.each<[what: string, security: unknown, ofDocument: unknown, seen: readonly (string | undefined)[]]>([
    [
      "the first is met for which all is known",
      [{ cookie: [] }, { header: [] }, { bearer: [] }],
      undefined,
      [undefined, "h"],
    ],
    [
      "one that needs two gets both",
      [
        { cookie: [], bearer: [] },
        { bearer: [], header: [], query: [] },
      ],
      undefined,
      ["Bearer b", "h", "/a?api%20key=q"],
    ],
    ["to be nobody is the last", [{}, { bearer: [] }], undefined, ["Bearer b"]],
    ["nobody is who has none of them", [{ cookie: [] }, {}], undefined, []],
    ["an empty list means that anybody may call", [], [{ bearer: [] }], []],
    ["those of the operation count before those of the document", [{ basic: [] }], [{ bearer: [] }], [BASIC]],
    ["those of the document count where the operation has none", undefined, [{ bearer: [] }], ["Bearer b"]],
    ["none means no credential", undefined, undefined, []],
    ["one of a scheme that is not described is not met", [{ other: [] }, { header: [] }], undefined, [undefined, "h"]],
  ])("%s", async (_, security, ofDocument, [authorization, key, path = "/a"]) => {
    const { call, arrived } = await api(security, { credentials }, ofDocument);
    await call("a");
    expect([arrived[0]?.headers.authorization, arrived[0]?.headers["x-key"], arrived[0]?.path]).toEqual([
      authorization,
      key,
      path,
    ]);
  });
});

test("a credential counts before a header of the source, and a call without one has that header", async () => {
  const options = { headers: { Authorization: "Bearer of the source" }, credentials: { bearer: "b" } };
  const secured = await api([{ bearer: [] }], options);
  await secured.call("a");
  const open = await api([], options);
  await open.call("a");
  expect([...secured.arrived, ...open.arrived].map(({ headers }) => headers.authorization)).toEqual([
    "Bearer b",
    "Bearer of the source",
  ]);
});

test("no credential is seen in what fails, in the health or in the source itself", async () => {
  const refusing = await httpServer(({ path }, response) => {
    if (path.startsWith("/gone")) response.destroy();
    else sendJson(response, { message: "no" }, path.startsWith("/in") ? 500 : 401);
  });
  const security = [{ bearer: [], query: [], cookie: [], header: [] }];
  const document = documentWith(
    { "GET /a": { operationId: "a" }, "GET /in": { operationId: "in" }, "GET /gone": { operationId: "gone" } },
    { servers: [{ url: refusing.url }], components: { securitySchemes: SCHEMES }, security },
  );
  const credentials = { bearer: SECRET, query: SECRET, cookie: SECRET, header: SECRET };
  const { fail, source, registry } = await mounted({
    document,
    credentials,
    headers: { "x-more": SECRET },
    retries: 0,
  });
  for (const [name, category] of [
    ["a", "authentication"],
    ["in", "internal"],
    ["gone", "unavailable"],
  ] as const) {
    const error = await fail(name);
    expect(error.category).toBe(category);
    expectNoSecret(error, SECRET);
    expectNoSecret(await registry.attempt(`api.${name}`), SECRET);
  }
  await source.close();
  expectNoSecret(await fail("a"), SECRET);
  expectNoSecret(source, SECRET);
  expectNoSecret(source.health(), SECRET);
});
