import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { watchResources } from "./left-behind.js";
import { type Ending, openScript } from "./script-trial.js";

const PATIENCE = { timeout: 60_000 };
const HUNDRED_MB = 100_000_000;
const TWENTY_MB = 20_000_000;
const ROOM = { maxOutputBytes: 2 * HUNDRED_MB };
const HEAD = `{"schema_version":"1.0.0","status":"ok","error":null,"agent":"claude","ts":"2026-05-01T09:30:00Z"`;

const assertNothingLeft = watchResources();
const kitHelper = fileURLToPath(new URL("fixtures/scripts-hostile/much.mjs", import.meta.url));

/** What a file holds. */
interface Whole {
  readonly length: number;
  readonly hash: string;
}

let folder: string;
let file: string;
let whole: Whole;
/** As much as many fillings of a pipe, for what differs only in who reads or writes. */
let smallFile: string;
let smallWhole: Whole;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plico-flood-"));
  file = join(folder, "much.txt");
  smallFile = join(folder, "less.txt");
  const text = randomBytes((HUNDRED_MB / 4) * 3).toString("base64");
  const start = text.slice(0, TWENTY_MB);
  whole = wholeOf(text);
  smallWhole = wholeOf(start);
  await Promise.all([writeFile(file, text), writeFile(smallFile, start)]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function wholeOf(text: string): Whole {
  return { length: text.length, hash: hashOf(text) };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function dataOf(end: Ending): unknown {
  if ("error" in end) throw end.error;
  return end.envelope.data;
}

/** Keeps this process from reading most of the time. */
async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    const until = performance.now() + 15;
    while (performance.now() < until);
  }, 20);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** How much memory this process takes at most, above what it takes now. */
async function mostMemory(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}

describe("100 MB through a pipe are whole", () => {
  test("as a text", PATIENCE, async () => {
    const { source, call } = await openScript({ command: ["cat", file], outputAs: "text", ...ROOM });
    const text = dataOf(await call()) as string;
    expect(wholeOf(text)).toEqual(whole);
    await source.close();
  });

  test("as a document in odd pieces, to a reader who is busy", PATIENCE, async () => {
    const sh = `printf '%s,"text":"' '${HEAD}'; dd if="$1" bs=7919 status=none; printf '"}'`;
    const { source, call } = await openScript({ command: ["sh", "-c", sh, "sh", file], ...ROOM });
    const { text } = dataOf(await whileBusy(() => call())) as { text: string };
    expect(wholeOf(text)).toEqual(whole);
    await source.close();
  });

  test.each(["run", "emit"])("by the kit (%s), to a reader who is busy", PATIENCE, async (how) => {
    const command = [process.execPath, kitHelper, how, file];
    const { source, call } = await openScript({ command, outputAs: "helper-output", describe: false, ...ROOM });
    const { text } = dataOf(await whileBusy(() => call())) as { text: string };
    expect(wholeOf(text)).toEqual(whole);
    await source.close();
  });

  test("as far as an input may go, into a program", PATIENCE, async () => {
    const input = { text: randomBytes(7_000_000).toString("base64") };
    const { source, call } = await openScript({ command: ["sha256sum"], inputAs: "stdin", outputAs: "text" });
    expect(dataOf(await whileBusy(() => call(input)))).toContain(hashOf(`${JSON.stringify(input)}\n`));
    await source.close();
  });

  test("not where there is no room for them", PATIENCE, async () => {
    const { source, call } = await openScript({ command: ["cat", file], outputAs: "text" });
    const end = await call();
    expect(end).toMatchObject({ error: { code: "PAYLOAD_TOO_LARGE" } });
    await source.close();
  });
});

describe("20 MB through a pipe are whole", () => {
  test.each(["run", "emit"])("by the kit (%s), to a reader who pauses", PATIENCE, async (how) => {
    const child = spawn(process.execPath, [kitHelper, how, smallFile], { stdio: ["ignore", "pipe", "inherit"] });
    const { text } = JSON.parse(await readSlowly(child.stdout)) as { text: string };
    expect(wholeOf(text)).toEqual(smallWhole);
    if (child.exitCode === null) await once(child, "exit");
    expect(child.exitCode).toBe(0);
  });

  async function readSlowly(stream: Readable): Promise<string> {
    const chunks: Buffer[] = [];
    let sinceLast = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      sinceLast += chunk.length;
      if (sinceLast > 1_000_000) await delay(20);
      if (sinceLast > 1_000_000) sinceLast = 0;
    }
    return Buffer.concat(chunks).toString();
  }
});

describe("a helper by the kit whose reader goes away", () => {
  test.each(["run", "emit"])("ends quietly (%s)", PATIENCE, async (how) => {
    const child = spawn(process.execPath, [kitHelper, how, smallFile], { stdio: ["ignore", "pipe", "pipe"] });
    let complaints = "";
    child.stderr.on("data", (chunk: Buffer) => {
      complaints += chunk.toString();
    });
    await once(child.stdout, "readable");
    child.stdout.destroy();
    const [, signal] = await once(child, "close");
    expect({ signal, complaints }).toEqual({ signal: null, complaints: "" });
  });
});

describe("a flood", () => {
  test("of 1 GB on stderr costs no memory and holds nobody up", PATIENCE, async () => {
    const sh = `head -c 1000000000 /dev/zero >&2; echo '{"done":true}'`;
    const { source, call } = await openScript({ command: ["sh", "-c", sh] });
    const grown = await mostMemory(async () => expect(dataOf(await call())).toEqual({ done: true }));
    expect(grown).toBeLessThan(200_000_000);
    await source.close();
  });

  test("of lines on stderr is told line by line", PATIENCE, async () => {
    let lines = 0;
    const onStderr = (line: string) => {
      if (line === "a line") lines += 1;
    };
    const sh = `yes 'a line' | head -n 1000000 >&2; echo '{"done":true}'`;
    const { source, call } = await openScript({ command: ["sh", "-c", sh], onStderr });
    const grown = await mostMemory(async () => expect(dataOf(await call())).toEqual({ done: true }));
    expect(lines).toBe(1_000_000);
    expect(grown).toBeLessThan(200_000_000);
    await source.close();
  });

  test("of one endless line on stderr costs no memory, although somebody listens who throws", PATIENCE, async () => {
    const onStderr = () => {
      throw new Error("not interested");
    };
    const sh = `head -c 100000000 /dev/zero | tr '\\0' e >&2; echo '{"done":true}'`;
    const { source, call } = await openScript({ command: ["sh", "-c", sh], onStderr });
    const grown = await mostMemory(async () => expect(dataOf(await call())).toEqual({ done: true }));
    expect(grown).toBeLessThan(200_000_000);
    await source.close();
  });

  test("on stdout costs no more memory than an answer may", PATIENCE, async () => {
    const { source, call } = await openScript({ command: ["cat", "/dev/zero"], maxOutputBytes: 10_000_000 });
    const grown = await mostMemory(async () => expect(await call()).toHaveProperty("error.code", "PAYLOAD_TOO_LARGE"));
    expect(grown).toBeLessThan(200_000_000);
    await source.close();
  });
});

test("nothing is left of all these programs", PATIENCE, assertNothingLeft);
