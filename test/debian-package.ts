import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../.tools/debian/", import.meta.url));

/**
 * The folder with the files of a Debian package, which is unpacked and not installed, or the reason why this machine
 * cannot give them. It is fetched once; test processes that want it at the same time do not disturb each other.
 */
export function unpackDebianPackage(name: string): string | { readonly reason: string } {
  const folder = join(root, name);
  if (existsSync(folder)) return folder;
  mkdirSync(root, { recursive: true });
  const work = mkdtempSync(join(root, `.${name}-`));
  try {
    const files = join(work, "files");
    execFileSync("dpkg-deb", ["-x", download(name, work), files], { stdio: "pipe" });
    moveTo(folder, files);
    return folder;
  } catch (thrown) {
    return { reason: `Debian's package ${name} cannot be fetched: ${lastWords(thrown)}` };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The path of the package's archive. A fresh machine has no lists of packages, so they are fetched where it fails. */
function download(name: string, into: string): string {
  try {
    aptGet(["download", name], into);
  } catch (thrown) {
    if (isMissing(thrown)) throw thrown;
    // Two test processes may need the lists at once, and apt refuses the second one.
    run("flock", [join(root, ".update-lock"), "apt-get", ...PATIENCE, "update"], into);
    aptGet(["download", name], into);
  }
  const archive = readdirSync(into).find((file) => file.endsWith(".deb"));
  if (archive === undefined) throw new Error("apt-get has downloaded nothing");
  return join(into, archive);
}

const PATIENCE = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20"];

function aptGet(words: readonly string[], folder: string): void {
  run("apt-get", [...PATIENCE, ...words], folder);
}

function run(command: string, words: readonly string[], folder: string): void {
  execFileSync(command, words, { cwd: folder, stdio: "pipe", timeout: 90_000 });
}

/** Another process may have been faster, with the same files. */
function moveTo(folder: string, files: string): void {
  try {
    renameSync(files, folder);
  } catch (thrown) {
    if (!existsSync(folder)) throw thrown;
  }
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
}

function lastWords(thrown: unknown): string {
  const { message, stderr } = thrown as { message: string; stderr?: Buffer };
  return (
    String(stderr ?? "")
      .trim()
      .split("\n")
      .at(-1) || message
  );
}
