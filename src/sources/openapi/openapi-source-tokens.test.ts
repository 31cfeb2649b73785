import { describe, expect, test } from "vitest";
import { type Arrived, type HttpTestServer, httpServer, rawServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, expectNoSecret, type Mounted, mounted, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

const SECRET = "cl1ent-s3cr3t";

interface Tokens {
  readonly api: HttpTestServer;
  readonly endpoint: HttpTestServer;
  /** The tokens that the API takes; all that were given, until something is taken away. */
  readonly valid: Set<string>;
}

/** A token endpoint that gives `t1`, `t2` and so on, and an API that takes them. */
async function tokenServers(life?: number, answer?: (arrived: Arrived) => unknown): Promise<Tokens> {
  const valid = new Set<string>();
  let count = 0;
  const endpoint = await httpServer((arrived, response) => {
    const own = answer?.(arrived);
    if (own !== undefined) return sendJson(response, own, 400);
    const token = `t${++count}`;
    valid.add(token);
    return sendJson(response, { access_token: token, token_type: "Bearer", expires_in: life });
  });
  const api = await httpServer(({ headers, method, body }, response) => {
    const token = headers.authorization?.replace("Bearer ", "") ?? "";
    sendJson(response, { method, body, token }, valid.has(token) ? 200 : 401);
  });
  return { api, endpoint, valid };
}

async function source({ api, endpoint }: Tokens, credential: object = {}, options: object = {}): Promise<Mounted> {
  const flows = { clientCredentials: { tokenUrl: `${endpoint.url}/token`, scopes: { read: "", write: "" } } };
  const content = { "application/json": { schema: { properties: { text: { type: "string" } } } } };
  const document = documentWith(
    {
      "GET /a": { operationId: "a", security: [{ oauth: ["read"] }] },
      "POST /b": { operationId: "b", security: [{ oauth: ["write", "read"] }], requestBody: { content } },
    },
    { servers: [{ url: api.url }], components: { securitySchemes: { oauth: { type: "oauth2", flows } } } },
  );
  const oauth = { clientId: "me", clientSecret: SECRET, ...credential };
  return mounted({ document, credentials: { oauth }, ...options });
}

describe("a client's token", () => {
  test("is asked for once, with the scopes of the operation, and kept", async () => {
    const servers = await tokenServers(3600);
    const { call } = await source(servers);
    for (const name of ["a", "a", "b", "a"]) await call(name);
    expect(servers.api.arrived.map(({ headers }) => headers.authorization)).toEqual([
      ...["Bearer t1", "Bearer t1", "Bearer t2", "Bearer t1"],
    ]);
    expect(servers.endpoint.arrived).toMatchObject([
      {
        method: "POST",
        body: "grant_type=client_credentials&scope=read",
        headers: { authorization: `Basic ${btoa(`me:${SECRET}`)}` },
      },
      { body: "grant_type=client_credentials&scope=read+write" },
    ]);
  });

  test("is asked for as the credential says", async () => {
    const [servers, elsewhere] = await Promise.all([tokenServers(), tokenServers()]);
    const tokenUrl = `${elsewhere.endpoint.url}/other`;
    const { fail } = await source(servers, { tokenUrl, scopes: ["all"], style: "body" }, { retries: 0 });
    await fail("a");
    expect(servers.endpoint.arrived).toEqual([]);
    const { path, body, headers } = elsewhere.endpoint.arrived[0] as Arrived;
    expect(path).toBe("/other");
    expect(headers.authorization).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      ...{ grant_type: "client_credentials", scope: "all", client_id: "me", client_secret: SECRET },
    });
  });

  test("is asked for once, however many calls wait for it", async () => {
    const servers = await tokenServers(3600);
    const { call } = await source(servers);
    await Promise.all(Array.from({ length: 20 }, () => call("a")));
    expect(servers.endpoint.arrived).toHaveLength(1);
    expect(servers.api.arrived).toHaveLength(20);
  });

  test("that has expired is replaced", async () => {
    const servers = await tokenServers(0);
    const { call } = await source(servers);
    for (const _ of [1, 2]) await call("a");
    expect(servers.endpoint.arrived).toHaveLength(2);
  });

  test("that is refused is replaced once, and the request made again once, also one that may not be retried", async () => {
    const servers = await tokenServers(3600);
    const { call } = await source(servers);
    await call("b", { text: "one" });
    servers.valid.clear();
    expect((await call("b", { text: "two" })).data).toEqual({ method: "POST", body: '{"text":"two"}', token: "t2" });
    expect(servers.api.arrived).toHaveLength(3);
    expect(servers.endpoint.arrived).toHaveLength(2);
  });

  test("that is refused however new it is ends the call", async () => {
    const servers = await tokenServers(3600);
    const { fail } = await source(servers);
    servers.valid.add = () => servers.valid;
    expect((await fail("a")).category).toBe("authentication");
    expect(servers.api.arrived).toHaveLength(2);
    expect(servers.endpoint.arrived).toHaveLength(2);
  });

  test("that many calls find refused is replaced once for all of them", async () => {
    const servers = await tokenServers(3600);
    const { call } = await source(servers);
    await call("a");
    servers.valid.clear();
    await Promise.all(Array.from({ length: 10 }, () => call("a")));
    expect(servers.endpoint.arrived).toHaveLength(2);
  });
});

describe("a token endpoint", () => {
  test("that refuses ends the call, without a word of the secret", async () => {
    const servers = await tokenServers(60, () => ({ error: "invalid_client", error_description: `not ${SECRET}` }));
    const { fail } = await source(servers);
    const error = await fail("a");
    expect(error).toMatchObject({ category: "authentication", details: { status: 400, error: "invalid_client" } });
    expect(servers.api.arrived).toEqual([]);
    expectNoSecret(error, SECRET);
    await fail("a");
    expect(servers.endpoint.arrived).toHaveLength(2);
  });

  test("that is down makes the call fail, without a word of the secret", async () => {
    const servers = await tokenServers();
    const down = await rawServer((socket) => socket.destroy());
    const { fail } = await source(servers, { tokenUrl: down.url }, { retries: 0 });
    const error = await fail("a");
    expect(error.category).toBe("unavailable");
    expectNoSecret(error, SECRET);
  });

  test("that is silent is waited for as long as the caller waits", async () => {
    const servers = await tokenServers();
    const silent = await rawServer(() => {});
    const { fail } = await source(servers, { tokenUrl: silent.url });
    expect((await fail("a", {}, { deadline: Date.now() + 30 })).category).toBe("timeout");
    const controller = new AbortController();
    const work = fail("a", {}, { signal: controller.signal });
    controller.abort();
    expect((await work).category).toBe("aborted");
  });

  test("is not followed elsewhere", async () => {
    const servers = await tokenServers();
    const redirecting = await httpServer((_, response) => {
      response.writeHead(307, { location: `${servers.endpoint.url}/token` }).end();
    });
    const { fail } = await source(servers, { tokenUrl: redirecting.url });
    expect((await fail("a")).category).toBe("authentication");
    expect(servers.endpoint.arrived).toEqual([]);
  });
});
