import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Stands between one process and a NATS server on loopback, so that the network between them can fail. */
export interface NatsProxy {
  readonly url: string;
  /** How many connections there are. */
  readonly connections: number;
  /** Ends the connections, and those that come, until `heal`. */
  cut(): void;
  /** Nothing passes in either direction until `heal`, and neither side is told. */
  blackhole(): void;
  /** All that passes takes so many milliseconds. */
  slow(delay: number): void;
  /** What was held back passes, unless its connection was given up meanwhile. */
  heal(): void;
  close(): Promise<void>;
}

type Network = "whole" | "cut" | "blackhole";

export async function natsProxy(port: number): Promise<NatsProxy> {
  const links = new Set<Link>();
  let network: Network = "whole";
  let delay = 0;
  const server = createServer((near) => {
    if (network === "cut") near.destroy();
    else links.add(linkOf(near, port, { delay: () => delay, onEnd: (link) => links.delete(link) }));
    if (network === "blackhole") for (const link of links) link.hold();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const change = (to: Network, act: (link: Link) => void): void => {
    network = to;
    for (const link of [...links]) act(link);
  };
  return {
    url: `nats://127.0.0.1:${(server.address() as { port: number }).port}`,
    get connections() {
      return links.size;
    },
    cut: () => change("cut", (link) => link.end()),
    blackhole: () => change("blackhole", (link) => link.hold()),
    slow: (milliseconds) => {
      delay = milliseconds;
    },
    heal: () => {
      delay = 0;
      change("whole", (link) => link.release());
    },
    async close() {
      change("cut", (link) => link.end());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A connection through the proxy. */
interface Link {
  hold(): void;
  release(): void;
  end(): void;
}

interface LinkTerms {
  delay(): number;
  onEnd(link: Link): void;
}

function linkOf(near: Socket, port: number, { delay, onEnd }: LinkTerms): Link {
  const far = connect(port, "127.0.0.1");
  const ways = [new Way(near, far, delay), new Way(far, near, delay)];
  let isOver = false;
  const link: Link = {
    hold: () => {
      for (const way of ways) way.hold(true);
    },
    release: () => {
      for (const way of ways) way.hold(false);
      if (isOver) link.end();
    },
    end: () => {
      for (const side of [near, far]) side.destroy();
      onEnd(link);
    },
  };
  for (const side of [near, far]) {
    side.setNoDelay(true);
    side.on("error", () => undefined);
    side.on("close", () => {
      isOver = true;
      // Where nothing passes, the end of one side does not either.
      if (!ways.some(({ isHeld }) => isHeld)) link.end();
    });
  }
  return link;
}

/** One direction of a connection. It is read only when what was read before is written, so that the order stays. */
class Way {
  readonly #from: Socket;
  readonly #to: Socket;
  isHeld = false;
  #isBusy = false;

  constructor(from: Socket, to: Socket, delay: () => number) {
    this.#from = from;
    this.#to = to;
    from.on("data", (chunk) => {
      if (delay() === 0) return this.#pass(chunk);
      this.#become(true);
      setTimeout(() => this.#pass(chunk), delay());
    });
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    this.#become(this.#isBusy);
  }

  /** A side that reads slowly is felt by the other, as without a proxy. */
  #pass(chunk: Buffer): void {
    const isTaken = this.#to.destroyed || this.#to.write(chunk);
    if (!isTaken) this.#to.once("drain", () => this.#become(false));
    this.#become(!isTaken);
  }

  #become(isBusy: boolean): void {
    this.#isBusy = isBusy;
    if (isBusy || this.isHeld) this.#from.pause();
    else this.#from.resume();
  }
}
