import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { expectBlock } from "./generated-block.js";
import { PseudoTerminal } from "./pseudo-terminal.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const COLUMNS = 100;

/** Commands that are run in a terminal, for a page of the docs. */
export interface Session {
  readonly page: string;
  /** The part of the page that holds them. */
  readonly name: string;
  readonly lines: readonly string[];
  /** Below the root of the project. */
  readonly cwd?: string;
  /** In place of it: a home of somebody who has these files. */
  readonly home?: Readonly<Record<string, string>>;
  /** What is typed when a line asks. */
  readonly answer?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the commands as a person would, and holds the page to what they print. */
export async function expectSession(script: string, session: Session): Promise<void> {
  const path = programs();
  const home = homeWith(session.home ?? {});
  try {
    const cwd = session.home === undefined ? join(root, session.cwd ?? "") : home;
    const env = { PATH: `${path}:${process.env["PATH"]}`, HOME: home, npm_config_loglevel: "error", ...session.env };
    const shown: string[] = [];
    for (const line of session.lines) {
      const terminal = new PseudoTerminal(script, { command: ["sh", "-c", line], cwd, columns: COLUMNS, env });
      if (session.answer !== undefined)
        await terminal.waitFor("[y/N]").then(() => terminal.write(`${session.answer}\n`));
      await terminal.ended;
      shown.push(`$ ${line}\n${masked(written(terminal)).trimEnd()}\n`);
    }
    expectBlock(session.page, session.name, `\`\`\`console\n${shown.join("\n")}\`\`\``);
  } finally {
    for (const folder of [path, home]) rmSync(folder, { recursive: true, force: true });
  }
}

function homeWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "plico-home-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** The command, and an `npx` that finds what this project has without looking into each folder first, as npm does. */
function programs(): string {
  const folder = mkdtempSync(join(tmpdir(), "plico-session-"));
  const npx = join(folder, "npx");
  symlinkSync(join(root, "dist/bin/plico.js"), join(folder, "plico"));
  const server = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  writeFileSync(npx, `#!/bin/sh\ncase "$1" in -y) exec node "${server}" ;; *) exec "$@" ;; esac\n`);
  chmodSync(npx, 0o755);
  return folder;
}

/** What is left to read: lines that were taken off again are not. */
function written({ output }: PseudoTerminal): string {
  const kept = output.split("\r\n").map((line) => line.slice(line.lastIndexOf(CLEARED) + 1));
  return stripVTControlCharacters(kept.join("\n"));
}

const CLEARED = "\r";

/** The terminal may be gone before it is written. */
const LAST_WORD = /^.* Shutting down;.*\n?/gm;

/** What differs from run to run, and from machine to machine, as if it were always the same. */
function masked(text: string): string {
  return text
    .replaceAll(root, "~/plico/")
    .replaceAll(LAST_WORD, "")
    .replaceAll(/(?<![=\d])\d+ ms\b/g, "40 ms")
    .replaceAll(/\bms=\d+/g, "ms=40")
    .replaceAll(/^\d\d:\d\d:\d\d(?= )/gm, "09:00:00")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:4100")
    .replaceAll("nats://127.0.0.1:4100", "nats://127.0.0.1:4222")
    .replaceAll(/\bworker [0-9a-f]{16}\b/g, "worker 0f3c9a51d27be864")
    .replaceAll(/\/\S+\/plico-session-\w+\/plico/g, "~/plico/dist/bin/plico.js")
    .replaceAll(/"timestamp":\d+/g, '"timestamp":1767225600000')
    .replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, "2026-01-01T00:00:00.000Z")
    .replaceAll(/\breq_[0-9a-f]{12}\b/g, "req_0123456789ab")
    .replaceAll(process.versions.node, "20.20.0");
}
