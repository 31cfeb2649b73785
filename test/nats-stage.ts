import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Fault, type HistoryEvent, readHistory } from "./nats-history.js";
import { type NatsProxy, natsProxy } from "./nats-proxy.js";
import type { NatsServer } from "./nats-server.js";

export type Role = "worker" | "caller";

/** A process under test, with the networks between it and each server. */
export interface Member {
  readonly name: string;
  readonly role: Role;
  readonly child: ChildProcess;
  readonly proxies: readonly NatsProxy[];
  readonly file: string;
  /** That it ends is no accident. */
  isExpectedToEnd: boolean;
}

/** What a process says of itself; a caller has `calls` and `pending`, a worker what is `running`. */
export interface MemberState {
  readonly calls?: number;
  readonly pending?: number;
  readonly running?: number;
  readonly heapUsed: number;
  readonly counts?: Readonly<Record<string, number>>;
}

export interface StageOptions {
  readonly servers: readonly NatsServer[];
  readonly seed: number;
  /** Of every caller, by the kind of call. */
  readonly lanes: Readonly<Record<string, Lanes>>;
  readonly replicas?: number;
}

interface Lanes {
  readonly count: number;
  /** How many calls each makes at a time. @default 1 */
  readonly together?: number;
  /** How long it waits, when they have ended, for the next. */
  readonly pauseMs: number;
}

/** `PLICO_FAULTS=told` says more of a run, and keeps its histories. */
export const IS_TOLD: boolean = process.env["PLICO_FAULTS"] === "told";

const HEARTBEAT = 200;

/** Detects a dead network in about a second. */
const CONNECTION = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 50,
  reconnectJitter: 50,
  pingInterval: 400,
  maxPingOut: 2,
  timeout: 1000,
  waitOnFirstConnect: true,
  ignoreClusterUpdates: true,
};

/** Callers, workers, and what is done to them. */
export class FaultStage {
  /** Those that are ready. */
  readonly members: Member[] = [];
  readonly #all: Member[] = [];
  readonly #options: StageOptions;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "plico-faults-"));
  readonly #faults: Fault[] = [];
  /** What nobody has done: processes that ended by themselves. */
  readonly accidents: string[] = [];
  #started = 0;
  #callsOfGone = 0;

  constructor(options: StageOptions) {
    this.#options = options;
  }

  of(role: Role): readonly Member[] {
    return this.members.filter((member) => member.role === role);
  }

  async start(role: Role, settings: Readonly<Record<string, unknown>> = {}): Promise<Member> {
    this.#started += 1;
    const name = `${role}-${this.#started}`;
    const file = join(this.#folder, `${name}.jsonl`);
    const proxies = await Promise.all(this.#options.servers.map(({ port }) => natsProxy(port)));
    const given = { servers: proxies.map(({ url }) => url), name, file, connection: CONNECTION };
    const child = startProgram(role, { ...given, ...this.#settings(role), ...settings });
    const member: Member = { name, role, child, proxies, file, isExpectedToEnd: false };
    this.#all.push(member);
    const told = this.#watch(member);
    await said(child, "ready").catch((thrown) => {
      throw new Error(`${name}: ${thrown.message} ${told()}`);
    });
    this.members.push(member);
    return member;
  }

  /** Does something to somebody, and notes it. */
  async fault<Result>(fault: string, on: string, act: () => Promise<Result>): Promise<Result> {
    const at = Date.now();
    const noted = { is: "fault", by: "stage", fault, on, at, until: Number.POSITIVE_INFINITY } as const;
    const place = this.#faults.push(noted) - 1;
    try {
      return await act();
    } finally {
      this.#faults[place] = { ...noted, until: Date.now() };
    }
  }

  async kill(member: Member): Promise<void> {
    member.isExpectedToEnd = true;
    await this.fault("kill", member.name, () => end(member));
    this.#forget(member);
  }

  async pause({ name, child }: Member, milliseconds: number): Promise<void> {
    await this.fault("pause", name, async () => {
      child.kill("SIGSTOP");
      await delay(milliseconds);
      child.kill("SIGCONT");
    });
  }

  async disturb({ name, proxies }: Member, how: "cut" | "blackhole" | "slow", milliseconds: number): Promise<void> {
    await this.fault(how, name, async () => {
      for (const proxy of proxies) proxy[how](20);
      await delay(milliseconds);
      for (const proxy of proxies) proxy.heal();
      // The other side of a dead network may wait long before it tries again.
      for (let looks = 0; looks < 60 && proxies.every(({ connections }) => connections === 0); looks += 1)
        await delay(50);
    });
  }

  /** Asks a worker to end when it has done what it has begun. */
  async drain(member: Member): Promise<void> {
    member.isExpectedToEnd = true;
    await this.fault("drain", member.name, async () => {
      const gone = once(member.child, "exit");
      member.child.send("drain");
      await gone;
    });
    this.#forget(member);
  }

  /** What a caller that was killed had begun to order, for another to take up. */
  ordersOf({ file }: Member): readonly unknown[] {
    const events = readHistory([file]);
    const ended = new Set(events.flatMap((event) => (event.is === "end" ? [event.id] : [])));
    return events.flatMap((event) =>
      event.is === "begin" && event.kind === "order" && !ended.has(event.id) ? [event] : [],
    );
  }

  /** How many calls were begun, also by callers that are gone. */
  async calls(): Promise<number> {
    const states = await Promise.all(this.of("caller").map((caller) => this.ask(caller, "count")));
    return states.reduce((sum, { calls = 0 }) => sum + calls, this.#callsOfGone);
  }

  async ask({ child }: Member, word: "state" | "count" | "stop"): Promise<MemberState> {
    const answer = said(child, "state");
    child.send(word);
    return (await answer) as MemberState;
  }

  /** What is being done and does not end. */
  get underWay(): readonly string[] {
    return this.#faults
      .filter(({ until }) => until === Number.POSITIVE_INFINITY)
      .map(({ fault, on }) => `${fault} ${on}`);
  }

  history(): HistoryEvent[] {
    return [...this.#faults, ...readHistory(this.#all.map(({ file }) => file))];
  }

  /** Ends everything, however it went. */
  async close(): Promise<void> {
    for (const member of this.#all) member.isExpectedToEnd = true;
    await Promise.all(this.#all.map(end));
    if (IS_TOLD) console.log(`The histories are in ${this.#folder}`);
    else rmSync(this.#folder, { recursive: true, force: true });
  }

  #settings(role: Role): Readonly<Record<string, unknown>> {
    const { seed, lanes, replicas = 1 } = this.#options;
    const streams = { replicas };
    if (role === "worker") return { durability: { ackWaitMs: 1000, maxDeliver: 50, streams } };
    const source = { heartbeat: HEARTBEAT, caller: "tester", refreshMs: 1000 };
    const sizes = { big: 400_000, ticks: [...Array(19).fill(0), 100_000] };
    return { source, seed: seed + this.#started, lanes, sizes, orphans: [] };
  }

  /** Returns what tells the last words of the process. */
  #watch(member: Member): () => string {
    let told = "";
    member.child.stderr?.on("data", (data: Buffer) => {
      told = (told + data.toString()).slice(-4000);
    });
    member.child.once("close", (code, signal) => {
      if (!member.isExpectedToEnd) this.accidents.push(`${member.name} ended with ${code ?? signal}: ${told}`);
      else if (code !== null && code !== 0) this.accidents.push(`${member.name} ended with ${code}: ${told}`);
    });
    return () => told;
  }

  #forget(member: Member): void {
    this.#callsOfGone += readHistory([member.file]).filter((event) => event.is === "begin").length;
    this.members.splice(this.members.indexOf(member), 1);
    void Promise.all(member.proxies.map((proxy) => proxy.close()));
  }
}

function startProgram(role: Role, settings: unknown): ChildProcess {
  const program = fileURLToPath(new URL(`nats-${role}-program.mjs`, import.meta.url));
  const words = ["--expose-gc", program, JSON.stringify(settings)];
  return spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
}

/** The next message with that key. */
async function said(child: ChildProcess, key: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onClose = (code: number | null): void => reject(new Error(`It ended with ${code} before it was ${key}.`));
    const onMessage = (message: unknown): void => {
      if (typeof message !== "object" || message === null || !(key in message)) return;
      child.off("close", onClose).off("message", onMessage);
      resolve((message as Record<string, unknown>)[key]);
    };
    child.once("close", onClose).on("message", onMessage);
  });
}

async function end({ child, proxies }: Member): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
  await Promise.all(proxies.map((proxy) => proxy.close()));
}
