import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { adHocConfig } from "./ad-hoc-config.js";
import { shellWord, splitCommandLine } from "./command-line.js";
import { variable } from "./schema-words.js";

const sourcesOf = (sources: Omit<Parameters<typeof adHocConfig>[0], "cwd">) =>
  adHocConfig({ ...sources, cwd: "/work/shop" }).config.sources;

describe("sources of the command line", () => {
  test.each([
    ["npx -y @modelcontextprotocol/server-filesystem@1.2.3 .", "filesystem"],
    ["uvx mcp-server-git", "git"],
    ["node ./tools/srv.mjs --fast", "srv"],
    ["docker run -i ghcr.io/github/github-mcp-server", "github"],
    ["/opt/bin/weather", "weather"],
    ["node node_modules/@modelcontextprotocol/server-everything/dist/index.js stdio", "everything"],
    ["node index.js", "index"],
    ["https://mcp.linear.app/sse", "linear"],
    ["http://127.0.0.1:3000/mcp", "remote"],
  ])("--mcp %j is called %s", (text, name) => {
    expect(Object.keys(sourcesOf({ mcp: [text] }))).toEqual([name]);
  });

  test.each([
    ["openapi", "./petstore.yaml", "petstore"],
    ["openapi", "pet-store.openapi.json", "pet-store"],
    ["openapi", "openapi.json", "shop"],
    ["openapi", "https://api.github.com/openapi.json", "github"],
    ["script", "./triage.js", "triage"],
    ["script", ".", "shop"],
    ["module", "./math.ts", "math"],
    ["module", "@x/ops", "ops"],
  ])("--%s %s is called %s and stays as it is", (kind, text, name) => {
    expect(sourcesOf({ [kind]: [text] })).toEqual({ [name]: { [kind]: text } });
  });

  test("may be modules whose path has no dot before it", () => {
    const cwd = dirname(fileURLToPath(import.meta.url));
    expect(adHocConfig({ module: ["jsonc.ts"], cwd }).config.sources).toEqual({
      jsonc: { module: join(cwd, "jsonc.ts") },
    });
  });

  test("may be fleets on NATS, which are called so", () => {
    expect(sourcesOf({ nats: ["nats://a, b:4333"] })).toEqual({ fleet: { nats: ["nats://a", "b:4333"] } });
    const { secrets } = adHocConfig({ nats: ["nats://ada:pass9word@a"], cwd: "/work" });
    expect(secrets).toEqual(["pass9word"]);
  });

  test("have names of their own", () => {
    expect(Object.keys(sourcesOf({ module: ["a/x.ts", "b/x.ts"], openapi: ["x.json"] }))).toEqual(["x", "x_2", "x_3"]);
  });

  test("start where the command was called, and keep their secrets", () => {
    const loaded = adHocConfig({ mcp: ["https://ada:pass9word@a.b/mcp?api_key=k3y-1"], cwd: "/work" });
    expect(loaded).toMatchObject({ folder: "/work", file: undefined, secrets: ["pass9word", "k3y-1"] });
  });

  test.each([{ mcp: ["  "] }, { mcp: ['npx "a'] }, { mcp: ["https://"] }, { module: [""] }, { nats: ["https://a"] }])(
    "must name something: %j",
    (sources) => {
      expect(() => sourcesOf(sources)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    },
  );
});

test.each([
  ["a  b\tc", ["a", "b", "c"]],
  [`a "b c" 'd "e' f"g"`, ["a", "b c", 'd "e', "fg"]],
  ['a "" b', ["a", "", "b"]],
  ['a\\ b \\"c C:\\dir\\x', ["a b", '"c', "C:\\dir\\x"]],
  ['"say \\"hi\\" \\n"', ['say "hi" \\n']],
  [`$HOME * ${variable("X")}`, ["$HOME", "*", variable("X")]],
  ["", []],
  ["a 'b", undefined],
])("the words of %j are %j", (line, words) => {
  expect(splitCommandLine(line)).toEqual(words);
});

test.each(["plain-word", "", "two words", "it's", '"', "$HOME", "a;b", "https://a.b/?c=d&e"])(
  "%j is one word of a shell",
  (word) => {
    expect(splitCommandLine(shellWord(word))).toEqual([word]);
    expect(execFileSync("sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" })).toBe(word);
  },
);
