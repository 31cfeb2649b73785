import { Socket } from "node:net";
import type { Readable } from "node:stream";

/** How often one looks whether a pipe is quiet, and after how many such looks in a row somebody else holds it open. */
const LOOK_MS = 50;
const QUIET_LOOKS = 3;

/** Settles when all of it is read, or nothing more comes, or after this time. */
export async function drained(streams: readonly Readable[], mostMs: number = Number.POSITIVE_INFINITY): Promise<void> {
  await Promise.all(streams.map((stream) => drainedOne(stream, mostMs / LOOK_MS)));
}

function drainedOne(stream: Readable, mostLooks: number): Promise<void> {
  return new Promise((resolve) => {
    const quietLooks = countQuietLooks(stream);
    let looks = 0;
    const finish = (): void => {
      clearInterval(timer);
      stream.off("close", finish);
      resolve();
    };
    const timer = setInterval(() => {
      looks += 1;
      if (quietLooks() >= QUIET_LOOKS || looks >= mostLooks) finish();
    }, LOOK_MS);
    // A reader who never comes back must not keep this process from ending.
    if (mostLooks === Number.POSITIVE_INFINITY) timer.unref();
    stream.once("close", finish);
    if (stream.closed) finish();
  });
}

/** One look is not enough: what came while this process was busy is read between two of them. */
function countQuietLooks(stream: Readable): () => number {
  let quiet = 0;
  let seen = -1;
  return () => {
    const read = stream instanceof Socket ? stream.bytesRead : 0;
    quiet = stream.readableLength === 0 && read === seen ? quiet + 1 : 0;
    seen = read;
    return quiet;
  };
}
