import { describe, expect, test } from "vitest";
import { isCallError } from "../../envelope/call-error.js";
import { thrownBy } from "../../registry/fixtures/operations.js";
import { type McpSourceOptions, settingsOf } from "./options.js";

const CHILD = { name: "files", command: ["node", "server.js"] };
const HTTP = { name: "files", url: "http://127.0.0.1:1/mcp" };

/** What a caller in JavaScript may pass. */
function refused(options: unknown): unknown {
  return thrownBy(() => settingsOf(options as McpSourceOptions));
}

describe("settingsOf", () => {
  test("fills in what was left out, and keeps what was said", () => {
    expect(settingsOf(CHILD)).toMatchObject({
      ...CHILD,
      era: "auto",
      timeout: 60_000,
      startTimeout: 60_000,
      maxMessageLength: 33_554_432,
      graceMs: 2_000,
    });
    expect(settingsOf({ ...HTTP, timeout: 0, era: "modern" })).toMatchObject({ ...HTTP, timeout: 0, era: "modern" });
  });

  test("takes an option that is undefined for one that was left out", () => {
    const options = { ...CHILD, timeout: undefined, era: undefined, startTimeout: undefined, clientInfo: undefined };
    const settings = settingsOf(options as unknown as McpSourceOptions);
    expect(settings).toMatchObject({ era: "auto", timeout: 60_000, startTimeout: 60_000 });
    expect(settings.clientInfo).toBeDefined();
  });

  test.each<[options: McpSourceOptions]>([
    [CHILD],
    [HTTP],
    [{ ...HTTP, url: "https://example.com" }],
    [{ ...HTTP, url: new URL("http://[::1]:80/mcp?a=b") }],
    [{ ...HTTP, token: "x" }],
    [{ ...HTTP, token: () => "x", headers: { "x-key": "1" } }],
    [{ ...CHILD, cwd: "/", env: { A: "" }, era: "legacy", graceMs: 0, timeout: Number.POSITIVE_INFINITY }],
    [{ ...CHILD, name: "a-b_1" }],
  ])("takes %j", (options) => {
    expect(refused(options)).toBeUndefined();
  });

  test.each<[what: string, options: unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "node server.js"],
    ["a list", []],
    ["no name", { command: ["node"] }],
    ["an empty name", { ...CHILD, name: "" }],
    ["a name that is a number", { ...CHILD, name: 7 }],
    ["a name that no registry takes as a namespace", { ...CHILD, name: "my server" }],
    ["a name with a dot", { ...CHILD, name: "a.b" }],
    ["a name that JavaScript uses itself", { ...CHILD, name: "constructor" }],
    ["a name that is too long", { ...CHILD, name: "a".repeat(65) }],
    ["neither a command nor a url", { name: "files" }],
    ["both a command and a url", { ...CHILD, ...HTTP }],
    ["a command as one text", { ...CHILD, command: "node server.js" }],
    ["an empty command", { ...CHILD, command: [] }],
    ["a command without a program", { ...CHILD, command: [""] }],
    ["a command with a number", { ...CHILD, command: ["sleep", 5] }],
    ["a url of another protocol", { ...HTTP, url: "file:///etc/passwd" }],
    ["a url without a protocol", { ...HTTP, url: "localhost:3000/mcp" }],
    ["a url that is none", { ...HTTP, url: "" }],
    ["a url that is a number", { ...HTTP, url: 80 }],
    ["a url that is null", { ...HTTP, url: null }],
    ["an era of the future", { ...CHILD, era: "future" }],
    ["an era that is null", { ...CHILD, era: null }],
    ["both a token and a provider", { ...HTTP, token: "x", authProvider: {} }],
    ["a token that is a number", { ...HTTP, token: 7 }],
    ["a negative time-out", { ...CHILD, timeout: -1 }],
    ["a time-out that is no number", { ...CHILD, timeout: "60s" }],
    ["a time-out that is NaN", { ...CHILD, startTimeout: Number.NaN }],
    ["a limit that is null", { ...CHILD, maxMessageLength: null }],
    ["a grace that is a text", { ...CHILD, graceMs: "2" }],
    ["variables that are no texts", { ...CHILD, env: { PORT: 80 } }],
    ["headers that are no texts", { ...HTTP, headers: { "x-a": 1 } }],
    ["a hook that is no function", { ...CHILD, onInputRequest: "ask" }],
    ["a policy that there is not", { ...CHILD, output: "loose" }],
    ["another policy that there is not", { ...CHILD, input: "normalise" }],
  ])("refuses %s, with words", (_, options) => {
    const thrown = refused(options);
    expect(isCallError(thrown)).toBe(true);
    expect(thrown).toMatchObject({ category: "validation" });
    expect((thrown as Error).message.length).toBeGreaterThan(20);
  });

  test("does not show a token or a password in what it says", () => {
    const secrets: unknown[] = [
      { ...HTTP, token: "s3cret", authProvider: {} },
      { name: "x", url: "ftp://user:s3cret@example.com" },
      { ...CHILD, env: { PASSWORD: ["s3cret"] } },
    ];
    for (const options of secrets)
      expect((refused(options) as Error | undefined)?.message ?? "").not.toContain("s3cret");
  });
});
