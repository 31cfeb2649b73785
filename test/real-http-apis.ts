import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackDebianPackage } from "./debian-package.js";
import { isMissing, type Missing } from "./describe-with.js";

/** A server that nobody here wrote, in processes of its own. */
export interface RealHttpServer {
  readonly url: string;
  /** Ends its processes. */
  close(): Promise<void>;
}

/** A program with all that it needs. */
export interface Program {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface PrismServer {
  /** The file. */
  readonly document: string;
  /** Where requests are passed on to. Without it, answers are made from the document. */
  readonly upstream?: string;
}

/** Servers that refuse with 422 what does not fit a document; `installed` has the packages of `test/npm/openapi-mocks`. */
export async function startPrism(installed: string, servers: readonly PrismServer[]): Promise<PrismServers> {
  const script = fileURLToPath(new URL("prism-servers.mjs", import.meta.url));
  const words = servers.map(({ document, upstream }) => [document, upstream ?? []].flat().join("="));
  const { addresses, close } = await start({ command: [process.execPath, script, installed, ...words] }, LISTENS);
  return { urls: addresses.split(","), close };
}

export interface PrismServers {
  /** In the order that was asked for. */
  readonly urls: readonly string[];
  close(): Promise<void>;
}

const LISTENS = /Listening at: (http:\S+)\s/;

/** Prometheus' Alertmanager, of Debian. */
export function findAlertmanager(): Program | Missing {
  const files = unpackDebianPackage("prometheus-alertmanager");
  return isMissing(files) ? files : { command: [join(files, "usr/bin/prometheus-alertmanager")], cwd: files };
}

export async function startAlertmanager({ command: [binary = ""], cwd = "" }: Program): Promise<RealHttpServer> {
  const folder = mkdtempSync(join(tmpdir(), "plico-alertmanager-"));
  const command = join(folder, "alertmanager");
  writeFileSync(command, withRelativePaths(readFileSync(binary)), { mode: 0o755 });
  const config = join(folder, "config.yml");
  writeFileSync(config, "route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n");
  const words = [`--storage.path=${folder}`, `--config.file=${config}`, "--cluster.listen-address="];
  const { addresses, close: end } = await start(
    { command: [command, ...words, "--web.listen-address=127.0.0.1:0"], cwd },
    /msg="Listening on" address=(\S+)\s/,
  );
  const close = (): Promise<void> => end().finally(() => rmSync(folder, { recursive: true, force: true }));
  return { url: `http://${addresses}`, close };
}

/**
 * Debian's program reads its templates from where the package is installed, and a package that is only unpacked is not
 * there. A path of the same length leads there from the folder of the package.
 */
function withRelativePaths(binary: Buffer): Buffer {
  const [installed, unpacked] = ["/usr/share/prometheus/alertmanager", "usr//share/prometheus/alertmanager"];
  for (let at = binary.indexOf(installed); at >= 0; at = binary.indexOf(installed, at)) binary.write(unpacked, at);
  return binary;
}

const HTTPBIN = [
  "python3-httpbin",
  "python3-brotli",
  "python3-click",
  "python3-decorator",
  "python3-flask",
  "python3-gunicorn",
  "python3-itsdangerous",
  "python3-jinja2",
  "python3-markupsafe",
  "python3-pkg-resources",
  "python3-six",
  "python3-werkzeug",
];

/** Where the machine has no Python of its own. */
const PYTHON = ["python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libexpat1", "libssl3"];

/** The server behind httpbin.org, which tells what it was asked, of Debian. */
export function findHttpbin(python = "/usr/bin/python3"): Program | Missing {
  const modules = unpackAll(HTTPBIN);
  const interpreter = existsSync(python) ? { command: [python] } : findPython();
  if (isMissing(modules)) return modules;
  if (isMissing(interpreter)) return interpreter;
  const path = [
    ...modules.map((folder) => join(folder, "usr/lib/python3/dist-packages")),
    interpreter.env?.["PYTHONPATH"],
  ];
  return {
    command: [...interpreter.command, "-m", "gunicorn", "httpbin:app"],
    env: { ...interpreter.env, PYTHONPATH: path.filter(Boolean).join(delimiter), PYTHONDONTWRITEBYTECODE: "1" },
  };
}

function findPython(): Program | Missing {
  const folders = unpackAll(PYTHON);
  if (isMissing(folders)) return folders;
  const libraries = folders.map((folder) => join(folder, "usr/lib/x86_64-linux-gnu"));
  const modules = folders.map((folder) => join(folder, "usr/lib/python3.11"));
  return {
    command: [join(folders[0] ?? "", "usr/bin/python3.11")],
    env: {
      LD_LIBRARY_PATH: libraries.join(delimiter),
      PYTHONHOME: join(folders[1] ?? "", "usr"),
      PYTHONPATH: modules.flatMap((folder) => [folder, join(folder, "lib-dynload")]).join(delimiter),
    },
  };
}

function unpackAll(names: readonly string[]): string[] | Missing {
  const folders = names.map(unpackDebianPackage);
  return folders.find(isMissing) ?? folders.filter((folder) => typeof folder === "string");
}

export async function startHttpbin({ command, ...program }: Program): Promise<RealHttpServer> {
  const words = ["--bind", "127.0.0.1:0", "--threads", "8", "--graceful-timeout", "1", "--keep-alive", "30"];
  const { addresses, close } = await start({ ...program, command: [...command, ...words] }, LISTENS);
  return { url: addresses, close };
}

interface Started {
  /** What stands in the line that says that it listens. */
  readonly addresses: string;
  close(): Promise<void>;
}

const PATIENCE_MS = 60_000;

/** Each program chooses a free port, and says which when it listens. */
async function start({ command: [file = "", ...words], env, cwd }: Program, listens: RegExp): Promise<Started> {
  // A group of its own, because some have workers, which are to end with it.
  const child = spawn(file, words, {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const kill = (): void => endGroup(child, "SIGKILL");
  process.once("exit", kill);
  const close = (): Promise<void> => endAll(child).finally(() => process.off("exit", kill));
  try {
    return { addresses: await said(child, listens), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function said(child: ChildProcess, listens: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const fail = (why: string): void => reject(new Error(`${child.spawnfile} ${why}: ${text.slice(-2000)}`));
    const timer = setTimeout(() => fail("does not listen"), PATIENCE_MS);
    const look = (part: string): void => {
      text += part;
      const address = listens.exec(text)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      for (const stream of [child.stdout, child.stderr]) stream?.off("data", look).resume();
      resolve(address);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", look);
    child.once("error", ({ message }) => fail(message)).once("exit", () => fail("has ended"));
    child.once("exit", () => clearTimeout(timer));
  });
}

async function endAll(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const closed = child.exitCode === null && child.signalCode === null ? once(child, "close") : undefined;
  endGroup(child, "SIGTERM");
  const timer = setTimeout(() => endGroup(child, "SIGKILL"), 3000);
  await closed;
  clearTimeout(timer);
  endGroup(child, "SIGKILL");
}

function endGroup({ pid }: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}
