import type { Finding } from "./finding.js";

export interface ProgramFacts {
  /** Of Node, as `process.version` has it. */
  readonly node: string;
  readonly plico: string;
  /** The file that runs. */
  readonly file: string;
}

/** The least that Plico runs on, and the first that reads modules without a thread of its own. */
const LEAST_NODE = [20, 19] as const;
const HOOKS_IN_THREAD = [22, 15] as const;

/** What runs Plico, and where it is. */
export function programFindings({ node, plico, file }: ProgramFacts): readonly Finding[] {
  return [nodeFinding(node), { level: "ok", about: "plico", message: `${plico}, ${file}` }];
}

function nodeFinding(version: string): Finding {
  if (isBefore(version, LEAST_NODE))
    return {
      level: "fail",
      about: "node",
      message: `${version} is too old`,
      fix: `Install Node ${LEAST_NODE.join(".")} or newer: https://nodejs.org`,
    };
  const hooks = isBefore(version, HOOKS_IN_THREAD) ? "; modules are watched from a thread of their own" : "";
  return { level: "ok", about: "node", message: `${version}${hooks}` };
}

function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ofMajor = 0, ofMinor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return ofMajor < major || (ofMajor === major && ofMinor < minor);
}
