import { execFileSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Missing } from "./describe-with.js";

const INSTALLER = "apt-get";

/** The path of a program; where it is missing, Debian's package of it is installed if this user may do that. */
export function programOnThisMachine(name: string, debianPackage: string = name): string | Missing {
  const found = inPath(name);
  if (found !== undefined) return found;
  const reason = `${name} is not in PATH`;
  if (process.getuid?.() !== 0 || inPath(INSTALLER) === undefined) return { reason };
  const complaint = install(debianPackage);
  return (
    inPath(name) ?? { reason: `${reason}, and Debian's package ${debianPackage} cannot be installed: ${complaint}` }
  );
}

function inPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Gives what went wrong. A fresh machine has no lists of packages, so they are fetched where it fails. */
function install(name: string): string {
  const words = ["install", "-y", "--no-install-recommends", name];
  const steps = [words, ["update"], words];
  let complaint = "";
  for (const step of steps) {
    complaint = aptGet(step);
    if (step === words && complaint === "") return "";
  }
  return complaint;
}

/** Test processes that want packages at the same time wait for each other. */
const PATIENCE = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20", "-o", "DPkg::Lock::Timeout=90"];

function aptGet(words: readonly string[]): string {
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    execFileSync(INSTALLER, [...PATIENCE, ...words], { stdio: "pipe", timeout: 120_000, env });
    return "";
  } catch (thrown) {
    return thrown instanceof Error ? (thrown.message.trim().split("\n").at(-1) ?? "") : "it failed";
  }
}
