import { describe, expect, test } from "vitest";
import { isPlain, soundsSecret } from "./secret-words.js";
import { secretsIn } from "./source-secrets.js";

const secretsOf = (source: object) => secretsIn({ sources: { a: source } });

describe("the secrets of a configuration", () => {
  test.each([
    [{ mcp: "https://a.b", headers: { Authorization: "Bearer abc123" } }, ["abc123", "Bearer abc123"]],
    [{ mcp: "https://a.b", headers: { accept: "application/json", "x-version": "2024-01-01" } }, []],
    [{ mcp: "https://a.b", headers: { "x-key": "k1-k2-k3x" } }, ["k1-k2-k3x"]],
    [{ mcp: "https://a.b", token: "abcdef" }, ["abcdef"]],
    [{ mcp: ["a"], env: { GITHUB_TOKEN: "word", LOG_LEVEL: "debug", DIR: "/srv/data", PORT: "8080" } }, ["word"]],
    [{ mcp: ["a"], env: { SETUP: "xK93jdk20smLw" } }, ["xK93jdk20smLw"]],
    [{ mcp: ["a"], env: { PASSWORD: "abc", SECRET: "true" } }, []],
    [{ mcp: ["a", "--api-key", "abcd", "--verbose", "--token=efgh", "-e", "API_KEY=ijkl"] }, ["abcd", "efgh", "ijkl"]],
    [{ mcp: ["a", "--header", "Authorization: Bearer abcd"] }, ["abcd", "Bearer abcd"]],
    [{ mcp: ["a", "postgres://ada:pa55@db/x"] }, ["pa55"]],
    [
      { openapi: "a.yaml", credentials: { key: "abcd", login: { username: "adam", password: "efgh" } } },
      ["abcd", "efgh"],
    ],
    [{ openapi: "a.yaml", credentials: { o: { clientId: "shop", clientSecret: "abcd" } } }, ["abcd"]],
    [{ openapi: "https://a.b/c?token=abcd&page=next" }, ["abcd"]],
    [{ nats: "nats://ada:p%40ss@a, nats://tokn@b" }, ["p@ss", "tokn"]],
    [{ nats: ["nats://a"], user: "adam", password: "abcd", sign: "efgh", token: "ijkl" }, ["ijkl", "abcd", "efgh"]],
    [{ nats: "a", credentials: "./ada.creds", nkey: "./ada.nk", signingKey: { id: "k", privateKey: "./k.pem" } }, []],
  ])("of %j are %j", (source, secrets) => {
    expect(secretsOf(source)).toEqual(secrets);
  });

  test("have the password inside a Basic header", () => {
    const header = `Basic ${Buffer.from("ada:pass:word").toString("base64")}`;
    expect(secretsOf({ mcp: "https://a.b", headers: { authorization: header } })).toContain("pass:word");
  });

  test("have those of a worker", () => {
    const trust = { secret: "abcd", previous: ["efgh"], keys: { k: "./k.pem" } };
    const nats = { url: "nats://ada:ijkl@a", token: "mnop", nkey: `SU${"A".repeat(56)}`, trust };
    const secrets = secretsIn({ servers: { nats } });
    expect(new Set(secrets)).toEqual(new Set(["abcd", "efgh", "ijkl", "mnop", nats.nkey]));
  });

  test("have the tokens of callers", () => {
    expect(secretsIn({ servers: { auth: { tokens: { ada: { token: "abcd" } } } } })).toEqual(["abcd"]);
  });
});

test.each(["token", "GITHUB_TOKEN", "apiKey", "X-Api-Key", "api_key", "password", "clientSecret", "Set-Cookie", "PAT"])(
  "%s sounds like a secret",
  (name) => {
    expect(soundsSecret(name)).toBe(true);
  },
);

test.each([
  "nextPageToken",
  "max_tokens",
  "inputTokens",
  "progressToken",
  "keyboard",
  "author",
  "path",
  "monkey",
  "compat",
])("%s does not", (name) => {
  expect(soundsSecret(name)).toBe(false);
});

test.each([
  "debug",
  "us-east-1",
  "8080",
  "/home/ada",
  "https://a.b/c",
  "application/json; charset=utf-8",
  "en_US.UTF-8",
])("%s is an everyday text", (text) => {
  expect(isPlain(text)).toBe(true);
});

test.each([
  "ghp_16C7e42F292c6912E7",
  "hunter2",
  "postgres://a:b@c",
  "xoxb-123456789012-abc",
  "abcdefghijklmnopqrstuvwxyz",
])("%s is not", (text) => {
  expect(isPlain(text)).toBe(false);
});
