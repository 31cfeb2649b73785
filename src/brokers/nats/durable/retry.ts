import type { Link } from "../bus/link.js";
import { mayPass } from "./jetstream.js";

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2_000;

/** Does it until it is done, while what stands in the way may pass and someone still wants it. */
export async function persist<T>(link: Link, act: () => Promise<T>, isWanted: () => boolean): Promise<T> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await unlessLost(link, act);
    } catch (thrown) {
      if (link.state === "closed" || !isPassing(thrown) || !isWanted()) throw thrown;
      await rest(link, pause);
      if (!isWanted()) throw thrown;
    }
  }
}

class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

function isPassing(thrown: unknown): boolean {
  return thrown instanceof ConnectionLost || mayPass(thrown);
}

/** What was asked over a connection that is lost is never answered. */
function unlessLost<T>(link: Link, act: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = link.onState(() => reject(new ConnectionLost("The connection to NATS was lost.")));
    act().then(resolve, reject).finally(stop);
  });
}

/** A while, or until the connection is back. */
function rest(link: Link, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = link.onState(end);
    const timer = setTimeout(end, ms);
  });
}
