import { describe, expect, test } from "vitest";
import type { CallError } from "../../envelope/call-error.js";
import { readConfig } from "./read-config.js";
import { variable } from "./schema-words.js";

const env = { TOKEN: "s3cr3t-99" };
const read = (document: object, file: string, cwd = "/work/shop") =>
  readConfig({ text: JSON.stringify(document), file, cwd, env });

const FILES = { mcp: ["npx", "-y", "files", "."] };
const files = { command: "npx", args: ["-y", "files", "."] };

describe("a file of another program", () => {
  test.each([
    ["Claude Code", "/work/shop/.mcp.json", { mcpServers: { files: { type: "stdio", env: {}, ...files } } }],
    ["Claude Desktop", "/home/ada/claude_desktop_config.json", { mcpServers: { files }, globalShortcut: "" }],
    ["Cursor", "/work/shop/.cursor/mcp.json", { mcpServers: { files } }],
    ["Windsurf", "/home/ada/mcp_config.json", { mcpServers: { files: { ...files, disabledTools: [] } } }],
    ["Gemini", "/work/shop/.gemini/settings.json", { theme: "x", mcpServers: { files: { ...files, trust: true } } }],
    ["VS Code", "/work/shop/.vscode/mcp.json", { inputs: [], servers: { files } }],
    ["the settings of VS Code", "/work/settings.json", { "editor.x": 1, mcp: { servers: { files } } }],
    ["the settings of VS Code in one key", "/work/settings.json", { "mcp.servers": { files } }],
    ["Zed", "/work/settings.json", { context_servers: { files: { source: "custom", ...files } } }],
    ["an older Zed", "/work/s.json", { context_servers: { files: { command: { path: "npx", args: files.args } } } }],
  ])("of %s is taken as it is", async (_, file, document) => {
    const { config, notes } = await read(document, file);
    expect(config).toEqual({ sources: { files: FILES } });
    expect(notes).toEqual([]);
  });

  test.each([
    [{ url: "https://a.b/mcp" }, { mcp: "https://a.b/mcp" }],
    [{ serverUrl: "https://a.b/mcp" }, { mcp: "https://a.b/mcp" }],
    [{ httpUrl: "https://a.b/mcp", url: "https://a.b/sse" }, { mcp: "https://a.b/mcp" }],
    [
      { type: "http", url: "https://a.b", headers: { Authorization: `Bearer ${variable("env:TOKEN")}` } },
      { mcp: "https://a.b", headers: { Authorization: "Bearer s3cr3t-99" } },
    ],
    [
      { command: "a", env: { N: 1, B: true, X: null } },
      { mcp: ["a"], env: { N: "1", B: "true" } },
    ],
    [
      { command: "a", cwd: "sub" },
      { mcp: ["a"], cwd: "sub" },
    ],
    [
      { command: "a", disabled: true },
      { mcp: ["a"], disabled: true },
    ],
    [
      { command: "a", enabled: false, args: [variable("NOBODY")] },
      { mcp: ["a", variable("NOBODY")], disabled: true },
    ],
    [
      { command: "a", timeout: 60_000 },
      { mcp: ["a"], timeout: 60_000 },
    ],
    [
      { command: "a", includeTools: ["x"], excludeTools: ["y"] },
      { mcp: ["a"], include: ["x"], exclude: ["y"] },
    ],
    [{ command: "/opt/My App/server" }, { mcp: ["/opt/My App/server"] }],
    [{ command: "a", args: ["$$"] }, { mcp: ["a", "$$"] }],
  ])("with %j is a source %j", async (server, source) => {
    const { config, notes } = await read({ mcpServers: { a: server } }, "/work/shop/.mcp.json");
    expect(config.sources).toEqual({ a: source });
    expect(notes).toEqual([]);
  });

  test.each([
    [{ type: "sse", url: "https://a.b/sse" }, { mcp: "https://a.b/sse" }],
    [{ command: "npx -y 'my server'" }, { mcp: ["npx", "-y", "my server"] }],
    [{ command: "a", oauth: {} }, { mcp: ["a"] }],
    [
      { command: "a", timeout: 60 },
      { mcp: ["a"], timeout: 60_000 },
    ],
    [{ command: "a", url: "https://a.b" }, { mcp: "https://a.b" }],
  ])("with %j is a source with a note", async (server, source) => {
    const { config, notes } = await read({ mcpServers: { a: server } }, "/work/shop/.mcp.json");
    expect(config.sources).toEqual({ a: source });
    expect(notes).toHaveLength(1);
  });

  test.each([
    [{}, ""],
    ["npx", ""],
    [{ command: 3 }, "/command"],
    [{ command: "a", args: "b" }, "/args"],
    [{ command: "a", env: { A: {} } }, "/env"],
    [{ url: "a.b" }, "/url"],
    [{ url: "https://a.b", headers: [] }, "/headers"],
  ])("must not have the server %j", async (server, place) => {
    const error = await read({ mcpServers: { a: server } }, "/work/.mcp.json").catch((thrown: CallError) => thrown);
    expect(error).toMatchObject({ code: "CONFIG_INVALID", issues: [{ path: `/mcpServers/a${place}` }] });
  });

  test.each([variable("input:key"), variable("NOBODY")])("may have a server that lacks %s", async (text) => {
    const servers = { a: { command: "a", args: [text] }, b: { command: "b" } };
    const { unusable } = await read({ mcpServers: servers }, "/work/.mcp.json");
    expect(unusable).toMatchObject({ a: { code: "CONFIG_INVALID", issues: [{ path: "/mcpServers/a/args/0" }] } });
    expect(unusable).not.toHaveProperty("b");
  });

  test("that an editor keeps in a folder of the project starts its paths in the project", async () => {
    const document = { mcpServers: { a: { command: "a", args: [variable("workspaceFolder")] } } };
    const { config, folder } = await read(document, "/work/shop/.cursor/mcp.json");
    expect(folder).toBe("/work/shop");
    expect(config.sources).toEqual({ a: { mcp: ["a", "/work/shop"] } });
  });

  test("of Claude Code gives what counts in the folder, the nearest first", async () => {
    const document = {
      mcpServers: { files: { command: "all" }, other: { command: "other" } },
      projects: {
        "/work": { mcpServers: { far: { command: "far" } } },
        "/work/shop": { mcpServers: { files: { command: "near" } } },
        "/work/shopping": { mcpServers: { no: { command: "no" } } },
      },
    };
    const { config } = await read(document, "/home/ada/.claude.json", "/work/shop/src");
    expect(config.sources).toEqual({ files: { mcp: ["near"], cwd: "/work/shop" }, other: { mcp: ["other"] } });
  });

  test("may have names that are no namespaces", async () => {
    const server = { command: "a" };
    const document = { mcpServers: { "My Server": server, "@x/y": server, My_Server: server, constructor: server } };
    const { config, notes } = await read(document, "/work/.mcp.json");
    expect(Object.keys(config.sources)).toEqual(["My_Server", "x_y", "My_Server_2", "constructor_"]);
    expect(notes).toHaveLength(4);
  });

  test("may have no server, with a note", async () => {
    const { config, notes } = await read({ projects: {} }, "/home/ada/.claude.json");
    expect(config.sources).toEqual({});
    expect(notes).toHaveLength(1);
  });

  test("leaves out what only an extension of its editor can start", async () => {
    const { config, notes } = await read({ context_servers: { a: { settings: {} }, files } }, "/work/settings.json");
    expect(Object.keys(config.sources)).toEqual(["files"]);
    expect(notes).toHaveLength(1);
  });
});
