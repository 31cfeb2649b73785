import { type NatsProxy, natsProxy } from "./nats-proxy.js";

/** A network from one server of a cluster to another, by their places. */
interface Connection {
  readonly from: number;
  readonly to: number;
  readonly proxy: NatsProxy;
}

/** What is between the servers of a cluster: a network of its own for each of them to each other. */
export class ClusterNetwork {
  readonly #connections: readonly Connection[];

  private constructor(connections: readonly Connection[]) {
    this.#connections = connections;
  }

  /** Of servers that listen for each other at these ports. */
  static async between(ports: readonly number[]): Promise<ClusterNetwork> {
    const pairs = ports.flatMap((_, from) => ports.flatMap((port, to) => (from === to ? [] : [{ from, to, port }])));
    const open = async ({ from, to, port }: (typeof pairs)[number]): Promise<Connection> => ({
      from,
      to,
      proxy: await natsProxy(port),
    });
    return new ClusterNetwork(await Promise.all(pairs.map(open)));
  }

  /** Where a server reaches the others. */
  routesOf(place: number): readonly string[] {
    return this.#connections.filter(({ from }) => from === place).map(({ proxy }) => proxy.url);
  }

  /** Nothing passes between a server and the others; none of them is told. */
  isolate(place: number): void {
    for (const { proxy } of this.#touching(place)) proxy.blackhole();
  }

  /** Returns when the server has found the others again, or was waited for long enough. */
  async rejoin(place: number): Promise<void> {
    for (const { proxy } of this.#touching(place)) proxy.heal();
    for (let looks = 0; looks < 100 && !this.#isJoined(place); looks += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Ends what leads to a server. */
  async close(place: number): Promise<void> {
    await Promise.all(this.#connections.filter(({ to }) => to === place).map(({ proxy }) => proxy.close()));
  }

  /** Of two servers, one has connected to the other. */
  #isJoined(place: number): boolean {
    const reached = this.#touching(place).filter(({ proxy }) => proxy.connections > 0);
    return new Set(reached.map(({ from, to }) => from + to - place)).size === this.#touching(place).length / 2;
  }

  #touching(place: number): readonly Connection[] {
    return this.#connections.filter(({ from, to }) => from === place || to === place);
  }
}
