import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const tools = fileURLToPath(new URL("../.tools/", import.meta.url));

const NPM_CI = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
const SHORT_PATIENCE = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=20000"];

/** An installation that has taken longer than this has been ended. */
const LONGEST_MS = 200_000;

/**
 * The folder where the packages of `test/npm/NAME` are installed, or the reason why this machine cannot have them. They
 * are installed once a lock file; of test processes that want them at the same time one installs, and the others wait.
 */
export function installNpmFolder(name: string): string | { readonly reason: string } {
  const wanted = fileURLToPath(new URL(`npm/${name}/`, import.meta.url));
  const folder = join(tools, `${name}-${hashOf(join(wanted, "package-lock.json"))}`);
  if (existsSync(folder)) return folder;
  mkdirSync(tools, { recursive: true });
  const claim = `${folder}.claim`;
  if (!claimed(claim)) waitForEnd(claim);
  const work = mkdtempSync(join(tools, `.${name}-`));
  try {
    if (existsSync(folder)) return folder;
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(wanted, file), join(work, file));
    execFileSync("npm", [...NPM_CI, ...SHORT_PATIENCE], { cwd: work, stdio: "pipe", timeout: 180_000 });
    moveTo(folder, work);
    return folder;
  } catch (thrown) {
    return { reason: `the packages of test/npm/${name} cannot be installed: ${firstWords(thrown)}` };
  } finally {
    for (const path of [work, claim]) rmSync(path, { recursive: true, force: true });
  }
}

/** Whether nobody else has begun. */
function claimed(claim: string): boolean {
  try {
    mkdirSync(claim);
    return true;
  } catch {
    return false;
  }
}

/** The claim of a process that was killed ends by its age. */
function waitForEnd(claim: string): void {
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  while (Date.now() - (statSync(claim, { throwIfNoEntry: false })?.mtimeMs ?? 0) < LONGEST_MS)
    Atomics.wait(asleep, 0, 0, 200);
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 12);
}

/** Another process may have been faster, with the same packages. */
function moveTo(folder: string, work: string): void {
  try {
    renameSync(work, folder);
  } catch (thrown) {
    if (!existsSync(folder)) throw thrown;
  }
}

/** What npm says before it points to its log. */
function firstWords(thrown: unknown): string {
  const { message, stderr } = thrown as { message: string; stderr?: Buffer };
  const lines = String(stderr ?? "").match(/(?<=^npm error ).+/gm) ?? [];
  return lines.slice(0, 4).join(", ") || message;
}
