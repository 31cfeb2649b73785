import { closeSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";
import { orElse } from "../json/attempt.js";

/** One living process. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it started, in the system's own count: it tells a process from a later one with the same number. */
  readonly started: string;
}

/** All living processes, or `undefined` where the system has no `/proc`, or one of another world of process numbers. */
export function processTable(): readonly ProcessRow[] | undefined {
  return orElse(() => {
    if (readlinkSync("/proc/self") !== String(process.pid)) return undefined;
    return readdirSync("/proc").flatMap((name) => rowOf(name) ?? []);
  }, undefined);
}

function rowOf(name: string): ProcessRow | undefined {
  const pid = Number(name);
  if (!Number.isInteger(pid)) return undefined;
  // It may have ended since it was listed.
  return orElse(() => parseRow(pid, readStat(`/proc/${name}/stat`)), undefined);
}

/** More than one line of numbers can take. There are many to read, and a file of unknown size costs a large buffer each. */
const BUFFER = Buffer.alloc(4_096);

function readStat(path: string): string {
  const file = openSync(path, "r");
  try {
    return BUFFER.toString("latin1", 0, readSync(file, BUFFER));
  } finally {
    closeSync(file);
  }
}

/** Reads `/proc/PID/stat` (man 5 proc_pid_stat). The dead who wait for their parent to notice are no rows. */
export function parseRow(pid: number, stat: string): ProcessRow | undefined {
  // The second field is the program's name, in brackets, and may itself have brackets and spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, group, session] = fields;
  const started = fields[19];
  if (started === undefined || "ZXx".includes(state)) return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), started };
}
