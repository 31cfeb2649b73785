import { describe, expect, test } from "vitest";
import type { SecurityScheme } from "../description.js";
import { type Credential, type Credentials, createCredentials } from "./credentials.js";
import { client, control, failureOf, get, httpServer, kindOf, tidyUpExchanges } from "./fixtures/exchange-servers.js";

tidyUpExchanges();

const NOTHING = { headers: {}, query: "", cookie: "" };

const SCHEMES: Readonly<Record<string, SecurityScheme>> = {
  bearer: { type: "bearer" },
  basic: { type: "basic" },
  header: { type: "apiKey", in: "header", name: "X-Api-Key" },
  query: { type: "apiKey", in: "query", name: "api key" },
  cookie: { type: "apiKey", in: "cookie", name: "sid" },
  oauth: { type: "oauth2", scopes: [] },
  oidc: { type: "other", name: "openIdConnect" },
  tls: { type: "other", name: "mutualTLS" },
  odd: { type: "apiKey", in: "header", name: "X Api: Key" },
};

function credentialsOf(credentials: Readonly<Record<string, Credential>>): Credentials {
  return createCredentials({ schemes: SCHEMES, credentials, documentUrl: undefined, client: client() });
}

describe("a credential", () => {
  const user = { username: "grün", password: "a:b" };
  test.each<[string, Credential, object]>([
    ["bearer", "t", { headers: { authorization: "Bearer t" } }],
    ["bearer", () => "t", { headers: { authorization: "Bearer t" } }],
    ["bearer", async () => "t", { headers: { authorization: "Bearer t" } }],
    ["oauth", "t", { headers: { authorization: "Bearer t" } }],
    ["oidc", "t", { headers: { authorization: "Bearer t" } }],
    ["basic", user, { headers: { authorization: `Basic ${Buffer.from("grün:a:b").toString("base64")}` } }],
    ["header", "k", { headers: { "x-api-key": "k" } }],
    ["query", "a&b=c d", { query: "api%20key=a%26b%3Dc%20d" }],
    ["cookie", "a=b;c d/%3A", { cookie: "sid=a=b%3Bc%20d/%3A" }],
  ])("of %s is sent as its scheme wants it", async (name, credential, secrets) => {
    const given = await credentialsOf({ [name]: credential }).for([{ [name]: [] }], control());
    expect(given).toEqual({ ...NOTHING, ...secrets });
  });

  test("arrives byte for byte where it is not ASCII", async () => {
    const server = await httpServer((_arrived, response) => response.end());
    const secrets = await credentialsOf({ header: "schlüssel" }).for([{ header: [] }], control());
    (await client().send(get(server.url, { method: "POST", body: "ü", secrets }), control())).discard();
    expect(Buffer.from(String(server.arrived[0]?.headers["x-api-key"]), "latin1").toString()).toBe("schlüssel");
  });

  test.each<[string, unknown]>([
    ["unknown", "t"],
    ["constructor", "t"],
    ["tls", "t"],
    ["odd", "t"],
    ["bearer", ""],
    ["bearer", undefined],
    ["bearer", { username: "a", password: "b" }],
    ["bearer", { clientId: "a", clientSecret: "b" }],
    ["basic", "user:s3cret"],
    ["basic", { username: "a:b", password: "s3cret" }],
    ["basic", { username: "a" }],
    ["header", { username: "a", password: "s3cret" }],
    ["oauth", { username: "a", password: "s3cret" }],
    ["oauth", { clientId: "a", clientSecret: "s3cret" }],
    ["oauth", { clientId: "a", clientSecret: "s3cret", tokenUrl: "https://a.example", scopes: "not a list" }],
    ["oauth", { clientId: "a", clientSecret: "s3cret", tokenUrl: "ftp://a.example" }],
    ["oauth", 7],
  ])("for %s that is %j is refused at once", async (name, credential) => {
    const error = await failureOf((async () => credentialsOf({ [name]: credential as Credential }))());
    expect(error.category).toBe("validation");
    expect(error.message).not.toContain("s3cret");
  });

  test("for a scheme that the document does not have is refused with those that it has", async () => {
    const error = await failureOf((async () => credentialsOf({ bearr: "t" }))());
    for (const name of Object.keys(SCHEMES)) expect(error.message).toContain(name);
  });

  test.each(["a\r\nx-evil: 1", "a\n", "a\0b"])("of %j ends no header, and is not shown", async (token) => {
    const error = await failureOf(credentialsOf({ bearer: token }).for([{ bearer: [] }], control()));
    expect(error.category).toBe("authentication");
    expect(error.message).not.toContain("evil");
  });

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("locked");
      },
    ],
    ["rejects", () => Promise.reject(new Error("locked"))],
    ["gives nothing", () => undefined],
    ["gives an empty text", () => ""],
  ])("whose function %s fails as a sign-in does", async (_what, give) => {
    const credentials = credentialsOf({ bearer: give as () => string });
    expect(await kindOf(credentials.for([{ bearer: [] }], control()))).toBe("authentication ACCESS_DENIED");
  });

  test("whose function hangs ends with the call", async () => {
    const credentials = credentialsOf({ bearer: () => new Promise<string>(() => {}) });
    const given = control({ deadline: Date.now() + 30 });
    expect(await kindOf(credentials.for([{ bearer: [] }], given))).toBe("timeout TIMEOUT");
    const other = control();
    const asked = kindOf(credentials.for([{ bearer: [] }], other));
    other.end();
    expect(await asked).toBe("aborted ABORTED");
    expect([given.listeners.size, other.listeners.size]).toEqual([0, 0]);
  });

  test("is asked for each time", async () => {
    let count = 0;
    const credentials = credentialsOf({ bearer: () => `t${++count}` });
    await credentials.for([{ bearer: [] }], control());
    const second = await credentials.for([{ bearer: [] }], control());
    expect(second.headers).toEqual({ authorization: "Bearer t2" });
  });
});

describe("a requirement", () => {
  const all = credentialsOfLater({ bearer: "t", header: "k", query: "q", cookie: "c" });

  test.each([
    ["none", [], NOTHING],
    ["nobody", [{}], NOTHING],
    ["the first", [{ bearer: [] }, { header: [] }], { ...NOTHING, headers: { authorization: "Bearer t" } }],
    ["the first that is known", [{ basic: [] }, { header: [] }], { ...NOTHING, headers: { "x-api-key": "k" } }],
    ["only whole ones", [{ basic: [], header: [] }, { query: [] }], { ...NOTHING, query: "api%20key=q" }],
    ["somebody rather than nobody", [{}, { cookie: [] }], { ...NOTHING, cookie: "sid=c" }],
    ["nobody, where nothing fits", [{ basic: [] }, {}], NOTHING],
    ["nothing fits", [{ basic: [] }, { unheard: [] }], NOTHING],
    [
      "all of one",
      [{ bearer: [], header: [], query: [], cookie: [] }],
      { headers: { authorization: "Bearer t", "x-api-key": "k" }, query: "api%20key=q", cookie: "sid=c" },
    ],
  ])("is met: %s", async (_what, requirements, secrets) => {
    expect(await all().for(requirements, control())).toEqual(secrets);
  });

  test("that is refused has nothing new to show but by OAuth", () => {
    expect(all().refused([{ bearer: [] }])).toBe(false);
    expect(all().refused([])).toBe(false);
  });

  function credentialsOfLater(given: Readonly<Record<string, Credential>>): () => Credentials {
    return () => credentialsOf(given);
  }
});
