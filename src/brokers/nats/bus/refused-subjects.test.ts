import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { type NatsServer, natsServer } from "../../../../test/nats-server.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { onRefusedSubject } from "./refused-subjects.js";

const CONFIG = `authorization { users: [{
  user: eve, password: eve, permissions: { publish: ["open"], subscribe: ["open"] }
}] }`;

describeWith("onRefusedSubject", programOnThisMachine("nats-server"), (program) => {
  let server: NatsServer;
  let connection: NatsConnection;
  beforeAll(async () => {
    server = await natsServer(program, { config: CONFIG });
    connection = await connect({ servers: server.url, user: "eve", pass: "eve" });
  });
  afterAll(async () => {
    await connection?.close();
    await server?.close();
  });

  /** The subjects that are told until the one that is published last. */
  function heardUntil(last: string, listener: (subject: string) => void = () => {}): Promise<readonly string[]> {
    const heard: string[] = [];
    return new Promise((resolve) => {
      const stop = onRefusedSubject(connection, (subject) => {
        heard.push(subject);
        if (subject === last) {
          stop();
          resolve(heard);
        }
        listener(subject);
      });
    });
  }

  test("tells what may not be published to, and nothing of what may or of subscriptions", async () => {
    const heard = heardUntil("shut.2");
    connection.subscribe("shut.0", { callback: () => {} });
    for (const subject of ["shut.1", "open", "shut.2"]) connection.publish(subject, "");
    expect(await heard).toEqual(["shut.1", "shut.2"]);
  });

  test("tells what may not be subscribed to where that is asked for", async () => {
    const heard = new Promise<string>((resolve) => {
      onRefusedSubject(connection, resolve, "subscription");
    });
    connection.publish("shut.5", "");
    for (const subject of ["open", "shut.6"]) connection.subscribe(subject, { callback: () => {} });
    expect(await heard).toBe("shut.6");
  });

  test("goes on where its listener throws, and tells nothing once it is ended", async () => {
    const ended: string[] = [];
    onRefusedSubject(connection, (subject) => ended.push(subject))();
    const heard = heardUntil("shut.4", () => {
      throw new Error("careless");
    });
    for (const subject of ["shut.3", "shut.4"]) connection.publish(subject, "");
    expect([await heard, ended]).toEqual([["shut.3", "shut.4"], []]);
  });
});
