import { spawnSync } from "node:child_process";
import { orElse } from "../json/attempt.js";
import { LONGEST_TIMER } from "../json/longest-timer.js";
import { lookLater } from "./process-look.js";
import { type ProcessRow, processTable } from "./process-table.js";

/** How often one looks whether the last have gone: first soon, then at this distance. */
const LONGEST_PAUSE_MS = 50;

/** How long one waits for the killed to go. A process can hang in the kernel for good, or belong to another user. */
const LAST_WAIT_MS = 5_000;

export interface ProcessFamilyOptions {
  /** Settles when the first process has ended. */
  readonly exited: Promise<unknown>;
  /** How long they have between TERM and KILL. */
  readonly graceMs: number;
}

/**
 * A process that leads a session of its own, and all that came of it. A session and a group have nobody else in them;
 * who leaves them for one of their own is found by their parent, and remembered when the parent ends.
 */
export class ProcessFamily {
  readonly pid: number;
  readonly #exited: Promise<unknown>;
  readonly #graceMs: number;
  readonly #reached = new Set<string>();
  #known: readonly ProcessRow[] = [];
  #hasExited = false;
  #hasLooked = false;
  #stopping: Promise<void> | undefined;

  constructor(pid: number, { exited, graceMs }: ProcessFamilyOptions) {
    this.pid = pid;
    this.#graceMs = graceMs;
    this.#exited = exited.then(() => {
      this.#hasExited = true;
    });
  }

  /** Who is there now. Also remembers them, for when their parents have gone. */
  look(table?: readonly ProcessRow[]): readonly ProcessRow[] {
    // Who is not known by now cannot be found any more.
    if (this.#hasLooked && this.#known.length === 0) return this.#known;
    return this.#lookAt(table ?? processTable());
  }

  #lookAt(table: readonly ProcessRow[] | undefined): readonly ProcessRow[] {
    // The number of an ended process may come back as another's session, once the last one in that session has gone.
    const session = this.#hasLooked ? [] : [this.pid];
    this.#hasLooked = this.#hasExited;
    this.#known = table === undefined ? groupOf(this.pid) : kinOf(table, this.#known, session);
    return this.#known;
  }

  /**
   * Whether the first process, which has ended, left nobody behind. Its group is asked at once; whoever has left that is
   * looked for a little later, because to look costs as much as to start a small program.
   */
  async leftNobody(): Promise<boolean> {
    await this.#exited;
    if (groupOf(this.pid).length > 0) return false;
    return (await lookLater((table) => this.look(table))).length === 0;
  }

  /** Whether all have gone within this time, by themselves or because they are killed. */
  async goneWithin(ms: number, way: "alone" | "killed" = "alone"): Promise<boolean> {
    const until = performance.now() + ms;
    for (let pause = 2; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      // Again and again: who was being started while the others were killed is reached the next time.
      const there = way === "killed" ? this.signal("SIGKILL") : this.look();
      if (this.#hasExited && there.length === 0) return true;
      const left = until - performance.now();
      if (!(left > 0)) return false;
      const isIdle = way === "alone" && !this.#hasExited;
      await this.#exitedWithin(isIdle ? left : Math.min(pause, left));
    }
  }

  /** TERM to all, and KILL to those who have not gone in time. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    // Only once, and not to those who come later: a program may start others to clean up.
    this.signal("SIGTERM");
    if (!(await this.goneWithin(this.#graceMs))) await this.goneWithin(LAST_WAIT_MS, "killed");
  }

  async #exitedWithin(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER));
    });
    await (this.#hasExited ? late : Promise.race([this.#exited, late]));
    clearTimeout(timer);
  }

  /** Signals all whom this signal has not reached yet; gives the groups there are. */
  signal(signal: EndingSignal): readonly number[] {
    if (process.platform === "win32") return endOnWindows(this.pid, this.#hasExited);
    const rows = this.look();
    const fresh = rows.filter((row) => !this.#reached.has(markOf(signal, row)));
    const split = new Set(rows.filter((row) => !fresh.includes(row)).map(({ group }) => group));
    // A group is reached at once, also those in it who are being started now.
    const targets = new Set(fresh.map(({ pid, group }) => (split.has(group) ? pid : -group)));
    for (const target of targets) kill(target, signal);
    for (const row of fresh) this.#reached.add(markOf(signal, row));
    return [...new Set(rows.map(({ group }) => group))];
  }
}

type EndingSignal = "SIGTERM" | "SIGKILL";

/** Those who were known, who are in these sessions or in that of somebody known, and whoever was started by one of them. */
export function kinOf(
  table: readonly ProcessRow[],
  known: readonly ProcessRow[],
  ownSessions: readonly number[],
): readonly ProcessRow[] {
  const sessions = new Set([...ownSessions, ...known.map(({ session }) => session)]);
  const startedAt = new Map(known.map(({ pid, started }) => [pid, started]));
  const kin = new Map<number, ProcessRow>();
  let size: number;
  do {
    size = kin.size;
    for (const row of table) {
      // No family has these sessions; who has them would lead to everybody.
      if (row.session <= 1) continue;
      if (!kin.has(row.parent) && !sessions.has(row.session) && startedAt.get(row.pid) !== row.started) continue;
      kin.set(row.pid, row);
      sessions.add(row.session);
    }
  } while (kin.size > size);
  return [...kin.values()];
}

/** Where the system does not tell who is there: one row that stands for the whole group. */
function groupOf(pid: number): readonly ProcessRow[] {
  return kill(-pid, 0) ? [{ pid, parent: 0, group: pid, session: pid, started: "" }] : [];
}

function kill(target: number, signal: EndingSignal | 0): boolean {
  // These two would be our own group, and everybody.
  if (target === 0 || target === -1) return false;
  return orElse(() => process.kill(target, signal), false);
}

function markOf(signal: EndingSignal, { pid, started }: ProcessRow): string {
  return `${signal} ${pid} ${started}`;
}

/** Windows knows neither groups nor TERM, and finds nobody whose parent has gone. */
function endOnWindows(pid: number, hasExited: boolean): readonly number[] {
  if (!hasExited) spawnSync("taskkill", ["/PID", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
  return [];
}
