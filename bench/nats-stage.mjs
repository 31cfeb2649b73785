// What bench/nats.mjs stands on: a nats-server on loopback, processes of its own for those that answer, and their CPU time.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Shared by caller and worker. */
export const SECRET = "a secret of the benchmark, long enough";

const closers = [];

export async function closeStage() {
  for (const close of closers.splice(0).reverse()) await close();
}

export const onClose = (close) => closers.push(close);

/** A nats-server with JetStream, on a port of its own choice. */
export async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), "plico-bench-nats-"));
  const child = spawn("nats-server", ["-a", "127.0.0.1", "-p", "-1", "-js", "-sd", folder], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  closers.push(() => end(child).then(() => rmSync(folder, { recursive: true, force: true })));
  const servers = await new Promise((resolve, reject) => {
    let told = "";
    child.once("error", () => reject(new Error("nats-server is not in PATH; this bench needs it.")));
    child.once("exit", () => reject(new Error(`nats-server ended: ${told}`)));
    child.stderr.setEncoding("utf8").on("data", (text) => {
      told += text;
      if (told.includes("Server is ready")) resolve(/client connections on (\S+)/.exec(told)[1]);
    });
  });
  return { servers, pid: child.pid };
}

/** A process that answers, by its name in bench/nats-responders.mjs. */
export async function startResponder(name, servers) {
  const child = fork(new URL("nats-responders.mjs", import.meta.url), [name, servers], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  closers.push(() => end(child));
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => Promise.reject(new Error(`${name} does not start`))),
  ]);
  return child;
}

export async function ask(child, what) {
  child.send(what);
  const [answer] = await once(child, "message");
  return answer;
}

/** CPU microseconds of a process and its threads, from /proc; 0 where there is none. */
export function cpuOf(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const spent = tasks.map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
    );
    return spent.reduce((sum, one) => sum + one, 0) / 1000;
  } catch {
    return 0;
  }
}

export function cpuOfThis() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}
