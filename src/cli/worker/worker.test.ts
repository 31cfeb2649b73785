import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { describeWith } from "../../../test/describe-with.js";
import { type NatsServer, natsServer } from "../../../test/nats-server.js";
import { within } from "../../../test/own-time.js";
import { programOnThisMachine } from "../../../test/program.js";
import { type Captured, runCaptured } from "../fixtures/run-captured.js";
import { type StayingCommand, stayingCommand } from "../fixtures/staying-command.js";

const folder = mkdtempSync(join(tmpdir(), "plico-worker-"));
const PASSWORD = "pass-0123456789";

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sourcesOf = (...names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, { openapi: `./${name}.json` }]));

function configure(file: string, servers: object, sources: object = sourcesOf("math")): void {
  writeFileSync(join(folder, file), JSON.stringify({ sources, servers }));
}

/** An API with one operation, which nobody calls here. */
for (const name of ["math", "more"])
  writeFileSync(
    join(folder, `${name}.json`),
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: name, version: "1.0.0" },
      servers: [{ url: "http://127.0.0.1:1" }],
      paths: { "/next": { get: { operationId: "next", responses: { 200: { description: "ok" } } } } },
    }),
  );

const run = (...argv: readonly string[]): Promise<Captured> => runCaptured(argv, { cwd: folder });

const working: StayingCommand[] = [];

async function worker(...words: readonly string[]): Promise<StayingCommand> {
  const command = stayingCommand(["worker", ...words], folder);
  working.push(command);
  await command.until(/Ctrl-C ends it|"Serving"/);
  return command;
}

describe("plico worker", () => {
  test.each<[string, readonly string[], number]>([
    ["where NATS is not said", ["--openapi", "math.json"], 2],
    ["an address of something else", ["--openapi", "math.json", "--nats", "https://example.com"], 2],
    ["an empty address", ["--openapi", "math.json", "--nats", ""], 2],
    ["a word too many", ["--openapi", "math.json", "--nats", "localhost", "more"], 2],
    ["a server that is not there", ["--openapi", "math.json", "--nats", "nats://127.0.0.1:1"], 69],
  ])("refuses %s in a line, with the exit code of its category", async (_, words, exitCode) => {
    const { code, out, err } = await run("worker", ...words);
    expect({ code, out }).toEqual({ code: exitCode, out: "" });
    expect(err.replace(/\nUsage: .*/, "").trimEnd()).toMatch(/^plico: .+$/);
  });
});

describeWith("plico worker on NATS", programOnThisMachine("nats-server"), (program) => {
  let server: NatsServer;
  const url = (user = "worker", password = PASSWORD): string => `nats://${user}:${password}@127.0.0.1:${server.port}`;

  beforeAll(async () => {
    const user = (name: string, denied: string): string =>
      `{ user: ${name}, password: "${PASSWORD}", permissions: { subscribe: { deny: ["${denied}"] } } }`;
    const users = [user("worker", "nothing"), user("mathematician", "*.call.more.>"), user("deaf", "*.call.>")];
    server = await natsServer(program, { config: `authorization { users: [${users.join(", ")}] }` });
  });

  afterEach(async () => {
    await Promise.all(working.splice(0).map((one) => one.end()));
  });

  afterAll(() => server?.close());

  test("says where it serves and which sources came up, tells no secret, and ends in good order", async () => {
    const { until, end } = await worker("--nats", url(), "--openapi", "math.json");
    await until(/math is up/);
    expect((await run("ls", "--nats", url())).out).toMatch(/math\.next/);
    const { code, out, err } = await end("SIGTERM");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`nats://127.0.0.1:${server.port}`);
    expect(out).not.toContain(PASSWORD);
    expect((await run("ls", "--nats", url())).out).toMatch(/fleet {2}nats {2}ready {2}0 operations/);
  });

  test("does what its file says, and follows it", async () => {
    const nats = { url: `nats://127.0.0.1:${server.port}`, user: "worker", password: PASSWORD, prefix: "other" };
    configure("followed.json", { nats });
    const { until } = await worker("--config", "followed.json");
    await until(/math is up/);
    configure("there.json", {}, { fleet: { nats: url(), subjects: "other" } });
    const listed = async (config: string): Promise<string> => (await run("ls", "--config", config)).out;
    expect(await listed("there.json")).toMatch(/math\.next/);
    configure("followed.json", { nats }, sourcesOf("more"));
    await until(/read again/);
    await expect.poll(() => listed("there.json")).toMatch(/ready {2}1 operation, .*\n.*more\.next/);
    configure("followed.json", { nats: { ...nats, prefix: "third" } }, sourcesOf("more"));
    configure("third.json", {}, { fleet: { nats: url(), subjects: "third" } });
    await expect.poll(() => listed("third.json")).toMatch(/more\.next/);
  });

  test("is refused with a wrong password, which is not shown", async () => {
    const { code, err } = await run("worker", "--openapi", "math.json", "--nats", url("worker", "wrong-0123456789"));
    expect(code).toBe(67);
    expect(err).not.toContain("wrong-0123456789");
  });

  test("that may hear some of its calls says in one line what it may not", async () => {
    configure("confined.json", { nats: { url: url("mathematician"), prefix: "confined" } }, sourcesOf("math", "more"));
    const { until, written } = await worker("--config", "confined.json", "--log-level", "debug");
    await until(/ warn .*confined\.call\.more\.next\.v1\.\*.* 1 more subject\b/);
    expect(written().match(/ warn /g)).toHaveLength(1);
    expect(written().match(/ debug .*subscribe to confined\.call\.more\.next/g)).toHaveLength(2);
  });

  test("that may hear none of its calls ends with the exit code of authorization", async () => {
    const { code, out, err } = await run("worker", "--openapi", "math.json", "--nats", url("deaf"));
    expect({ code, err }).toEqual({ code: 77, err: expect.stringMatching(/^plico: .*plico\.call\.math\.next.*\n$/) });
    expect(out).not.toMatch(/ warn /);
  });

  test("is told by doctor whether NATS lets it in, without the password", async () => {
    const told = async (password: string) => {
      configure("doctor.json", { nats: { url: url("worker", password) }, http: { port: 0 } });
      const { out } = await run("doctor", "--json", "--config", "doctor.json");
      expect(out).not.toContain(password);
      return JSON.parse(out).findings.find(({ about }: { about: string }) => about === "worker");
    };
    expect(await told(PASSWORD)).toEqual({
      level: "ok",
      about: "worker",
      message: `NATS lets us in at nats://127.0.0.1:${server.port}`,
    });
    expect(await told("wrong-0123456789")).toMatchObject({ level: "warn", fix: expect.stringContaining("password") });
  });

  test("does not serve again what it imports itself, and says so once", async () => {
    const { until: first } = await worker("--nats", url(), "--openapi", "math.json");
    await first(/math is up/);
    const circle = { fleet: { nats: url() }, ...sourcesOf("more") };
    configure("circle.json", { nats: { url: url(), name: "circle" } }, circle);
    const { until, written } = await worker("--config", "circle.json");
    await until(/fleet is up/);
    await until(/more is up/);
    await until(/imported from plico are not offered/);
    const { out } = await run("ls", "--json", "--nats", url());
    const [{ operations }] = JSON.parse(out).sources;
    expect(operations.map(({ id }: { id: string }) => id).sort()).toEqual(["math.next", "more.next"]);
    expect(written().match(/are not offered/g)).toHaveLength(1);
  });

  test("waits for running calls no longer than its file says", async () => {
    writeFileSync(join(folder, "slow.sh"), "#!/bin/sh\n: > begun\nexec sleep 60\n", { mode: 0o755 });
    const slow = { slow: { script: ["./slow.sh"], describe: false } };
    configure("slow.json", { nats: { url: url(), prefix: "slow", drainMs: 50 } }, slow);
    configure("slow-caller.json", {}, { fleet: { nats: url(), subjects: "slow" } });
    const { until, end } = await worker("--config", "slow.json");
    await until(/slow is up/);
    const call = run("call", "slow.slow", "--config", "slow-caller.json");
    await expect.poll(() => existsSync(join(folder, "begun"))).toBe(true);
    expect(await within(5_000, end())).toMatchObject({ code: 0, err: "" });
    expect(await call).toMatchObject({ code: 69 });
  });

  test("writes nothing but JSON where that is wanted", async () => {
    const { until, end } = await worker("--nats", url(), "--openapi", "math.json", "--log-format", "json");
    await until(/math is up/);
    const { out } = await end();
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({
      message: "Serving",
      nats: `nats://127.0.0.1:${server.port}`,
      subjects: "plico.>",
    });
  });
});
