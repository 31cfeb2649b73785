import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { PROJECT_FILES } from "../../gateway/config/find-config.js";
import type { Io } from "../io.js";

/** A file in which another program keeps its MCP servers. */
export interface KnownFile {
  readonly file: string;
  readonly program: string;
  /** Whether it is the user's own, for all projects. */
  readonly isUsers: boolean;
}

/** Those of the usual files that are there, the nearest first. */
export function findKnownFiles(io: Io, platform: string = process.platform): readonly KnownFile[] {
  return knownFiles(io, platform).filter(({ file }) => existsSync(file));
}

function knownFiles(io: Io, platform: string): readonly KnownFile[] {
  const cwd = io.cwd();
  const project = [...PROJECT_FILES, ...PROJECT_SETTINGS].map((name) => ({
    file: join(cwd, name),
    program: programOf(name),
    isUsers: false,
  }));
  const home = io.env["HOME"] ?? io.env["USERPROFILE"];
  if (home === undefined || home === "") return project;
  const own = usersFiles(io, home, platform).map(([program, file]) => ({
    file: resolve(file),
    program,
    isUsers: true,
  }));
  // Who works in the home folder would find some of them twice.
  const seen = new Set(own.map(({ file }) => file));
  return [...project.filter(({ file }) => !seen.has(file)), ...own];
}

/** Files of a project that most often say nothing of servers. */
const PROJECT_SETTINGS = [".vscode/settings.json", ".zed/settings.json"];

/** VS Code, its early edition, and its free one. */
const CODE_FOLDERS = { Code: "VS Code", "Code - Insiders": "VS Code Insiders", VSCodium: "VSCodium" };

function usersFiles(io: Io, home: string, platform: string): readonly (readonly [program: string, file: string])[] {
  const apps = appFolder(io, home, platform);
  return [
    ["Claude Code", join(home, ".claude.json")],
    ["Claude Desktop", join(apps, "Claude", "claude_desktop_config.json")],
    ["Cursor", join(home, ".cursor", "mcp.json")],
    ["Windsurf", join(home, ".codeium", "windsurf", "mcp_config.json")],
    ...Object.entries(CODE_FOLDERS).flatMap(([folder, program]) =>
      ["mcp.json", "settings.json"].map((name) => [program, join(apps, folder, "User", name)] as const),
    ),
    ["Zed", join(zedFolder(apps, home, platform), "settings.json")],
    ["Gemini", join(home, ".gemini", "settings.json")],
  ];
}

/** Where programs keep their settings. */
function appFolder({ env }: Io, home: string, platform: string): string {
  const { APPDATA: roaming = "", XDG_CONFIG_HOME: configs = "" } = env;
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return roaming === "" ? join(home, "AppData", "Roaming") : roaming;
  return configs === "" ? join(home, ".config") : configs;
}

function zedFolder(apps: string, home: string, platform: string): string {
  if (platform === "darwin") return join(home, ".config", "zed");
  return join(apps, platform === "win32" ? "Zed" : "zed");
}

function programOf(name: string): string {
  if (name.startsWith(".cursor")) return "Cursor";
  if (name.startsWith(".vscode")) return "VS Code";
  if (name.startsWith(".zed")) return "Zed";
  return name.startsWith(".gemini") ? "Gemini" : "Claude Code";
}
