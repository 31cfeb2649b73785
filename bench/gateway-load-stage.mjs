// A gateway in a process of its own with four sources, and all that happens to them.
import { fork, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DOCUMENT, SCRIPT, SCRIPT_SCHEMAS } from "./gateway-load-sources.mjs";
import { marked, markOf } from "./gateway-load-watch.mjs";

const SOURCES = fileURLToPath(new URL("./gateway-load-sources.mjs", import.meta.url));
const MODULE = fileURLToPath(new URL("./gateway-load-module.mjs", import.meta.url));

export async function openStage(binary) {
  const folder = mkdtempSync(join(tmpdir(), "plico-load-"));
  const mark = randomUUID();
  const file = (name) => join(folder, name);
  const put = (name, text) => {
    // Whoever reads the file sees the old text or the new one.
    writeFileSync(file(`.${name}`), text);
    renameSync(file(`.${name}`), file(name));
  };
  let api = await startApi(0);
  const configure = (changes) =>
    put("plico.json", JSON.stringify(configOf(folder, mark, api.port, changes), undefined, 2));
  put("api.json", JSON.stringify(DOCUMENT));
  put("echo.sh", SCRIPT);
  chmodSync(file("echo.sh"), 0o755);
  put("mode", "well\n");
  configure({});
  const gateway = await startGateway(binary, folder, mark);
  return {
    ...gateway,
    mark,
    events: {
      "the MCP server is killed": async () => {
        for (const id of marked(mark, "gateway-load-sources.mjs\0mcp")) process.kill(id, "SIGKILL");
      },
      "the API is killed, and started again": async () => {
        const { port } = api;
        api.child.kill("SIGKILL");
        await api.ended;
        await delay(400);
        api = await startApi(port);
      },
      "the script dies": async () => {
        put("mode", "die\n");
        await delay(400);
        put("mode", "well\n");
      },
      "plico.json gets a source more, and other limits": () => configure({ more: true }),
      "the API answers too late": async () => {
        api.child.send("slowly");
        await delay(800);
        api.child.send("well");
      },
      "the MCP server stands still, and goes on": async () => {
        const ids = marked(mark, "gateway-load-sources.mjs\0mcp");
        for (const id of ids) signal(id, "SIGSTOP");
        await delay(1_800);
        for (const id of ids) signal(id, "SIGCONT");
      },
      "plico.json is broken, and mended": async () => {
        put("plico.json", '{ "sources": ');
        await delay(400);
        configure({});
      },
      "the script hangs": async () => {
        put("mode", "hang\n");
        await delay(400);
        put("mode", "well\n");
      },
      "the API gives half an answer": async () => {
        api.child.send("cut");
        await delay(400);
        api.child.send("well");
      },
    },
    async close() {
      for (const id of marked(mark)) signal(id, "SIGKILL");
      api.child.kill("SIGKILL");
      await api.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function signal(id, name) {
  try {
    process.kill(id, name);
  } catch {
    // It has ended.
  }
}

function configOf(folder, mark, port, { more = false }) {
  const always = { breaker: { failures: 20, cooldownMs: 300 } };
  const env = markOf(mark);
  return {
    sources: {
      desk: { module: MODULE },
      far: { mcp: [process.execPath, SOURCES, "mcp"], env, timeout: more ? 1_400 : 1_500, ...always },
      api: { openapi: "./api.json", baseUrl: `http://127.0.0.1:${port}`, timeout: 1_500, ...always },
      shell: {
        script: ["./echo.sh", join(folder, "mode")],
        operation: "echo",
        type: "query",
        inputAs: "argument",
        ...SCRIPT_SCHEMAS,
        env,
        timeout: 1_500,
        concurrency: more ? 5 : 4,
        maxQueue: 40,
        graceMs: 500,
        ...always,
      },
      ...(more && { more: { module: MODULE, namespace: "more" } }),
    },
    servers: { http: { port: 0 } },
    log: { level: "warn" },
  };
}

async function startApi(port) {
  const child = fork(SOURCES, ["api", String(port)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(child, "exit");
  const [bound] = await once(child, "message");
  return { child, ended, port: bound };
}

/** What the gateway may keep: more than it needs, and far less than a leak would take under this load. */
const HEAP_MB = 128;

/** Gives the address once all sources are up. */
async function startGateway(binary, folder, mark) {
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, binary, "serve", "--port", "0"], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...markOf(mark) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let isOver = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part) => {
      said = (said + part).slice(-20_000);
    });
  const ended = once(child, "close").then(([code, name]) => {
    isOver = true;
    return { code, signal: name };
  });
  const gateway = { pid: child.pid, ended, end: () => child.kill("SIGTERM"), said: () => said };
  for (let looks = 0; looks < 400 && !isOver; looks++) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
    if (url !== undefined && (await isUp(url))) return { ...gateway, url };
    await delay(25);
  }
  child.kill("SIGKILL");
  throw new Error(`The gateway does not start:\n${said}`);
}

async function isUp(url) {
  const { operations } = await (await fetch(`${url}/healthz`)).json();
  return operations >= 4;
}
