import { connect, type NatsConnection } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { describeWith } from "./describe-with.js";
import { natsCluster } from "./nats-server.js";
import { programOnThisMachine } from "./program.js";

describeWith("a server of a cluster", programOnThisMachine("nats-server"), (program) => {
  test("hears nothing of the others while it is isolated, and is with them again after that", async () => {
    const servers = await natsCluster(program, { jetstream: false });
    const [, , isolated] = servers;
    const connections = await Promise.all(
      servers.map(({ url }) => connect({ servers: url, ignoreClusterUpdates: true })),
    );
    const heard = connections.map(hears);
    const whoHears = (word: string): boolean[] => {
      connections[0]?.publish("word", word);
      return heard.map((words) => words.has(word));
    };
    try {
      await expect.poll(() => whoHears("before")).toEqual([true, true, true]);
      isolated?.isolate();
      await expect.poll(() => whoHears("meanwhile").slice(0, 2)).toEqual([true, true]);
      // There is no event for what does not come: it has as long as it would take, and some more.
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(whoHears("meanwhile")).toEqual([true, true, false]);
      await isolated?.rejoin();
      await expect.poll(() => whoHears("after")).toEqual([true, true, true]);
    } finally {
      await Promise.all(connections.map((connection) => connection.close()));
      await Promise.all(servers.map((server) => server.close()));
    }
  });
});

/** The words that come to a client. */
function hears(connection: NatsConnection): ReadonlySet<string> {
  const words = new Set<string>();
  connection.subscribe("word", { callback: (_, message) => void words.add(message.string()) });
  return words;
}
