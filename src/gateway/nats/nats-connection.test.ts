import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import { nkeys } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../test/describe-with.js";
import { type NatsServer, natsServer } from "../../../test/nats-server.js";
import { programOnThisMachine } from "../../../test/program.js";
import type { NatsAccessConfig } from "../config/nats-config.js";
import { certificateIn } from "./fixtures/certificates.js";
import { jwtStage } from "./fixtures/nats-jwt.js";
import { connectNats, type NatsConnectionOptions } from "./nats-connection.js";

const folder = mkdtempSync(join(tmpdir(), "plico-nats-access-"));
const connections: NatsConnection[] = [];
const endings: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await Promise.all(endings.splice(0).map((end) => end()));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function connected(
  server: string,
  access: NatsAccessConfig = {},
  more: Partial<NatsConnectionOptions> = {},
): Promise<NatsConnection> {
  const connection = await connectNats({ servers: [server], access, folder, label: "test", inbox: "ada", ...more });
  connections.push(connection);
  return connection;
}

/** Something that listens, and is not NATS. */
async function listener(onConnection: Parameters<typeof createServer>[1] = () => {}): Promise<string> {
  const server: Server = createServer(onConnection).listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = new Set<{ destroy(): void }>();
  server.on("connection", (socket) => sockets.add(socket));
  endings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describeWith("a connection to NATS", programOnThisMachine("nats-server"), (program) => {
  const key = nkeys.createUser();
  const seed = new TextDecoder().decode(key.getSeed());
  let users: NatsServer;
  let tokens: NatsServer;

  beforeAll(async () => {
    const names = `{ user: ada, password: "p@ss-word" }, { nkey: ${key.getPublicKey()} }`;
    [users, tokens] = await Promise.all([
      natsServer(program, { config: `authorization { users: [${names}] }` }),
      natsServer(program, { config: 'authorization { token: "s3cret-token" }' }),
    ]);
    writeFileSync(join(folder, "key.nk"), `# ours\n${seed}\n`);
  });

  afterAll(async () => {
    await Promise.all([users.close(), tokens.close()]);
  });

  const at = ({ port }: NatsServer, who = ""): string => `nats://${who}127.0.0.1:${port}`;

  test.each<[string, () => [string, NatsAccessConfig?]]>([
    ["a user", () => [at(users), { user: "ada", password: "p@ss-word" }]],
    ["a user in the address", () => [at(users, "ada:p%40ss-word@")]],
    ["a token", () => [at(tokens), { token: "s3cret-token" }]],
    ["a token in the address", () => [at(tokens, "s3cret-token@")]],
    ["a key", () => [at(users), { nkey: seed }]],
    ["a file with a key", () => [at(users), { nkey: "./key.nk" }]],
    ["what is said beside the address", () => [at(users, "ada:old@"), { nkey: seed }]],
  ])("is made with %s", async (_, given) => {
    const connection = await connected(...given());
    await connection.flush();
  });

  test("has inboxes of its own name, for permissions", async () => {
    const connection = await connected(at(users), { nkey: seed });
    const heard = new Promise<string | undefined>((resolve) =>
      connection.subscribe("question", { callback: (_, { reply }) => resolve(reply) }),
    );
    await Promise.all([connection.request("question", "", { timeout: 200 }).catch(() => {}), heard]);
    expect(await heard).toMatch(/^_INBOX\.ada\./);
  });

  test("is made to the one of several that is there", async () => {
    const servers = ["nats://127.0.0.1:1", at(tokens, "s3cret-token@")];
    expect((await connected("", {}, { servers })).getServer()).toBe(`127.0.0.1:${tokens.port}`);
  });

  test.each<[string, () => Promise<[string, NatsAccessConfig?]>, object]>([
    ["nobody listens", async () => ["nats://127.0.0.1:1"], { category: "unavailable" }],
    ["there is no such host", async () => ["nats://nowhere.invalid"], { category: "unavailable" }],
    ["nobody is let in", async () => [at(users)], { category: "authentication" }],
    ["the password is wrong", async () => [at(users, "ada:wrong-one@")], { category: "authentication" }],
    ["the token is wrong", async () => [at(tokens), { token: "wrong-one" }], { category: "authentication" }],
    ["there is no TLS", async () => [`tls://127.0.0.1:${users.port}`], { category: "unavailable" }],
    [
      "another program answers",
      async () => [await listener((socket) => socket.write("SSH-2.0\r\n"))],
      { category: "unavailable" },
    ],
    ["another program hangs up", async () => [await listener((socket) => socket.end())], { category: "unavailable" }],
    ["nothing is said", async () => [await listener(), { startTimeout: 50 }], { category: "timeout" }],
    ["there is no such file", async () => [at(users), { credentials: "./gone.creds" }], { code: "CONFIG_INVALID" }],
    ["a file is another one", async () => [at(users), { credentials: "./key.nk" }], { code: "CONFIG_INVALID" }],
    [
      "a seed is none",
      async () => [at(users), { nkey: seed.slice(0, 20) + (seed[20] === "A" ? "B" : "A") + seed.slice(21) }],
      { code: "CONFIG_INVALID" },
    ],
    ["a certificate is not there", async () => [at(users), { tls: { ca: "gone.pem" } }], { code: "CONFIG_INVALID" }],
  ])("is refused where %s, and no secret is told", async (_, given, error) => {
    const refusal = await connected(...(await given())).catch((thrown: Error) => thrown);
    expect(refusal).toMatchObject({ name: "CallError", ...error });
    expect(String(refusal)).not.toMatch(/wrong-one|p@ss|S[A-Z2-7]{50}/);
  });

  test("is given up when nobody wants it any longer", async () => {
    const giving = new AbortController();
    const url = await listener(() => giving.abort(new Error("enough")));
    await expect(connected(url, {}, { signal: giving.signal })).rejects.toThrow("enough");
    await expect(connected(at(tokens), {}, { signal: AbortSignal.abort() })).rejects.toThrow();
  });

  test("is made with a file of credentials, if the server knows them", async () => {
    const [old, renewed] = [jwtStage(), jwtStage()];
    const file = join(folder, "user.creds");
    writeFileSync(file, old.credentials);
    const server = await natsServer(program, { config: old.config });
    endings.push(() => server.close());
    await (await connected(server.url, { credentials: "user.creds" })).flush();
    writeFileSync(file, renewed.credentials);
    await expect(connected(server.url, { credentials: file })).rejects.toMatchObject({ category: "authentication" });
  });

  test("comes back with its server", async () => {
    const server = await natsServer(program);
    endings.push(() => server.close());
    const connection = await connected(server.url);
    const back = (async () => {
      for await (const { type } of connection.status()) if (type === "reconnect") return;
    })();
    await server.restart();
    await back;
    await connection.flush();
  });
});

describeWith("a connection to NATS over TLS", programOnThisMachine("openssl"), (openssl) => {
  describeWith("with certificates of both sides", programOnThisMachine("nats-server"), (program) => {
    test("is made where each trusts the other", async () => {
      const { cert, key } = certificateIn(folder, openssl);
      const config = `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${cert}", verify: true }`;
      const { port, close } = await natsServer(program, { config });
      endings.push(close);
      const url = `tls://localhost:${port}`;
      await (await connected(url, { tls: { ca: "cert.pem", cert: "cert.pem", key: "key.pem" } })).flush();
      await (await connected(`nats://localhost:${port}`, { tls: { ca: cert, cert, key } })).flush();
      await expect(connected(url)).rejects.toMatchObject({ category: "unavailable" });
      await expect(connected(url, { tls: { ca: cert }, startTimeout: 300 })).rejects.toMatchObject({
        name: "CallError",
      });
    });
  });
});
