import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../test/describe-with.js";
import { type NatsServer, natsServer } from "../../../test/nats-server.js";
import { programOnThisMachine } from "../../../test/program.js";
import { hear } from "./hear.js";

describeWith("hear", programOnThisMachine("nats-server"), (program) => {
  let server: NatsServer;
  let connection: NatsConnection;
  beforeAll(async () => {
    server = await natsServer(program, {
      config: 'authorization { users: [{ user: a, password: a, permissions: { subscribe: { deny: "shut" } } }] }',
    });
    connection = await connect({ servers: server.url, user: "a", pass: "a" });
  });
  afterAll(async () => {
    await connection?.close();
    await server?.close();
  });

  test("goes on where the listener throws, and whoever is told of it", async () => {
    const [texts, told]: [string[], unknown[]] = [[], []];
    const careless = (message: { string(): string }): void => {
      texts.push(message.string());
      throw new Error(message.string());
    };
    const onError = (thrown: unknown): void => {
      told.push(thrown);
      throw thrown;
    };
    hear(connection, "loud", careless, { onError });
    hear(connection, "quiet", careless);
    for (const text of ["1", "2"]) for (const subject of ["loud", "quiet"]) connection.publish(subject, text);
    await connection.flush();
    expect([texts, told]).toEqual([
      ["1", "1", "2", "2"],
      [new Error("1"), new Error("2")],
    ]);
    expect(connection.isClosed()).toBe(false);
  });

  test("tells what the server refuses", async () => {
    const refusal = new Promise((resolve) => {
      hear(connection, "shut", () => {}, { onError: resolve });
    });
    expect(await refusal).toBeInstanceOf(Error);
  });

  test("shares the messages in a queue", async () => {
    const heard: number[] = [];
    for (const _ of [1, 2]) hear(connection, "jobs", () => heard.push(1), { queue: "workers" });
    for (let at = 0; at < 10; at += 1) connection.publish("jobs", "");
    await connection.flush();
    expect(heard).toHaveLength(10);
  });
});
