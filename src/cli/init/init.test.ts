import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../gateway/config/load-config.js";
import { variable } from "../../gateway/config/schema-words.js";
import { type CapturedOptions, runCaptured } from "../fixtures/run-captured.js";
import { findKnownFiles } from "./init-files.js";

let folder = "";
let home = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "plico-init-")));
  home = join(folder, "home");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const init = (argv: readonly string[] = [], options: CapturedOptions = {}) =>
  runCaptured(["init", ...argv], { cwd: join(folder, "shop"), env: { HOME: home }, ...options });

const target = () => join(folder, "shop", "plico.json");
const written = () => readFileSync(target(), "utf8");

function write(name: string, content: unknown): void {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

const APPS_BY_PLATFORM: Record<string, string> = {
  darwin: "home/Library/Application Support",
  win32: "home/AppData/Roaming",
};
const APPS = APPS_BY_PLATFORM[process.platform] ?? "home/.config";

async function sourcesWritten(env: Record<string, string> = {}) {
  const { config, notes } = await loadConfig({ cwd: join(folder, "shop"), env });
  expect(notes).toEqual([]);
  return config.sources;
}

describe("plico init", () => {
  beforeEach(() => mkdirSync(join(folder, "shop")));

  test("writes what the programs of project and user know, each server once", async () => {
    const files = { command: "npx", args: ["files", "."] };
    write("shop/.mcp.json", { mcpServers: { files } });
    write(
      "shop/.vscode/mcp.json",
      `{ // ours\n "servers": { "files": ${JSON.stringify(files)}, "My Server": { "url": "https://a.b/c" } }, }`,
    );
    write("home/.cursor/mcp.json", { mcpServers: { files: { command: "other" } } });
    write("home/.claude.json", { projects: { [join(folder, "shop")]: { mcpServers: { near: { command: "near" } } } } });
    expect(await init(["--yes"])).toMatchObject({ code: 0 });
    expect(await sourcesWritten()).toEqual({
      files: { mcp: ["npx", "files", "."] },
      My_Server: { mcp: "https://a.b/c" },
      near: { mcp: ["near"] },
      files_2: { mcp: ["other"] },
    });
    expect(JSON.parse(written())).toHaveProperty("$schema", "./node_modules/plico/plico.schema.json");
  });

  test("puts variables in the place of secrets, tells which, and shows none", async () => {
    write("shop/.mcp.json", {
      mcpServers: {
        github: {
          command: "npx",
          args: ["x", "--api-key", "s3cr3t-1"],
          env: { GITHUB_TOKEN: "s3cr3t-2", LEVEL: "debug" },
        },
        other: { command: "y", env: { GITHUB_TOKEN: "s3cr3t-3" } },
        remote: {
          url: "https://a.b/c?key=s3cr3t-4",
          headers: { Authorization: "Bearer s3cr3t-5", "X-Api-Key": "s3cr3t-6" },
        },
        given: { url: variable("env:GIVEN_URL") },
        asked: { command: "z", env: { KEY: variable("input:my-key"), HOME2: variable("env:HOME"), COST: "5$$" } },
      },
    });
    const { code, out, err } = await init(["--yes"]);
    expect(code).toBe(0);
    expect(out + err + written()).not.toContain("s3cr3t");
    const secrets = {
      GITHUB_API_KEY: "s3cr3t-1",
      GITHUB_TOKEN: "s3cr3t-2",
      OTHER_GITHUB_TOKEN: "s3cr3t-3",
      REMOTE_KEY: "s3cr3t-4",
      REMOTE_TOKEN: "s3cr3t-5",
      REMOTE_API_KEY: "s3cr3t-6",
      MY_KEY: "s3cr3t-7",
      GIVEN_URL: "https://given.example",
    };
    for (const name of Object.keys(secrets)) expect(out).toContain(name);
    expect(await sourcesWritten({ ...secrets, HOME: home })).toEqual({
      github: { mcp: ["npx", "x", "--api-key", "s3cr3t-1"], env: { GITHUB_TOKEN: "s3cr3t-2", LEVEL: "debug" } },
      other: { mcp: ["y"], env: { GITHUB_TOKEN: "s3cr3t-3" } },
      remote: {
        mcp: "https://a.b/c?key=s3cr3t-4",
        headers: { Authorization: "Bearer s3cr3t-5", "X-Api-Key": "s3cr3t-6" },
      },
      given: { mcp: "https://given.example" },
      asked: { mcp: ["z"], env: { KEY: "s3cr3t-7", HOME2: home, COST: "5$$" } },
    });
  });

  test("writes an example that loads where there is nothing to begin with", async () => {
    expect(await init(["--yes"])).toMatchObject({ code: 0 });
    expect(Object.keys(await sourcesWritten())).toEqual(["hello"]);
  });

  test("in a pipe only tells what it would do, unless --yes says that it may", async () => {
    expect(await init()).toMatchObject({ code: 2, out: "" });
    expect(existsSync(target())).toBe(false);
  });

  test.each([
    ["y\n", 0, true],
    ["yes\n", 0, true],
    ["\n", 2, false],
    ["", 2, false],
  ])("on a terminal asks first, and takes %j for an answer", async (input, code, isWritten) => {
    expect(await init([], { input, isTTY: true })).toMatchObject({ code });
    expect(existsSync(target())).toBe(isWritten);
  });

  test("replaces a plico.json only with --force", async () => {
    write("shop/plico.json", "{}");
    expect(await init(["--yes"])).toMatchObject({ code: 2 });
    expect(written()).toBe("{}");
    expect(await init(["--yes", "--force"])).toMatchObject({ code: 0 });
    expect(written()).not.toBe("{}");
  });

  test("prints with --print, and writes nothing", async () => {
    write("shop/.mcp.json", { mcpServers: { a: { command: "a" } } });
    const { code, out } = await init(["--print"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ sources: { a: { mcp: ["a"] } } });
    expect(existsSync(target())).toBe(false);
  });

  test("takes only the files that are named, and keeps their folders", async () => {
    write("shop/.mcp.json", { mcpServers: { no: { command: "no" } } });
    write("shop/sub/x.json", { mcpServers: { a: { command: "a" } } });
    write("far/.cursor/mcp.json", { mcpServers: { b: { command: "b" } } });
    expect(await init(["--yes", "--from", "sub/x.json", "--from", "../far/.cursor/mcp.json"])).toMatchObject({
      code: 0,
    });
    expect(await sourcesWritten()).toEqual({
      a: { mcp: ["a"], cwd: "./sub" },
      b: { mcp: ["b"], cwd: join(folder, "far") },
    });
  });

  test.each([
    ["none.json", undefined],
    ["broken.json", "{ broken"],
    ["empty.json", "{}"],
  ])("complains about a named file that gives nothing: %s", async (name, content) => {
    if (content !== undefined) write(`shop/${name}`, content);
    const { code, err } = await init(["--yes", "--from", name]);
    expect(code).not.toBe(0);
    expect(err).toContain(name);
    expect(err).not.toContain("fault of Plico");
  });

  test("passes over a file that is broken, and says so", async () => {
    write("home/.cursor/mcp.json", "{ broken");
    write("shop/.mcp.json", { mcpServers: { a: { command: "a" }, b: {} } });
    const { code, err } = await init(["--yes"]);
    expect(code).toBe(0);
    expect(err).toContain(".cursor/mcp.json:1:3");
    expect(await sourcesWritten()).toEqual({ a: { mcp: ["a"] } });
  });

  test("finds what editors keep in their settings, of the project and of the user", async () => {
    const server = (name: string) => ({ [name]: { command: name } });
    write("shop/.vscode/settings.json", { "editor.tabSize": 2, mcp: { servers: server("a") } });
    write("shop/.zed/settings.json", { context_servers: server("b") });
    write(`${APPS}/Code/User/mcp.json`, { servers: server("c") });
    write(`${APPS}/Code/User/settings.json`, `{ // mine\n "mcp": { "servers": ${JSON.stringify(server("d"))} }, }`);
    write(`${APPS}/VSCodium/User/settings.json`, { "mcp.servers": server("e") });
    write(`${process.platform === "darwin" ? "home/.config" : APPS}/zed/settings.json`, {
      theme: "One",
      context_servers: server("f"),
    });
    expect(await init(["--yes"])).toMatchObject({ code: 0 });
    expect(Object.keys(await sourcesWritten())).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test("says nothing of settings without servers", async () => {
    write("shop/.vscode/settings.json", { "editor.tabSize": 2 });
    write(`${APPS}/Code/User/settings.json`, "{}");
    expect((await init(["--print"])).err).not.toContain("settings.json");
  });

  test.each([
    ["darwin", "Library/Application Support/Claude/claude_desktop_config.json"],
    ["win32", "AppData/Roaming/Claude/claude_desktop_config.json"],
    ["linux", ".config/Claude/claude_desktop_config.json"],
    ["darwin", "Library/Application Support/Code/User/mcp.json"],
    ["win32", "AppData/Roaming/Code/User/settings.json"],
    ["linux", ".config/Code - Insiders/User/mcp.json"],
    ["darwin", ".config/zed/settings.json"],
    ["win32", "AppData/Roaming/Zed/settings.json"],
    ["linux", ".config/zed/settings.json"],
  ])("knows where programs keep their files on %s: %s", (platform, place) => {
    write(`home/${place}`, "{}");
    const io = { cwd: () => folder, env: { HOME: home } } as unknown as Parameters<typeof findKnownFiles>[0];
    expect(findKnownFiles(io, platform).map(({ file }) => file)).toEqual([join(home, place)]);
  });
});
