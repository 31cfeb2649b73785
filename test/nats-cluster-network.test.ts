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
    try {
      const heard = connections.map(hears);
      await expect.poll(() => said(connections, "before", heard)).toEqual([true, true, true]);
      isolated?.isolate();
      expect(await said(connections, "meanwhile", heard)).toEqual([true, true, false]);
      await isolated?.rejoin();
      await expect.poll(() => said(connections, "after", heard)).toEqual([true, true, true]);
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

/** Who hears what the first client says, when there was time for it to come to all. */
async function said(
  connections: readonly NatsConnection[],
  word: string,
  heard: readonly ReadonlySet<string>[],
): Promise<boolean[]> {
  connections[0]?.publish("word", word);
  for (let rounds = 0; rounds < 5; rounds += 1) await Promise.all(connections.map((connection) => connection.flush()));
  await new Promise((resolve) => setTimeout(resolve, 50));
  return heard.map((words) => words.has(word));
}
