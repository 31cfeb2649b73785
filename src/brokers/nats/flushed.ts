import type { NatsBus } from "./bus/nats-bus-options.js";

/** As far as there is somebody to tell: who drains without a connection does not wait for one. */
export async function flushed(bus: NatsBus): Promise<void> {
  if (bus.state !== "connected") return;
  await new Promise<void>((resolve) => {
    const stop = bus.onState(() => resolve());
    const done = (): void => {
      stop();
      resolve();
    };
    bus.flush().then(done, done);
  });
}
