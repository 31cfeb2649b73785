import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../test/describe-with.js";
import { type NatsServer, natsServer } from "../../../test/nats-server.js";
import { programOnThisMachine } from "../../../test/program.js";
import type { OpenedSource } from "../sources/open-source.js";
import { type FleetOptions, fleetSource } from "./fleet-source.js";

describeWith("a fleet", programOnThisMachine("nats-server"), (program) => {
  let server: NatsServer;
  const sources: OpenedSource[] = [];

  beforeAll(async () => {
    const permissions = `{ publish: ">", subscribe: ["plico.reply.ada.>", "plico.news"] }`;
    const user = `{ user: ada, password: pass-word, permissions: ${permissions} }`;
    server = await natsServer(program, { config: `authorization { users: [${user}] }` });
  });

  afterEach(async () => {
    await Promise.all(sources.splice(0).map((source) => source.close()));
  });

  afterAll(() => server?.close());

  async function fleet(more: Partial<FleetOptions> = {}): Promise<OpenedSource> {
    const servers = [`nats://ada:pass-word@127.0.0.1:${server.port}`];
    const source = await fleetSource({ name: "fleet", servers, folder: ".", ...more });
    sources.push(source);
    return source;
  }

  test("without workers is ready, and calls itself as the server knows it", async () => {
    expect((await fleet()).health()).toMatchObject({ status: "ready", operations: 0, warnings: [] });
  });

  test("that may not hear answers is refused, with what to do", async () => {
    const refused = { category: "authorization", message: expect.stringContaining("plico.reply.eve") };
    await expect(fleet({ caller: "eve" })).rejects.toMatchObject({ ...refused, suggestedAction: expect.any(String) });
  });

  test("of which the options are wrong leaves no connection behind", async () => {
    await expect(fleet({ heartbeat: 1 })).rejects.toMatchObject({ name: "CallError", category: "validation" });
  });
});
