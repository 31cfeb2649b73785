import { describe, expect, test, vi } from "vitest";
import { type ClientCredentials, createTokens, type Tokens, tokenUrlOf } from "./client-credentials.js";
import { createCredentials } from "./credentials.js";
import {
  type Arrived,
  client,
  control,
  failureOf,
  type HttpTestServer,
  httpServer,
  kindOf,
  tidyUpExchanges,
} from "./fixtures/exchange-servers.js";

tidyUpExchanges();

const CREDENTIAL: ClientCredentials = { clientId: "my client:1", clientSecret: "s3cret&ü" };

/** Gives the tokens `t1`, `t2` and so on. */
function tokenServer(answer: (arrived: Arrived, count: number) => Reply = () => ({})): Promise<HttpTestServer> {
  let count = 0;
  return httpServer((arrived, response) => {
    count += 1;
    const {
      status = 200,
      headers = {},
      body = { access_token: `t${count}`, token_type: "Bearer", expires_in: 3600 },
    } = answer(arrived, count);
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
}

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

function tokensOf(server: HttpTestServer, more: Partial<ClientCredentials> = {}): Tokens {
  const credential = { ...CREDENTIAL, ...more };
  return createTokens({ name: "oauth", client: client(), credential, tokenUrl: `${server.url}/token` });
}

describe("a token", () => {
  test("is asked for as RFC 6749 says, with the client in the header", async () => {
    const server = await tokenServer();
    expect(await tokensOf(server).get(["read", "write"], control())).toBe("t1");
    const [asked] = server.arrived;
    expect(asked).toMatchObject({ method: "POST", path: "/token" });
    expect(asked?.headers).toMatchObject({
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
      authorization: `Basic ${Buffer.from("my+client%3A1:s3cret%26%C3%BC").toString("base64")}`,
    });
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      grant_type: "client_credentials",
      scope: "read write",
    });
  });

  test("is asked for with the client in the body where that is wanted", async () => {
    const server = await tokenServer();
    await tokensOf(server, { style: "body", scopes: [] }).get(["read"], control());
    expect(server.arrived[0]?.headers.authorization).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(server.arrived[0]?.body))).toEqual({
      grant_type: "client_credentials",
      client_id: CREDENTIAL.clientId,
      client_secret: CREDENTIAL.clientSecret,
    });
  });

  test("is kept for the same scopes, in any order", async () => {
    const server = await tokenServer();
    const tokens = tokensOf(server);
    expect(await tokens.get(["a", "b"], control())).toBe("t1");
    expect(await tokens.get(["b", "a"], control())).toBe("t1");
    expect(await tokens.get(["a"], control())).toBe("t2");
  });

  test("has the scopes of the option, whatever is needed", async () => {
    const server = await tokenServer();
    const tokens = tokensOf(server, { scopes: ["all"] });
    await tokens.get(["a"], control());
    await tokens.get(["b"], control());
    expect(server.arrived.map(({ body }) => new URLSearchParams(body).get("scope"))).toEqual(["all"]);
  });

  test.each([
    [3600, 3569, 3571],
    ["3600", 3569, 3571],
    [40, 19, 21],
    [undefined, 269, 271],
    ["soon", 269, 271],
    [-1, 269, 271],
  ])("that lives for %j seconds is used for no longer than %i", async (life, before, after) => {
    const server = await tokenServer((_arrived, count) => ({ body: { access_token: `t${count}`, expires_in: life } }));
    const tokens = tokensOf(server);
    await tokens.get([], control());
    const now = performance.now();
    const clock = vi.spyOn(performance, "now");
    clock.mockReturnValue(now + before * 1000 - 500);
    expect(await tokens.get([], control())).toBe("t1");
    clock.mockReturnValue(now + after * 1000);
    const renewed = tokens.get([], control());
    clock.mockRestore();
    expect(await renewed).toBe("t2");
  });

  test("is asked for once, however many wait for it", async () => {
    const server = await tokenServer();
    const tokens = tokensOf(server);
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.get([], control())));
    expect(new Set(all)).toEqual(new Set(["t1"]));
    expect(server.arrived).toHaveLength(1);
  });

  test("comes also where the first who asked gives up", async () => {
    const server = await tokenServer();
    const tokens = tokensOf(server);
    const first = control();
    const given = kindOf(tokens.get([], first));
    const second = tokens.get([], control());
    first.end();
    expect(await given).toBe("aborted ABORTED");
    expect(await second).toBe("t1");
  });

  test("that is refused is replaced, but not one that came in the meantime", async () => {
    const server = await tokenServer();
    const tokens = tokensOf(server);
    await tokens.get([], control());
    expect(tokens.refused([], "t1")).toBe(true);
    expect(await tokens.get([], control())).toBe("t2");
    expect(tokens.refused([], "t1")).toBe(true);
    expect(await tokens.get([], control())).toBe("t2");
    tokens.refused([], undefined);
    expect(await tokens.get([], control())).toBe("t3");
  });
});

describe("a token endpoint that", () => {
  test.each<[string, Reply, boolean]>([
    [
      "knows the client not",
      { status: 401, body: { error: "invalid_client", error_description: "no s3cret&ü here" } },
      false,
    ],
    ["says so with 200", { status: 200, body: { error: "invalid_scope" } }, false],
    ["gives no token", { body: {} }, false],
    ["gives an empty one", { body: { access_token: "" } }, false],
    ["gives a number", { body: { access_token: 7 } }, false],
    ["gives one of another type", { body: { access_token: "t0ken", token_type: "mac" } }, false],
    ["answers in HTML", { body: "<html>" }, false],
    ["answers with nothing", { status: 204, body: "" }, false],
    ["is ill", { status: 503, headers: { "retry-after": "3" } }, true],
    ["has too much to do", { status: 429 }, true],
    ["sends elsewhere", { status: 307, headers: { location: "/other" } }, false],
  ])("%s fails the call, and no secret is shown", async (_what, reply, recoverable) => {
    const server = await tokenServer(() => reply);
    const error = await failureOf(tokensOf(server).get([], control()));
    expect(error).toMatchObject({ category: "authentication", recoverable });
    expect(JSON.stringify([error, error.message])).not.toMatch(/s3cret|t0ken/);
    expect(server.arrived).toHaveLength(1);
  });

  test("is asked again after a failure", async () => {
    const server = await tokenServer((_arrived, count) => (count === 1 ? { status: 500 } : {}));
    const tokens = tokensOf(server);
    expect(await kindOf(tokens.get([], control()))).toBe("authentication ACCESS_DENIED");
    expect(await tokens.get([], control())).toBe("t2");
  });

  test("is silent ends with the time-out, and with the call", async () => {
    const server = await httpServer(() => {});
    const tokens = tokensOf(server);
    const given = control({ timeout: 300, deadline: Date.now() + 30 });
    const both = [kindOf(tokens.get([], given)), kindOf(tokens.get([], control()))];
    expect(await Promise.all(both)).toEqual(["timeout TIMEOUT", "timeout TIMEOUT"]);
    expect(server.arrived).toHaveLength(1);
  });

  test("is not there is unavailable", async () => {
    const server = await tokenServer();
    const credential = CREDENTIAL;
    const tokens = createTokens({ name: "oauth", client: client(), credential, tokenUrl: "http://127.0.0.1:1/" });
    expect(server.connections).toBe(0);
    expect(await kindOf(tokens.get([], control()))).toBe("unavailable UNAVAILABLE");
  });
});

describe("the address of a token endpoint", () => {
  test.each<[Partial<ClientCredentials>, string | undefined, string | undefined, string]>([
    [{}, "https://login.example/token", undefined, "https://login.example/token"],
    [{}, "/token", "https://api.example/v1/openapi.json", "https://api.example/token"],
    [{}, "http://localhost:3000/token", undefined, "http://localhost:3000/token"],
    [{ tokenUrl: "https://mine.example/t#x" }, "https://login.example/token", undefined, "https://mine.example/t"],
    [{ tokenUrl: "http://mine.example/t" }, undefined, undefined, "http://mine.example/t"],
  ])("is that of %j, %j and %j", (more, described, documentUrl, url) => {
    expect(tokenUrlOf("oauth", { ...CREDENTIAL, ...more }, { described, documentUrl })).toBe(url);
  });

  test.each<[string | undefined, string | undefined]>([
    [undefined, undefined],
    ["/token", undefined],
    ["/token", "file:///openapi.json"],
    ["http://login.example/token", undefined],
    ["/token", "http://api.example/openapi.json"],
    ["ftp://login.example/", undefined],
  ])("is not %j from %j", (described, documentUrl) => {
    const address = { described, documentUrl };
    expect(() => tokenUrlOf("oauth", CREDENTIAL, address)).toThrow(expect.objectContaining({ category: "validation" }));
  });
});

test("credentials of a client are sent as the bearer token that they get", async () => {
  const server = await tokenServer();
  const credentials = createCredentials({
    schemes: { oauth: { type: "oauth2", tokenUrl: "/token", scopes: ["read"] } },
    credentials: { oauth: CREDENTIAL },
    documentUrl: `${server.url}/openapi.json`,
    client: client(),
  });
  const requirements = [{ oauth: ["read"] }];
  const used = await credentials.for(requirements, control());
  expect(used.headers).toEqual({ authorization: "Bearer t1" });
  expect(credentials.refused(requirements, used)).toBe(true);
  const next = await credentials.for(requirements, control());
  expect(next.headers).toEqual({ authorization: "Bearer t2" });
});
