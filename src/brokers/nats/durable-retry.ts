import { mayPass } from "./durable-jetstream.js";
import type { Link } from "./link.js";

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2_000;

/** Does it until it is done, while what stands in the way may pass and someone still wants it. */
export async function persist<T>(link: Link, act: () => Promise<T>, isWanted: () => boolean): Promise<T> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await act();
    } catch (thrown) {
      if (!mayPass(thrown) || link.state === "closed" || !isWanted()) throw thrown;
      await rest(link, pause);
      if (!isWanted()) throw thrown;
    }
  }
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
