import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const VARIABLE = "PLICO_TEST_MARK";

export interface ProcessMark {
  /** To be given to the first process; its descendants inherit it. */
  readonly env: Readonly<Record<string, string>>;
  /** The processes that carry the mark now. */
  alive(): number[];
}

/** A mark by which processes are found again, however deep in a tree and whoever is their parent by now. */
export function markProcesses(): ProcessMark {
  const value = randomUUID();
  return { env: { [VARIABLE]: value }, alive: () => processesWith(`${VARIABLE}=${value}`) };
}

/** Other systems than Linux do not show it; there nothing is found. */
function processesWith(setting: string): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((id) => Number.isInteger(id) && environmentOf(id).includes(setting));
}

/** Of one that has ended, or that is not ours, none. */
function environmentOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/environ`, "latin1");
  } catch {
    return "";
  }
}
