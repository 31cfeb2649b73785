import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { describeWith, isMissing, type Missing } from "./describe-with.js";
import { BINARY, type Served, Stage } from "./gateway-stage.js";
import { installNpmFolder } from "./npm-folder.js";
import { commandOf, REAL_SERVERS } from "./real-mcp-servers.js";

interface Packages {
  readonly clients: string;
  readonly servers: string;
}

function install(): Packages | Missing {
  const clients = installNpmFolder("mcp-clients");
  if (isMissing(clients)) return clients;
  const servers = installNpmFolder("mcp-servers");
  return isMissing(servers) ? servers : { clients, servers };
}

/** One of each source. */
const TOOLS = ["tools_add", "report_report", "everything_echo", "notes_getNote"];

const ECHO = ["everything_echo", { message: "here" }, "Echo: here"] as const;
const ADD = ["tools_add", { a: 1, b: 2 }, '"sum":3'] as const;
const REPORT = ["report_report", { x: 1 }, '"x":1'] as const;
const NOTE = ["notes_getNote", { id: "n1" }, "note n1"] as const;

describeWith("MCP clients that people use", install(), ({ clients, servers }) => {
  let stage: Stage;
  let served: Served;

  beforeAll(async () => {
    const everything = REAL_SERVERS.find(({ recording }) => recording === "everything");
    if (everything === undefined) throw new Error("server-everything is not there");
    stage = await Stage.open();
    const { sources } = JSON.parse(stage.read("plico.json")) as { sources: Record<string, unknown> };
    const command = commandOf(everything, servers, stage.folder);
    const servesAll = { servers: { mcp: { startWaitMs: 30_000 } } };
    stage.configure({ ...sources, everything: { mcp: command, env: stage.mark.env } }, servesAll);
    served = await stage.serve();
    const health = async () => await (await fetch(`${served.url}/healthz`)).json();
    await vi.waitFor(async () => expect(await health()).toMatchObject({ status: "ok" }), { timeout: 15_000 });
  });

  afterAll(async () => {
    expect((await served.end()).code).toBe(0);
    await vi.waitFor(() => expect(stage.mark.alive()).toEqual([]), { timeout: 10_000 });
    await stage.close();
  });

  const mcporter = join(clients, "node_modules/mcporter/dist/cli.js");
  const inspector = join(clients, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");

  /** What a client prints, which is JSON, without the spaces by which it is laid out. */
  const run = async (script: string, words: readonly string[]): Promise<string> => {
    const { PATH = "" } = process.env;
    const env = { PATH, HOME: stage.folder, ...stage.mark.env };
    const child = spawn(process.execPath, [script, ...words], {
      cwd: stage.folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const parts: string[] = [];
    const complaints: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (part: string) => parts.push(part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => complaints.push(part));
    const [code] = await once(child, "close");
    expect(code, complaints.join("") + parts.join("")).toBe(0);
    return JSON.stringify(JSON.parse(parts.join("")));
  };

  const expectTools = (printed: string): void => {
    for (const name of TOOLS) expect(printed).toContain(`"${name}"`);
  };

  test("mcporter lists and calls over stdio and HTTP", async () => {
    const stdio = [
      "--stdio",
      process.execPath,
      "--stdio-arg",
      BINARY,
      "--stdio-arg",
      "serve",
      "--stdio-arg",
      "--stdio",
    ];
    const http = ["--http-url", `${served.url}/mcp`, "--allow-http"];
    const call = async (way: readonly string[], [name, input, wanted]: readonly [string, object, string]) => {
      const words = ["call", ...way, "--tool", name, "--args", JSON.stringify(input), "--output", "json"];
      expect(await run(mcporter, words)).toContain(wanted);
    };
    const list = async (way: readonly string[]) => expectTools(await run(mcporter, ["list", ...way, "--json"]));
    await Promise.all([list(stdio), list(http), call(http, REPORT)]);
    await Promise.all([call(stdio, ECHO), call(http, NOTE)]);
  });

  const STDIO = [process.execPath, BINARY, "serve", "--stdio"];

  // Each way and each era once: the inspector takes long to start.
  test.each(["legacy", "modern"] as const)(
    "the inspector lists and calls, of the %s era, and finds no fault in the schemas",
    { timeout: 60_000 },
    async (era) => {
      const http = [`${served.url}/mcp`, "--transport", "http"];
      const [lists, calls] = era === "legacy" ? [STDIO, http] : [http, STDIO];
      const [name, input, wanted] = era === "legacy" ? ECHO : ADD;
      const always = ["--protocol-era", era, "--quiet"];
      const call = ["--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(input)];
      const [list, answer] = await Promise.all([
        run(inspector, ["--cli", ...lists, "--method", "tools/list", "--strict", ...always]),
        run(inspector, ["--cli", ...calls, ...call, ...always]),
      ]);
      expectTools(list);
      expect(answer).toContain(wanted);
    },
  );
});
