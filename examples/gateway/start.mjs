// What `npm start` does: starts an HTTP API, then the gateway in front of it and of three other sources, and tells what
// can be done with it. With `--build` Plico is built first.
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startPetStore } from "./pet-store.mjs";
import { welcome } from "./welcome.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const config = fileURLToPath(new URL("plico.json", import.meta.url));
const PORT = 4100;

if (process.argv.includes("--build")) {
  console.log("Building Plico …");
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 130);
}
console.log("Starting four sources …");

endOnSecondInterrupt();
if (process.env.npm_lifecycle_event === "start") endWithParent();
process.env.PET_STORE_URL = (await startPetStore()).url;
const port = (await isFree(PORT)) ? PORT : await freePort();
if (port !== PORT) console.log(`Port ${PORT} is taken, so this is ${port}.`);

// The command itself, in this process: there is nothing that could be left behind.
process.argv.splice(2, process.argv.length, "serve", "--config", config, "--port", String(port), "--log-level", "warn");
const served = import("../../dist/bin/plico.js");
const ended = new AbortController();
served.finally(() => ended.abort()).catch(() => {});
const url = `http://127.0.0.1:${port}`;
if (await isReady(url, ended.signal)) console.log(await welcome(url));
await served;

/** npm passes on an interrupt that the terminal has sent to everybody: only a later one is meant to be a second. */
function endOnSecondInterrupt() {
  let first;
  process.on("SIGINT", () => {
    first ??= Date.now();
    if (Date.now() - first > 500) process.exit(130);
  });
}

/** A signal for npm alone ends the shell between it and this process, which would hear nothing of it. */
function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 250);
  timer.unref();
}

/** Once each source is up or has failed; not where the gateway ends before. */
async function isReady(url, signal) {
  while (!signal.aborted) {
    const ready = await fetch(`${url}/readyz`, { signal }).catch(() => undefined);
    if (ready?.ok) return true;
    await delay(50);
  }
  return false;
}

function isFree(port) {
  return listen(port).then(
    () => true,
    () => false,
  );
}

function freePort() {
  return listen(0);
}

/** The port that could be listened on, which it is no longer. */
function listen(port) {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", () => {
      const { port: given } = server.address();
      server.close(() => resolve(given));
    });
  });
}
