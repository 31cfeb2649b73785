import { describe, expect, test } from "vitest";
import type { SourceConfig } from "../config/config.js";
import { fittingOf, sourceOptionsOf } from "./source-options.js";

const AROUND = {
  namespace: "n",
  prefix: "p_",
  include: ["*"],
  scopes: ["s"],
  input: "off",
  output: "strict",
  timeout: 5,
  budget: 10,
  retries: 1,
  concurrency: 2,
  maxQueue: 3,
  breaker: false,
  disabled: false,
} as const;

const optionsOf = (config: SourceConfig, stays = true): unknown =>
  sourceOptionsOf({ name: "far", config, folder: "/conf", stays }).options;

describe("what a source itself is told", () => {
  test.each<[string, SourceConfig, object]>([
    ["a command", { mcp: ["npx", "x"] }, { command: ["npx", "x"], cwd: "/conf" }],
    ["a program", { mcp: "./server", cwd: "sub" }, { command: ["./server"], cwd: "/conf/sub" }],
    ["an address", { mcp: "https://a.example/mcp", era: "modern" }, { url: "https://a.example/mcp", era: "modern" }],
    ["a document", { openapi: "./a.json" }, { file: "/conf/a.json" }],
    ["a document elsewhere", { openapi: "HTTP://a.example/a.json" }, { url: "HTTP://a.example/a.json" }],
    ["a script", { script: "./a.sh", cwd: "/abs" }, { path: "/conf/a.sh", cwd: "/abs" }],
    ["a script with arguments", { script: ["node", "a.js"] }, { command: ["node", "a.js"], cwd: "/conf" }],
    ["a module", { module: "./a.ts" }, { module: "./a.ts", cwd: "/conf", watch: true }],
    ["a module that is not watched", { module: "m", watch: false }, { module: "m", cwd: "/conf", watch: false }],
    ["a fleet", { nats: "a, b", caller: "ada" }, { servers: ["a", "b"], caller: "ada", folder: "/conf" }],
  ])("%s", (_, config, options) => {
    expect(optionsOf(config)).toEqual({ name: "far", ...options });
  });

  test("no module is watched by a gateway that does not stay", () => {
    expect(optionsOf({ module: "./a.ts", watch: true }, false)).toMatchObject({ watch: false });
  });

  test.each<[SourceConfig, object]>([
    [{ mcp: ["x"] }, { timeout: 5 }],
    [{ openapi: "x" }, { timeout: 5, retries: 1 }],
    [{ script: ["x"] }, { timeout: 5, concurrency: 2, maxQueue: 3, input: "off", output: "strict" }],
    [{ module: "x" }, {}],
    [{ nats: "x" }, { retries: 1 }],
  ])("of what is said of any source, %j does itself what it can", (config, own) => {
    const plain = optionsOf(config) as object;
    expect(optionsOf({ ...config, ...AROUND })).toEqual({ ...plain, ...own });
    const around = Object.keys(fittingOf({ ...config, ...AROUND }));
    expect(around.filter((name) => name in own)).toEqual([]);
    expect([...around, ...Object.keys(own), "budget", "disabled"].sort()).toEqual(Object.keys(AROUND).sort());
  });
});
