import { describe, expect, test } from "vitest";
import type { CallError } from "../../envelope/call-error.js";
import { readConfig } from "./read-config.js";
import { variable } from "./schema-words.js";

const env = { TOKEN: "s3cr3t-99", PORT: "8080", YES: "true", HOME: "/home/ada" };

const read = (config: unknown, file = "/project/plico.json") =>
  readConfig({ text: typeof config === "string" ? config : JSON.stringify(config), file, cwd: "/project", env });

const refusal = async (config: unknown, file?: string): Promise<CallError> =>
  read(config, file).then(
    () => Promise.reject(new Error("it was accepted")),
    (thrown: CallError) => thrown,
  );

const faultyPaths = async (config: unknown): Promise<string[]> => {
  const { code, category, issues = [] } = await refusal(config);
  expect({ code, category }).toEqual({ code: "CONFIG_INVALID", category: "validation" });
  return issues.map(({ path }) => path);
};

const source = (config: object) => ({ sources: { a: config } });
const http = (config: object) => ({ sources: {}, servers: { http: config } });
const auth = (tokens: object, stdio?: string) => ({ sources: {}, servers: { auth: { tokens, stdio } } });

describe("a configuration", () => {
  test("is what the file says, with its variables filled in", async () => {
    const loaded = await read({
      $schema: "./x.json",
      sources: { a: { mcp: "https://example.com/mcp", headers: { authorization: `Bearer ${variable("TOKEN")}` } } },
      servers: { http: { port: variable("PORT"), operations: variable("YES") } },
    });
    expect(loaded).toEqual({
      config: {
        $schema: "./x.json",
        sources: { a: { mcp: "https://example.com/mcp", headers: { authorization: "Bearer s3cr3t-99" } } },
        servers: { http: { port: 8080, operations: true } },
      },
      file: "/project/plico.json",
      folder: "/project",
      secrets: ["s3cr3t-99", "Bearer s3cr3t-99"],
      notes: [],
    });
  });

  test.each([
    ["an option that is not there", source({ module: "./a.ts", tiemout: 1 }), "/sources/a/tiemout"],
    ["an option of another kind", source({ module: "./a.ts", headers: {} }), "/sources/a/headers"],
    ["a source without a kind", source({ timeout: 1 }), "/sources/a"],
    ["a source of two kinds", source({ mcp: ["a"], module: "b" }), "/sources/a"],
    ["a source that is none", { sources: { a: "./a.ts" } }, "/sources/a"],
    ["a shell string", source({ mcp: "npx -y server" }), "/sources/a/mcp"],
    ["a shell string of a script", source({ script: "node a.js" }), "/sources/a/script"],
    ["a shell string in a list", source({ script: ["node a.js"] }), "/sources/a/script/0"],
    ["a list without a program", source({ mcp: [] }), "/sources/a/mcp"],
    ["a program without a name", source({ mcp: ["", "x"] }), "/sources/a/mcp/0"],
    ["a broken address", source({ mcp: "https://" }), "/sources/a/mcp"],
    ["headers for a program", source({ mcp: ["a"], headers: {} }), "/sources/a/headers"],
    ["a token for a program", source({ mcp: ["a"], token: "x" }), "/sources/a/token"],
    ["a folder for an address", source({ mcp: "https://a.b/c", cwd: "." }), "/sources/a/cwd"],
    ["a value of the wrong type", source({ module: "./a.ts", timeout: "5s" }), "/sources/a/timeout"],
    ["a name that is no namespace", { sources: { "a b": { module: "./a.ts" } } }, "/sources/a b"],
    ["a name that objects have", { sources: { constructor: { module: "./a.ts" } } }, "/sources/constructor"],
    ["no sources at all", { log: {} }, "/sources"],
    ["a section that is not there", { sources: {}, logs: {} }, "/logs"],
    ["a host for others without their names", http({ host: "0.0.0.0" }), "/servers/http/host"],
    [
      "credentials for all origins",
      http({ cors: { origins: "*", credentials: true } }),
      "/servers/http/cors/credentials",
    ],
    ["two tokens alike", auth({ a: { token: "abcd" }, b: { token: "abcd" } }), "/servers/auth/tokens/b/token"],
    ["a caller who is not there", auth({ ada: { token: "abcd" } }, "eve"), "/servers/auth/stdio"],
    [
      "a setting that is not set",
      { ...source({ module: "./a.ts" }), log: { audit: variable("NOBODY") } },
      "/log/audit",
    ],
    ["an address of NATS that is none", source({ nats: "http://a" }), "/sources/a/nats"],
    ["one of several that is none", source({ nats: ["nats://a", "ws://b"] }), "/sources/a/nats"],
    ["two ways into NATS", source({ nats: "a", user: "u", password: "pass", token: "tokn" }), "/sources/a/token"],
    ["a user of NATS without a password", source({ nats: "a", user: "u" }), "/sources/a/user"],
    ["a certificate without its key", source({ nats: "a", tls: { cert: "c" } }), "/sources/a/tls/cert"],
    ["a caller that is no word", source({ nats: "a", caller: "a.b" }), "/sources/a/caller"],
    ["a secret that can be guessed", source({ nats: "a", sign: "short" }), "/sources/a/sign"],
    [
      "two ways to sign",
      source({ nats: "a", sign: "0123456789abcdef", signingKey: { id: "k", privateKey: "k.pem" } }),
      "/sources/a/signingKey",
    ],
    ["subjects that are none", { sources: {}, servers: { nats: { prefix: "a..b" } } }, "/servers/nats/prefix"],
    [
      "old secrets without a new one",
      { sources: {}, servers: { nats: { trust: { previous: ["0123456789abcdef"] } } } },
      "/servers/nats/trust/previous",
    ],
    ["a variable that is none", source({ module: variable("not a name") }), "/sources/a/module"],
  ])("must not have %s", async (_, config, path) => {
    expect(await faultyPaths(config)).toEqual([path]);
  });

  test.each([
    { mcp: variable("NOBODY") },
    { module: variable("NOBODY") },
    { openapi: "a", retries: variable("NOBODY") },
    { nats: ["nats://a", `nats://${variable("NOBODY")}:4222`] },
  ])("has a source that cannot be used where its variable is not set, and others that can: %j", async (lacking) => {
    const { unusable, config } = await read({ sources: { a: lacking, b: { module: "./b.ts" } } });
    expect(Object.keys(config.sources)).toEqual(["a", "b"]);
    expect(unusable).toMatchObject({ a: { code: "CONFIG_INVALID", message: expect.stringContaining("NOBODY") } });
    expect(Object.keys(unusable ?? {})).toEqual(["a"]);
  });

  test("tells all of its faults at once, in the order of the file, with their lines", async () => {
    const { message, issues } = await refusal(
      '{\n  "sources": {\n    "a": { "tiemout": 1, "module": "./a.ts" },\n    "b": {}\n  },\n  "prot": 1\n}',
    );
    expect(issues?.map(({ path }) => path)).toEqual(["/sources/a/tiemout", "/sources/b", "/prot"]);
    expect([...message.matchAll(/plico\.json:(\d+:\d+)/g)].map(([, place]) => place)).toEqual(["3:12", "4:5", "6:3"]);
  });

  test.each([
    ["tiemout", "timeout"],
    ["Timeout", "timeout"],
    ["pre_fix", "prefix"],
  ])("with %s is asked whether %s was meant", async (written, meant) => {
    expect((await refusal(source({ module: "./a.ts", [written]: "x" }))).message).toContain(`did you mean ${meant}?`);
  });

  test("gives a shell string back as the list that it must be", async () => {
    expect((await refusal(source({ mcp: "npx -y 'my server'" }))).message).toContain('["npx", "-y", "my server"]');
  });

  test("never shows the value of a secret", async () => {
    const { message, issues } = await refusal({
      sources: {
        a: { mcp: "https://a.b/c", headers: { "x-key": 987654321 }, era: "s3cr3t-98", token: "s3cr3t-98" },
        b: { mcp: ["a"], env: { PASSWORD: ["hunter22"] }, output: "hunter22" },
        d: { mcp: "npx server --token s3cr3t-99" },
        e: { script: ["node a.js --api-key=s3cr3t-99"] },
        c: { openapi: "./a.yaml", credentials: { key: 987654321 } },
      },
      servers: { auth: { tokens: { ada: { token: 987654321 } } } },
    });
    const told = message + JSON.stringify(issues);
    expect(told).not.toContain("987654321");
    expect(told).not.toContain("s3cr3t");
  });

  test("that is no JSON does not repeat what has no quotes", async () => {
    expect((await refusal('{ "token": s3cr3t_99 }')).message).not.toContain("s3cr3t");
  });

  test("needs no variables of a source that is left out", async () => {
    const { config } = await read(source({ module: variable("NOBODY"), disabled: true }));
    expect(config.sources["a"]).toMatchObject({ disabled: true });
  });

  test("may have a variable in the place of a number only where it is one", async () => {
    expect(await faultyPaths(http({ port: variable("HOME") }))).toEqual(["/servers/http/port"]);
  });

  test.each(["", "[]", "3", '{ "sources": {} ', "{ 'a': 1 }", '{ "a": 1, "a": 2 }'])(
    "is an object of JSON, and not %s",
    async (text) => {
      expect((await refusal(text)).code).toBe("CONFIG_INVALID");
    },
  );

  test("may have servers as other programs write them, beside its own sources", async () => {
    const { config, notes } = await read({
      sources: { a: { module: "./a.ts" } },
      mcpServers: { "My Server": { command: "npx", args: ["x", variable("TOKEN")] } },
    });
    expect(config.sources).toEqual({ a: { module: "./a.ts" }, My_Server: { mcp: ["npx", "x", "s3cr3t-99"] } });
    expect(config).not.toHaveProperty("mcpServers");
    expect(notes).toHaveLength(1);
  });

  test.each([
    ["no source", { sources: {} }],
    [
      "a door that is open to all",
      { ...source({ module: "./a.ts" }), servers: { http: { host: "::", allowedHosts: ["a"] } } },
    ],
    [
      "a token that is short",
      { ...source({ module: "./a.ts" }), servers: { auth: { tokens: { ada: { token: "abcd" } } } } },
    ],
  ])("may have %s, with a note", async (_, config) => {
    expect((await read(config)).notes).toHaveLength(1);
  });

  test("must not have a source and a server of one name", async () => {
    const config = { sources: { a: { module: "./a.ts" } }, mcpServers: { a: { command: "npx" } } };
    expect(await faultyPaths(config)).toEqual(["/mcpServers/a"]);
  });
});
