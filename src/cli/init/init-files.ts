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
  const project = PROJECT_FILES.map((name) => ({ file: join(cwd, name), program: programOf(name), isUsers: false }));
  const home = io.env["HOME"] ?? io.env["USERPROFILE"];
  if (home === undefined || home === "") return project;
  const users = [
    ["Claude Code", join(home, ".claude.json")],
    ["Claude Desktop", join(appFolder(io, home, platform), "Claude", "claude_desktop_config.json")],
    ["Cursor", join(home, ".cursor", "mcp.json")],
    ["Windsurf", join(home, ".codeium", "windsurf", "mcp_config.json")],
    ["VS Code", join(appFolder(io, home, platform), "Code", "User", "mcp.json")],
    ["Gemini", join(home, ".gemini", "settings.json")],
  ] as const;
  const own = users.map(([program, file]) => ({ file: resolve(file), program, isUsers: true }));
  // Who works in the home folder would find some of them twice.
  const seen = new Set(own.map(({ file }) => file));
  return [...project.filter(({ file }) => !seen.has(file)), ...own];
}

/** Where programs keep their settings. */
function appFolder({ env }: Io, home: string, platform: string): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] ?? join(home, "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] ?? join(home, ".config");
}

function programOf(name: string): string {
  if (name.startsWith(".cursor")) return "Cursor";
  if (name.startsWith(".vscode")) return "VS Code";
  return name.startsWith(".gemini") ? "Gemini" : "Claude Code";
}
