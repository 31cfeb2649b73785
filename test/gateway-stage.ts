import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { markProcesses, type ProcessMark } from "./marked-processes.js";
import { PseudoTerminal, type TerminalOptions } from "./pseudo-terminal.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The built command. */
export const BINARY: string = here("../dist/bin/plico.js");

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Served {
  readonly url: string;
  /** What it has written. */
  said(): string;
  /** Sends the signal, and gives how it ended. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
}

/** A folder as a user may have one: a module, scripts, an HTTP API that runs, a `plico.json`. */
export class Stage {
  readonly folder: string = mkdtempSync(join(tmpdir(), "plico-stage-"));
  /** On every process that was started here. */
  readonly mark: ProcessMark = markProcesses();
  /** What commands find in their environment, beside the usual. */
  env: Readonly<Record<string, string>> = {};
  readonly #children = new Set<ChildProcess>();
  readonly #terminals: PseudoTerminal[] = [];
  readonly #api = createServer((request, response) => {
    const [, id = ""] = /\/notes\/(\w+)/.exec(request.url ?? "") ?? [];
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id, text: `note ${id}` }));
  });

  static async open(sources: Readonly<Record<string, unknown>> = {}): Promise<Stage> {
    const stage = new Stage();
    cpSync(here("fixtures/gateway/"), stage.folder, { recursive: true });
    await once(stage.#api.listen(0, "127.0.0.1"), "listening");
    const { port } = stage.#api.address() as AddressInfo;
    stage.configure({
      tools: { module: "./tools.mjs" },
      report: { script: [process.execPath, "report.mjs"], type: "query", env: stage.mark.env },
      notes: { openapi: "./notes.json", baseUrl: `http://127.0.0.1:${port}` },
      ...sources,
    });
    return stage;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  configure(sources: Readonly<Record<string, unknown>>, rest: Readonly<Record<string, unknown>> = {}): void {
    this.write("plico.json", JSON.stringify({ sources, ...rest }, undefined, 2));
  }

  /** Runs the command to its end, with pipes. */
  async pipe(words: readonly string[], input = ""): Promise<Ended> {
    const { child, ended } = this.#start(words);
    child.stdin?.on("error", () => {}).end(input);
    return await ended;
  }

  terminal(script: string, words: readonly string[], options: Partial<TerminalOptions> = {}): PseudoTerminal {
    const command = [process.execPath, BINARY, ...words];
    const terminal = new PseudoTerminal(script, { command, cwd: this.folder, env: this.mark.env, ...options });
    this.#terminals.push(terminal);
    return terminal;
  }

  /** Serves on a free port, and gives the address once it answers there. */
  async serve(...words: readonly string[]): Promise<Served> {
    return this.started(["serve", "--port", "0", ...words], /http:\/\/127\.0\.0\.1:\d+/);
  }

  /** Runs a command that stays, once it has said where it is. */
  async started(words: readonly string[], place: RegExp): Promise<Served> {
    const { child, ended, said } = this.#start(words);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!place.test(said()) && !isOver) await delay(10);
    const [url] = place.exec(said()) ?? [];
    if (url === undefined) throw new Error(`It does not serve: ${said()}`);
    return {
      url,
      said,
      end: (signal = "SIGTERM") => {
        child.kill(signal);
        return ended;
      },
    };
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await Promise.all(this.#terminals.map((terminal) => terminal.close()));
    this.#api.closeAllConnections();
    await new Promise((resolve) => this.#api.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #start(words: readonly string[]): { child: ChildProcess; ended: Promise<Ended>; said: () => string } {
    const { PATH = "" } = process.env;
    const env = { PATH, HOME: this.folder, ...this.mark.env, ...this.env };
    const child = spawn(process.execPath, [BINARY, ...words], { cwd: this.folder, env });
    this.#children.add(child);
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      out += part;
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      err += part;
    });
    const ended = once(child, "close").then(([code]): Ended => {
      this.#children.delete(child);
      return { code, out, err };
    });
    return { child, ended, said: () => err + out };
  }
}
