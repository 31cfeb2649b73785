import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "./describe-with.js";
import { type Served, Stage } from "./gateway-stage.js";
import { type NatsServer, natsServer } from "./nats-server.js";
import { programOnThisMachine } from "./program.js";

const example = (file: string): string => fileURLToPath(new URL(`../examples/nats/${file}`, import.meta.url));

const USERS = ["ADA", "GRACE", "WORKER", "OPERATOR"].map((user) => `${user}_PASSWORD`);
const SECRETS: Readonly<Record<string, string>> = Object.fromEntries(
  [...USERS, "PLICO_SECRET", "ROOT_TOKEN", "GUEST_TOKEN"].map((name) => [name, `${name}-0123456789`]),
);

/** The example as it is, but for where it listens and what comes from the environment. */
function serverConfig(): string {
  return readFileSync(example("nats-server.conf"), "utf8")
    .replace(/^(listen|jetstream)\b.*$/gm, "")
    .replaceAll(/\$([A-Z]+_PASSWORD)/g, (_, name: string) => JSON.stringify(SECRETS[name]));
}

describeWith("the example of workers and a gateway on NATS", programOnThisMachine("nats-server"), (program) => {
  let nats: NatsServer;
  let stage: Stage;
  let gateway: Served;

  beforeAll(async () => {
    [nats, stage] = await Promise.all([natsServer(program, { jetstream: true, config: serverConfig() }), Stage.open()]);
    stage.env = { ...SECRETS, NATS_URL: nats.url };
    [gateway] = await Promise.all([
      stage.serve("--config", example("gateway/plico.json")),
      stage.started(["worker", "--config", example("worker/plico.json")], /admin is up/),
    ]);
  }, 20_000);

  afterAll(async () => {
    await stage?.close();
    await nats?.close();
  });

  async function post(operation: string, input: unknown, token?: string): Promise<{ status: number; body: unknown }> {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${SECRETS[token]}` };
    const response = await fetch(`${gateway.url}/operations/${operation}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...authorization },
      body: JSON.stringify(input),
    });
    return { status: response.status, body: await response.json() };
  }

  test("answers whoever has a token, and nobody else", async () => {
    const sum = () => post("math.sum", { numbers: [1, 2] }, "GUEST_TOKEN");
    await expect.poll(sum).toMatchObject({ status: 200, body: { data: { result: 3 } } });
    const invoice = () => post("math.invoice", { amount: 3 }, "GUEST_TOKEN");
    await expect.poll(invoice).toMatchObject({ status: 200, body: { data: { amount: 3 } } });
    expect(await post("math.sum", { numbers: [1, 2] })).toMatchObject({ status: 401 });
  });

  test("lets workers ask for scopes of those for whom the gateway has signed", async () => {
    const reset = () => post("admin.reset", {}, "ROOT_TOKEN");
    await expect.poll(reset).toMatchObject({ status: 200, body: { data: { resetBy: "root" } } });
    expect(await post("admin.reset", {}, "GUEST_TOKEN")).toMatchObject({ status: 403 });
  });
});
