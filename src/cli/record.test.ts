import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Captured, runCaptured } from "./fixtures/run-captured.js";

const cwd = mkdtempSync(join(tmpdir(), "plico-record-command-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

// Another answer each time it runs.
writeFileSync(join(cwd, "which.sh"), '#!/bin/sh\n[ "$1" = --schema ] && exit 2\necho "{\\"pid\\": $$}"\n', {
  mode: 0o755,
});
const SOURCE = ["--script", "which.sh"];

function plico(...argv: string[]): Promise<Captured> {
  return runCaptured(argv, { cwd });
}

describe("plico record", () => {
  test("keeps a call, which is then replayed without its source", async () => {
    const recorded = await plico("record", "one.jsonl", "call", "which", ...SOURCE);
    expect(recorded).toMatchObject({ code: 0, err: "" });
    expect(await plico("call", "which", "--replay", "one.jsonl")).toEqual(recorded);
  });

  test("adds to a recording, whose answers are given in their order", async () => {
    const file = "two.jsonl";
    const first = await plico("record", file, "call", "which", ...SOURCE, "--data");
    const second = await plico("record", file, "call", "which", ...SOURCE, "--data");
    expect(second.out).not.toBe(first.out);
    expect(await plico("call", "which", "--replay", file, "--data")).toEqual(first);
    const replayed = await served(["serve", "--replay", file], async (url) => [await callOn(url), await callOn(url)]);
    expect(replayed).toMatchObject([{ data: JSON.parse(first.out) }, { data: JSON.parse(second.out) }]);
  });

  test("leaves a file alone that is no recording", async () => {
    writeFileSync(join(cwd, "mine.txt"), "Dear diary\n");
    const { code } = await plico("record", "mine.txt", "call", "which", ...SOURCE);
    expect(code).toBe(2);
    expect(readFileSync(join(cwd, "mine.txt"), "utf8")).toBe("Dear diary\n");
  });

  test.each([
    [["record"]],
    [["record", "call", "which"]],
    [["record", "three.jsonl", "which"]],
    [["record", "three.jsonl", "call", "which", "--stdio"]],
    [["record", "three.jsonl", "serve", "--yes"]],
    [["record", "three.jsonl", "call", "which", "--replay", "one.jsonl"]],
  ])("refuses %j", async (argv) => {
    expect(await plico(...argv)).toMatchObject({ code: 2, out: "" });
  });
});

describe("plico serve", () => {
  test("records what is called, and serves it again without its sources", async () => {
    const recorded = await served(["record", "served.jsonl", ...SOURCE], callOn);
    expect(recorded).toMatchObject({ success: true, data: { pid: expect.any(Number) } });
    expect(await served(["serve", "--replay", "served.jsonl"], callOn)).toEqual(recorded);
  });
});

/** Serves on a port that is free, until the work is done. */
async function served<Result>(argv: readonly string[], work: (url: string) => Promise<Result>): Promise<Result> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let result: Promise<Result> | undefined;
  const { code, err } = await runCaptured([...argv, "--port", String(port)], {
    cwd,
    onStart: (send) => {
      result = expect
        .poll(
          () =>
            fetch(`${url}/readyz`).then(
              ({ ok }) => ok,
              () => false,
            ),
          { timeout: 10_000 },
        )
        .toBe(true)
        .then(() => work(url))
        .finally(() => send("SIGINT"));
    },
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return result as Promise<Result>;
}

async function callOn(url: string): Promise<unknown> {
  return (await fetch(`${url}/operations/which.which`, { method: "POST" })).json();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
