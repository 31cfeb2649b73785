import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { describeWith } from "./describe-with.js";
import { BINARY, type Served, Stage } from "./gateway-stage.js";
import { type NatsServer, natsServer } from "./nats-server.js";
import { programOnThisMachine } from "./program.js";

const SECRET = "0123456789abcdef";

/** An operation that tells its caller who it is, and wants a scope for that. */
const WHO = `export const me = {
  namespace: "who", name: "me", version: "1.0.0", type: "query", description: "Who calls.",
  inputSchema: { type: "object" }, outputSchema: true, accessControl: { requiredScopes: ["staff"] },
  handler: (_, { identity }) => identity.id,
};`;

/** One that says when it has begun, and ends when it may. */
const SLOW = `import { existsSync, writeFileSync } from "node:fs";
export const wait = {
  namespace: "slow", name: "wait", version: "1.0.0", type: "mutation", description: "Waits.",
  inputSchema: { type: "object" }, outputSchema: true,
  async handler() {
    writeFileSync("begun", "");
    while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 10));
    return "done";
  },
};`;

describeWith("a gateway in front of workers", programOnThisMachine("nats-server"), (program) => {
  let server: NatsServer;
  let stage: Stage;
  const tools = { tools: { module: "./tools.mjs" } };

  beforeAll(async () => {
    server = await natsServer(program);
  });

  beforeEach(async () => {
    stage = await Stage.open();
    stage.configure(tools);
  });

  afterEach(() => stage.close());
  afterAll(() => server?.close());

  const worker = async (...words: readonly string[]): Promise<Served> => {
    const started = await stage.started(["worker", "--nats", server.url, ...words], /Ctrl-C ends it/);
    await expect.poll(() => started.said()).toContain("is up");
    return started;
  };

  const configured = (name: string, config: object): readonly string[] => {
    stage.write(name, JSON.stringify(config));
    return ["--config", name];
  };

  async function post(url: string, operation: string, input: object, token = ""): Promise<unknown> {
    const headers = { "content-type": "application/json", ...(token !== "" && { authorization: `Bearer ${token}` }) };
    const response = await fetch(`${url}/operations/${operation}`, {
      method: "POST",
      headers,
      body: JSON.stringify(input),
    });
    return response.json();
  }

  test("calls what another process offers as if it were here, and with the same failures", async () => {
    await worker();
    const call = (...words: readonly string[]) => stage.pipe(["call", ...words, "--nats", server.url]);
    expect(await call("tools.add", "a=2", "b=3", "--data")).toMatchObject({ code: 0, out: '{"sum":5}\n' });
    const [here, there] = await Promise.all([
      stage.pipe(["call", "tools.add", "--input", '{"a":"x"}', "--as", "problem-details"]),
      call("tools.add", "--input", '{"a":"x"}', "--as", "problem-details"),
    ]);
    expect({ ...there, err: "" }).toEqual({ ...here, err: "" });
    expect(here.code).toBe(2);
  });

  test("lets running calls finish when a worker is ended", async () => {
    stage.write("slow.mjs", SLOW);
    const { end } = await worker("--module", "slow.mjs");
    const calling = stage.pipe(["call", "slow.wait", "--data", "--nats", server.url]);
    await expect.poll(() => existsSync(stage.path("begun"))).toBe(true);
    const ended = end();
    const ls = (): Promise<string> => stage.pipe(["ls", "--nats", server.url]).then(({ out }) => out);
    await expect.poll(ls).toMatch(/0 operations/);
    stage.write("go", "");
    expect(await calling).toMatchObject({ code: 0, out: '"done"\n' });
    expect(await ended).toMatchObject({ code: 0, err: "" });
  });

  test("is up before any worker, has what comes, and goes on when NATS is started again", async () => {
    const gateway = await stage.serve(...configured("gateway.json", { sources: { fleet: { nats: server.url } } }));
    await expect.poll(() => gateway.said()).toContain("fleet is up");
    const one = await worker();
    await expect.poll(() => post(gateway.url, "tools.add", { a: 1, b: 2 })).toMatchObject({ data: { sum: 3 } });
    await server.restart();
    await expect.poll(() => one.said()).toContain("The connection to NATS is back");
    await expect.poll(() => post(gateway.url, "tools.add", { a: 2, b: 2 })).toMatchObject({ data: { sum: 4 } });
    expect(gateway.said()).toContain("fleet is down: The connection to NATS is lost for now.");
    expect(await gateway.end()).toMatchObject({ code: 0 });
  });

  test("tells workers for whom it calls, who believe it with the secret only", async () => {
    stage.write("who.mjs", WHO);
    const sources = { who: { module: "./who.mjs" } };
    const believing = (prefix: string, secret: string) => ({
      sources,
      servers: { nats: { prefix, trust: { secret } } },
    });
    const auth = { tokens: { eve: { token: "token-of-eve-0123", scopes: ["staff"] } } };
    const fleet = (subjects: string) => ({ nats: server.url, subjects, sign: SECRET });
    const gateways = {
      sources: { good: fleet("good"), bad: { ...fleet("bad"), namespace: "bad" } },
      servers: { auth },
    };
    const [gateway] = await Promise.all([
      stage.serve(...configured("gateway.json", gateways)),
      worker(...configured("good.json", believing("good", SECRET))),
      worker(...configured("bad.json", believing("bad", "another-secret-0123"))),
    ]);
    const called = (id: string) => () => post(gateway.url, id, {}, "token-of-eve-0123");
    await expect.poll(called("who.me")).toMatchObject({ success: true, data: { result: "eve" } });
    await expect.poll(called("bad.me")).toMatchObject({ data: { error_code: "ACCESS_DENIED" } });
  });

  test("says what to install where the client of NATS is missing", () => {
    const folder = mkdtempSync(join(tmpdir(), "plico-bare-"));
    try {
      cpSync(dirname(BINARY), join(folder, "bin"), { recursive: true });
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      writeFileSync(join(folder, "plico.json"), '{ "sources": {} }');
      const words = [join(folder, "bin/plico.js"), "worker", "--nats", server.url];
      const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
      expect(status).toBe(69);
      expect(stderr).toMatch(/^plico: .*npm install @nats-io\/transport-node$/m);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
